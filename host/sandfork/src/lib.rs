//! A host for sandboxed subagents: this crate wires the rooms into a [`Host`] that runs plans.
//!
//! A plan names agents and what the first of them is to do. Agents are scripts, which the host compiles, or ready
//! components. Every fork runs in a sandbox of its own, within its grant and its budget; what came of all of them is a
//! record, and the same as a report document.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = std::env::temp_dir().join(format!("sandfork-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&home)?;
//! # let home = home.as_path();
//! use sandfork::{Host, Overrides, RunOptions};
//!
//! std::fs::write(
//!     home.join("greeter.yaml"),
//!     "agent: greeter\nturns:\n  - say: Hello.\n    return: { reply: \"hello, ${task.context.name}\" }\n",
//! )?;
//! std::fs::write(
//!     home.join("plan.yaml"),
//!     "run: greet\nagents:\n  greeter: { script: greeter.yaml }\n\
//!      root: { agent: greeter, goal: Greet, context: { name: Ada } }\n",
//! )?;
//!
//! let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! let finished = runtime.block_on(async {
//!     let host = Host::builder().live_forks(16).state_dir(home.join("state")).build()?;
//!     let plan = host.load(&home.join("plan.yaml"), &Overrides::default()).await?;
//!     Ok::<_, Box<dyn std::error::Error>>(host.run(&plan, RunOptions::in_virtual_time()).await?)
//! })?;
//!
//! assert_eq!(finished.report["status"], "completed");
//! assert_eq!(finished.report["results"][0]["output"]["reply"], "hello, Ada");
//! # std::fs::remove_dir_all(home)?;
//! # Ok(())
//! # }
//! ```
//!
//! What agents did wrong is in the record, as data. An `Err` means that nothing ran ([`HostError::NotStarted`]) or that
//! the host itself broke ([`HostError::Broken`]).

mod across;
mod authoring;
mod bench;
mod builder;
mod catalog;
mod causal_log;
mod compare;
mod counted;
mod error;
mod events;
mod examine;
mod explain;
mod host;
mod kept;
mod mistaken;
mod options;
mod prepared;
mod problem;
mod read;
mod run_dir;
mod run_id;
mod scratch;
mod stage;
mod stand_in;
mod state;
mod try_case;

pub use authoring::{
    Unbuilt, build_project, case_expects_nothing, invalid_cases, manifest_warnings, new_project, read_cases,
    read_project,
};
pub use bench::{Bench, Round};
pub use builder::{DEFAULT_STATE_DIR, HostBuilder};
pub use compare::compare;
pub use error::HostError;
pub use events::{Ingested, ingest_files};
pub use examine::{Examined, Kind, examine, inspect_file};
pub use explain::explain;
pub use host::{Finished, Host};
pub use kept::{code_cache_dir, kept_artifacts};
pub use options::RunOptions;
pub use prepared::Prepared;
pub use read::{compile_script, read_plan};
pub use try_case::Tried;

pub use sandfork_causal as causal;
/// The words that all rooms share: plans, tasks, outcomes, events, tools.
pub use sandfork_model as model;
pub use sandfork_orchestrator::{Broken, Explained, Follows, Interrupt, Spend, Waits};
pub use sandfork_plan::Overrides;
/// Agent projects: what a directory with an `agent.yaml` is.
pub use sandfork_project as project;
pub use sandfork_report::{
    Comparison, EventLines, EventLog, Failure, Problem, ProgressLines, TranscriptDir, read_events, summary,
};
pub use sandfork_sandbox::{CacheEntry, CodeCache, Departure, Inspection};
pub use sandfork_tools::{ArtifactEntry, ContentError, KeptArtifacts};

/// JSON Schemas of every document that goes in or comes out, and the table of default limits.
pub mod schema {
    pub use sandfork_plan::{SCHEMA as PLAN, TASK_SCHEMA as TASK, defaults_table};
    pub use sandfork_report::schema::{EVENT, REPORT};
    pub use sandfork_script::SCHEMA as SCRIPT;
}
