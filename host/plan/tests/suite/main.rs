//! What a plan comes to, what makes one invalid, and what its schema promises.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should say where"
)]

mod desk;
mod limits;
mod models;
mod mutated;
mod needs;
mod overridden;
mod planned;
mod schema;
mod valid;
mod wrong;
