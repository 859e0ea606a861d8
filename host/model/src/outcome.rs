//! The second kind of no, and the only yes: how one fork ended. An agent's failure is data for its parent.

use crate::budget::Amounts;
use crate::id::TaskRef;
use crate::request::OnFailure;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// How a fork ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Returned an output that holds.
    Ok,
    /// Ended badly by its own doing; `details.cause` says how.
    Failed,
    /// Met its wall-clock limit, or the run's.
    Timeout,
    /// Burnt its fuel.
    OutOfFuel,
    /// Met another limit of its budget; `details.dimension` says which.
    OutOfBudget,
    /// Never ran: the gate said no.
    Refused,
    /// Lacks input; `details.missing` names the fields.
    Blocked,
    /// Stopped from above.
    Cancelled,
}

impl Status {
    /// The word in outcomes, events and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::OutOfFuel => "out_of_fuel",
            Self::OutOfBudget => "out_of_budget",
            Self::Refused => "refused",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a fork `failed`, as `details.cause` of `subagent_failed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// `run` returned an error.
    Returned,
    /// The guest trapped.
    Trap,
    /// `run` returned text that is no JSON.
    InvalidOutput,
    /// The output does not meet its schema.
    Schema,
    /// The component has no `run`.
    MissingExport,
    /// The script's replies ran out.
    Exhausted,
    /// The component cannot be loaded.
    AgentInvalid,
    /// A host tool panicked while serving it.
    Panic,
}

impl Cause {
    /// The word in `details.cause`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Returned => "returned",
            Self::Trap => "trap",
            Self::InvalidOutput => "invalid_output",
            Self::Schema => "schema",
            Self::MissingExport => "missing_export",
            Self::Exhausted => "exhausted",
            Self::AgentInvalid => "agent_invalid",
            Self::Panic => "panic",
        }
    }
}

/// The one error structure: `code` for programs, `message` for people, `details` for both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentError {
    /// Stable, snake case.
    pub code: String,
    /// What happened, to whom, what to do.
    pub message: String,
    /// An object with the numbers.
    pub details: Value,
}

/// What a fork did, counted by the host alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Model calls.
    pub turns: u64,
    /// Opening messages, model answers, tool answers and spawn answers.
    pub messages: u64,
    /// Tool answers and spawn answers among the messages.
    pub tool_messages: u64,
    /// Tool calls that count as such (`model`, `sleep`, `budget` do not).
    pub tool_calls: u64,
    /// Every crossing.
    pub host_calls: u64,
    /// Notes written.
    pub notes: u64,
    /// Fuel burnt and charged.
    pub fuel_used: u64,
    /// Most memory held at one time, bytes.
    pub peak_memory_bytes: u64,
    /// Time spent waiting for a slot, nanoseconds.
    pub queued_ns: u64,
    /// Time from start to end without queueing, nanoseconds.
    pub elapsed_ns: u64,
    /// Time spent waiting in `spawn` for children to end, nanoseconds.
    pub waited_ns: u64,
    /// Time that its task waited for those that it needs before it was asked for at all, nanoseconds.
    pub needs_wait_ns: u64,
    /// Estimated tokens sent to its models, whatever they cost.
    pub input_tokens: u64,
    /// Estimated tokens it got from them, whatever they cost.
    pub output_tokens: u64,
    /// Artifacts read, whole or in part.
    pub artifact_reads: u64,
    /// Artifacts of which it asked for a part and got it.
    pub artifact_parts: u64,
    /// What its packet says must not be lost, by count (GV-35).
    pub constraints: u64,
    /// How much of that its output still says.
    pub constraints_kept: u64,
    /// What was reserved for it.
    pub reserved: Amounts,
    /// What of that came back at its end.
    pub returned: Amounts,
}

/// How one fork, or one refused request, ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Who it was.
    pub task: Arc<TaskRef>,
    /// How it ended.
    pub status: Status,
    /// What it returned; `None` unless `ok`.
    pub output: Option<Value>,
    /// What went wrong; `None` if `ok`.
    pub error: Option<AgentError>,
    /// What it did.
    pub counts: Counts,
    /// What its failure does to a plan's run.
    pub on_failure: OnFailure,
    /// Asked for by nobody: added so that its batch covers all it must (HF-13).
    pub is_added: bool,
    /// Lost to siblings under `first_ok` or `quorum`: not counted against the run.
    pub is_loser: bool,
}

impl Outcome {
    /// Whether the output may be used.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok
    }
}
