//! Plan file to validated plan. Reads the file and the files it names, checks everything that can be known before a run,
//! and reports all problems at once, each with its place. Knows nothing of running: no engine, no clock, no compiler.

mod again;
mod agents;
mod amount;
mod ask;
mod defaults;
mod document;
mod files;
mod limits;
mod models;
mod names;
mod needs;
mod overrides;
mod planned;
mod policy;
mod retry;
mod schema;
mod stand_ins;
mod tasks;
mod tools;

pub use defaults::defaults_table;
pub use document::{load, read, read_tree};
pub use names::BUILT_IN_TOOLS;
pub use overrides::Overrides;
pub use planned::PlannedTasks;
pub use schema::{SCHEMA, TASK_SCHEMA};
pub use stand_ins::stand_ins;
