//! Tools as the orchestrator sees them: a name, schemas, and a provider that answers.

use crate::event::EventId;
use crate::id::TaskRef;
use crate::outcome::AgentError;
use crate::port::BoxFuture;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What a guest is told about a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Unique in a run.
    pub name: String,
    /// For people and models.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
}

/// One call, already checked against the grant.
#[derive(Debug)]
pub struct ToolCall {
    /// Who calls.
    pub task: Arc<TaskRef>,
    /// The tool's name.
    pub name: String,
    /// Its arguments, always an object.
    pub arguments: Value,
    /// How many calls of this tool this fork has made before (0 for the first). Calls of `model` that carry messages are
    /// counted apart from those that do not.
    pub nth: u64,
    /// The event of this call; `None` for calls that have none of their own (`model`, `sleep`).
    pub event: Option<EventId>,
}

/// A provider's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// JSON text, or a structured error that the guest can act on.
    pub result: Result<String, AgentError>,
    /// Simulated time until the answer arrives: the orchestrator lets it pass on the run's own clock.
    /// [`Self::NEVER`] is an answer that never arrives.
    pub delay: Duration,
}

impl Reply {
    /// The delay of an answer that never arrives, on either clock.
    pub const NEVER: Duration = Duration::MAX;

    /// An answer that never arrives. The error in it is nobody's to see.
    #[must_use]
    pub fn never() -> Self {
        let error = AgentError { code: "no_answer".into(), message: String::new(), details: Value::Null };
        Self { result: Err(error), delay: Self::NEVER }
    }

    /// An answer that arrives at once.
    #[must_use]
    pub fn now(result: Result<String, AgentError>) -> Self {
        Self { result, delay: Duration::ZERO }
    }
}

/// Something that answers tool calls. One provider may serve several tools.
pub trait ToolProvider: Send + Sync {
    /// The tools it serves.
    fn specs(&self) -> Vec<ToolSpec>;
    /// Answers one call. Blocking work belongs on a blocking thread; the orchestrator races the answer against deadlines.
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply>;
}
