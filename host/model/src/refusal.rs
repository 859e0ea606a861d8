//! The first kind of no: a request that was not admitted. Nothing ran, nothing was consumed.

use crate::outcome::AgentError;
use serde_json::{Value, json};
use std::fmt;

/// Why a request was refused, in the order in which the gate looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalCode {
    /// The request itself is malformed: a bad option, a repeated id.
    InvalidRequest,
    /// No such agent in the plan.
    UnknownSubagent,
    /// The asking agent's entry does not list this agent under `spawn`.
    SpawnNotGranted,
    /// The child would be deeper than `max_depth`.
    DelegationDepthExceeded,
    /// An ancestor already works on this very task.
    AncestorCycle,
    /// The parent has started `max_children` already.
    ChildrenExceeded,
    /// Too similar to a task that is already there.
    SimilarTask,
    /// `max_tasks` is used up.
    TaskBudgetExceeded,
    /// A tool beyond what the parent has or may hand on.
    GrantExceedsParent,
    /// The parent's budget cannot carry the reservation.
    BudgetExceeded,
    /// The run is converging: no new work.
    BudgetConverging,
    /// No sandbox is free.
    HostFull,
}

impl RefusalCode {
    /// The code in outcomes, events and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::UnknownSubagent => "unknown_subagent",
            Self::SpawnNotGranted => "spawn_not_granted",
            Self::DelegationDepthExceeded => "delegation_depth_exceeded",
            Self::AncestorCycle => "ancestor_cycle",
            Self::ChildrenExceeded => "children_exceeded",
            Self::SimilarTask => "similar_task",
            Self::TaskBudgetExceeded => "task_budget_exceeded",
            Self::GrantExceedsParent => "grant_exceeds_parent",
            Self::BudgetExceeded => "budget_exceeded",
            Self::BudgetConverging => "budget_converging",
            Self::HostFull => "host_full",
        }
    }
}

impl fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refusal with its numbers: who asked, for what, how much of which dimension, what was left, what the limit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// Task id of the node whose limit refused; the run's name for run-wide limits.
    pub node: String,
    /// The limit's name: `depth`, `tasks`, `children`, `fuel`, `tools`, …
    pub dimension: String,
    /// What was asked of it.
    pub asked: Value,
    /// What was left of it.
    pub left: Value,
    /// The limit itself.
    pub limit: Value,
    /// One sentence for people: what happened, to whom, what to do.
    pub message: String,
}

impl Refusal {
    /// The refusal as the error of an outcome; `details` carry every number (HOSTILE 20).
    #[must_use]
    pub fn to_error(&self) -> AgentError {
        AgentError {
            code: self.code.name().into(),
            message: self.message.clone(),
            details: json!({
                "node": self.node,
                "dimension": self.dimension,
                "asked": self.asked,
                "left": self.left,
                "limit": self.limit,
            }),
        }
    }
}
