//! Component in, outcome out. The only room that knows wasmtime; knows nothing of parents, trees or budgets of others.
//!
//! The way of one fork: [`Sandboxes`] loads a component once (scan, compile, link), `run` gives each fork a store of its
//! own, `link` answers its three calls through the port, `judge` names its end. Everything a guest could use without
//! limit has one, named in the file that enforces it.

mod anatomy;
mod bindings;
mod body;
mod bounds;
mod cache;
mod contract;
mod crossing;
mod engine;
mod features;
mod fork;
mod guarded;
mod imports;
mod inspect;
mod judge;
mod level;
mod link;
mod load;
mod machine;
mod magic;
mod memory;
mod pool;
mod prices;
mod run;
mod sandboxes;
mod scan;
#[doc(hidden)]
pub mod settings;
mod slots;
mod stored;
mod tank;
mod wasi;

pub use bounds::LoadLimits;
pub use cache::{CacheEntry, CacheLimits, CodeCache};
pub use contract::Departure;
pub use inspect::{Inspection, footprint, inspect, inspect_with, manifest};
pub use pool::{EngineError, PoolLimits};
pub use sandboxes::{EngineVersions, Sandboxes};
