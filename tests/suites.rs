//! Every suite that drives the real binary, as one test program: it is linked once. Each module is named by what it proves.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

mod harness;

mod cli;
mod coverage;
mod rooms;
