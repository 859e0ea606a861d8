//! The orchestrator against guests written as lists of steps: no wasm, so that thousands of trees run in seconds.

mod admission;
mod fake;
mod ledger;
mod order;
mod stopping;
