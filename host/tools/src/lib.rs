//! What answers tool calls, one provider a file, all behind [`sandfork_model::ToolProvider`].
//!
//! Knows names, arguments and answers. Knows nothing of grants, budgets or forks: whether a call is allowed and what it
//! costs was decided before it came here, and simulated time is only named in an answer, never waited for.

pub mod artifacts;
pub mod copy;
pub mod model;
pub mod replies;
pub mod scripted;
pub mod sleep;
pub mod specs;
pub mod workspace;

mod arguments;
mod completing;
mod decimal;
mod duration;
#[cfg(test)]
mod replies_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use artifacts::Artifacts;
pub use artifacts::contents::ContentError;
pub use artifacts::entry::Entry as ArtifactEntry;
pub use artifacts::kept::KeptArtifacts;
pub use artifacts::shelf::ArtifactLimits;
pub use copy::{CopyLimits, CopySummary, copy_tree};
pub use model::Model;
pub use replies::Replies;
pub use scripted::Scripted;
pub use sleep::Sleep;
pub use specs::built_in_specs;
pub use workspace::{Workspace, WorkspaceLimits};
