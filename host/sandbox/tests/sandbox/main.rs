//! What the room promises, seen from outside: hostile guests, isolation, fuel, stopping, loading.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod cache;
mod fuel;
mod guests;
mod isolation;
mod load;
mod random;
mod stop;
mod support;
mod wasi;
