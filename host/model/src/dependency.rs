//! What one task of a plan hands to another, and one attempt to the next: references and a summary, never a dialogue (GV-04,
//! GV-46). Knows neither who waits for whom nor when anybody starts.

use crate::outcome::Status;
use serde::Serialize;

/// What a fork is told besides its own task: set by the orchestrator, never by a guest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handed {
    /// What the tasks that it waited for came to, in the order in which it names them.
    pub dependencies: Vec<Dependency>,
    /// What an earlier attempt at the same task left; `None` at the first.
    pub checkpoint: Option<Checkpoint>,
}

/// What one task came to, as a dependent sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dependency {
    /// Its id in the plan: the key under which the dependent reads it.
    #[serde(skip)]
    pub id: String,
    /// Its tree path, as results and events have it.
    pub task_id: String,
    /// How it ended.
    pub status: Status,
    /// What it says of its result: `summary`, else `reply`, of its output, cut to a bound.
    pub summary: Option<String>,
    /// Where its result is: what its output declares, else the output itself, which the host has stored.
    pub artifact_refs: Vec<String>,
    /// What it rests on, as its output declares.
    pub evidence_refs: Vec<String>,
    /// What it left open, as its output declares.
    pub unresolved: Vec<String>,
    /// Why there is no result; `None` if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Entries of its lists that were left out, for there are too many or they are too long.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// Why a task has no result: code and message, no details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Stable, snake case.
    pub code: String,
    /// For people, cut to a bound.
    pub message: String,
}

/// What an attempt that ended badly leaves for the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// Tree path of the attempt.
    pub task_id: String,
    /// How it ended.
    pub status: Status,
    /// Code of its error.
    pub code: String,
    /// Artifacts that it and what it forked have stored, in order.
    pub artifact_refs: Vec<String>,
    /// Place of the last event of its own thread before its end.
    pub last_seq_no: u64,
    /// What is different this time: `again`, `shrink`, `tier` or `goal`.
    pub change: &'static str,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
