//! Every suite that drives the real binary, as one test program: it is linked once. Each module is named by what it proves.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

mod harness;

mod bench;
mod cli;
mod coverage;
mod evidence;
mod files;
mod forking;
mod isolation;
mod live;
mod loops;
mod merging;
mod readme;
mod rooms;
mod running;
mod snapshots;
mod timing;
