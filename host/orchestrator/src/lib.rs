//! The orchestrator: the only thing that admits, starts, stops and settles forks, and the sole writer of events. Knows the
//! words; knows nothing of wasm, files or command lines.
//!
//! ```text
//! plan ──► admit ──► load ──► sandbox.run ──► settle ──► record
//!            ▲                     │
//!            └── note/spawn/tool ──┘     one port; charge, check, do, emit
//! ```

mod agents;
mod arbiter;
mod artifact_reads;
mod asker;
mod batch;
mod budgeting;
mod checkpoint;
mod circles;
mod clock;
mod constraints;
mod course;
mod cover;
mod cutting;
mod declared;
mod dependencies;
mod ending;
mod events;
mod explain;
mod explained;
mod fingerprint;
mod fork;
mod forking;
mod fusing;
mod gate;
mod gauge;
mod grants;
mod guarded;
mod handing;
mod handover;
mod input;
mod joining;
mod keeping;
mod layers;
mod life;
mod look;
mod merge;
mod nursery;
mod packet;
mod panicking;
mod planning;
mod port;
mod prose;
mod refuse;
mod repeats;
mod reserve;
mod retrying;
mod reviewing;
mod rows;
mod run;
mod running;
mod schema;
mod seats;
mod settle;
mod shares;
mod slots;
mod spawning;
mod stop;
mod storing;
mod thinking;
mod told;
mod toolbox;
mod tooling;
mod unstarted;
mod versions;
mod waiting;
mod whole;

pub use clock::Pace;
pub use explain::{ExplainInput, explain};
pub use explained::{Explained, Follows, Spend, Waits};
pub use input::{AgentCode, Broken, RunInput};
pub use panicking::PANIC_TOOL;
pub use running::run;
pub use seats::Seats;
pub use stop::Interrupt;
