//! What a run amounted to, before anyone words it. The report is a pure fold over this.

use crate::budget::Amounts;
use crate::event::EventType;
use crate::measures::Measures;
use crate::outcome::Outcome;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Status of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Everything asked for is ok.
    Completed,
    /// The root, or a plan task with `propagate`, is not ok.
    Failed,
    /// Something below was not ok.
    Partial,
}

impl RunStatus {
    /// The word in reports and events.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Partial => "partial",
        }
    }
}

/// Two ok outcomes disagreed on a key; the one earlier in plan order was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The key of the merged output.
    pub key: String,
    /// The value that stands.
    pub kept: Value,
    /// The value that does not.
    pub rejected: Value,
    /// Whose value stands.
    pub kept_task_id: String,
    /// Whose does not.
    pub rejected_task_id: String,
}

/// Totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Model calls.
    pub model_calls: u64,
    /// Tool calls that count as such.
    pub tool_calls: u64,
    /// Everything divided, consumed over the tree.
    pub spent: Amounts,
    /// Whether the ledger came back whole.
    pub is_ledger_whole: bool,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// How it ended.
    pub status: RunStatus,
    /// Whether it was interrupted from outside.
    pub is_interrupted: bool,
    /// Forks admitted over its life.
    pub tasks_used: u64,
    /// Deepest depth that ran; `None` if nothing ran.
    pub max_depth_reached: Option<u32>,
    /// From start to end on the run's clock.
    pub elapsed_ns: u64,
    /// Every fork and every refused request, depth first in request order.
    pub outcomes: Vec<Outcome>,
    /// The merged output: an object for a `tasks` plan, the root's output for a `root` plan.
    pub merged: Value,
    /// Where outcomes disagreed.
    pub conflicts: Vec<Conflict>,
    /// Events by type.
    pub events: BTreeMap<EventType, u64>,
    /// Totals.
    pub usage: Usage,
    /// Sums that the report's metrics are made of.
    pub measures: Measures,
    /// What was measured besides, by group.
    pub metrics: Value,
}

/// One entry of a fork's message list, as a transcript shows it. Private: written only when asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: &'static str,
    /// Its text, or the JSON text of what was answered.
    pub content: String,
    /// For `tool`: which tool answered; for `assistant`: nothing.
    pub tool: Option<String>,
    /// For `tool`: the JSON text of the arguments.
    pub arguments: Option<String>,
}

/// Everything a fork saw and wrote, handed over at its end when a transcript was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// The message list, the two opening ones first.
    pub messages: Vec<Message>,
    /// The private notebook.
    pub notes: Vec<String>,
    /// The task document, as the guest got it.
    pub task: Map<String, Value>,
}
