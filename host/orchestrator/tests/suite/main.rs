//! The orchestrator against guests written as lists of steps: no wasm, so that thousands of trees run in seconds.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

mod admission;
mod dependencies;
mod explaining;
mod fake;
mod ledger;
mod messages;
mod order;
mod panicking;
mod planning;
mod policies;
mod retrying;
mod reviewing;
mod stopping;
