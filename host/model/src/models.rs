//! Models as the orchestrator sees them: messages go in, one answer comes out. Who answers, a file of replies or a live
//! model, is another room's business.

use crate::id::TaskRef;
use crate::outcome::AgentError;
use crate::port::BoxFuture;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Bytes that one token is taken for, where nobody reports tokens.
pub const BYTES_PER_TOKEN: u64 = 4;

/// The code of a model call for which no reply is left.
pub const REPLIES_EXHAUSTED: &str = "replies_exhausted";

/// Tokens of one model call, as far as they are reported; the rest is estimated from bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Tokens that were sent.
    pub input_tokens: Option<u64>,
    /// Tokens that were answered.
    pub output_tokens: Option<u64>,
}

/// A tool call that a model asks for. It is the agent's to execute, or not.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    /// Unique within its answer; `None` where the provider gave none.
    pub id: Option<String>,
    /// The tool's name; a model may say any.
    pub name: String,
    /// Its arguments; a model may say anything, also text that is no JSON.
    pub arguments: Value,
}

/// What a model answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// What it says.
    pub text: String,
    /// What it wants called, in order.
    pub tool_calls: Vec<ModelToolCall>,
    /// Its structured output, if it has one.
    pub output: Option<Value>,
    /// What it cost.
    pub usage: TokenUsage,
}

/// An answer that stands in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedReply {
    /// Simulated inference.
    pub think: Duration,
    /// The answer.
    pub answer: ModelAnswer,
}

/// Who answers model calls that carry messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Models {
    /// Replies by task id or agent name, turn by turn.
    pub replies: BTreeMap<String, Vec<ScriptedReply>>,
}

/// One model call that carries messages.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Who asks.
    pub task: Arc<TaskRef>,
    /// The fork's how manieth model call this is, from 1.
    pub turn: u64,
    /// `{role, content, …}` each.
    pub messages: Vec<Value>,
    /// `{name, description, input_schema}` each; empty where nothing may be called.
    pub tools: Vec<Value>,
    /// The most that may be answered, if the agent says so.
    pub max_output_tokens: Option<u64>,
}

/// A provider's answer to one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    /// The answer, or an error that the agent can act on.
    pub result: Result<ModelAnswer, AgentError>,
    /// Simulated time until it arrives, as in [`crate::Reply::delay`]; zero where real time has passed.
    pub delay: Duration,
}

/// Something that answers model calls.
pub trait ModelProvider: Send + Sync {
    /// Answers one request. The orchestrator races the answer against deadlines.
    fn complete(&self, request: ModelRequest) -> BoxFuture<'_, Completed>;
}
