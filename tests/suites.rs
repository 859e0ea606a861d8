//! Every suite that drives the real binary, as one test program: it is linked once. Each module is named by what it proves.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

mod harness;

mod authoring;
mod bench;
mod caching;
mod causal;
mod cli;
mod comparing;
mod confinement;
mod coverage;
mod dependencies;
mod durability;
mod evidence;
mod explain;
mod fairness;
mod files;
mod forking;
mod golden;
mod governance;
mod hostile;
mod incident;
mod isolation;
mod killing;
mod languages;
mod library;
mod limits;
mod live;
mod loops;
mod merging;
mod metrics;
mod mistakes;
mod oversized;
mod planning;
mod plans;
mod react;
mod readme;
mod replies;
mod researchers;
mod rooms;
mod running;
mod shipped;
mod snapshots;
mod snippets;
mod terminal;
mod timing;
mod wasi;
mod wasi_hostile;
