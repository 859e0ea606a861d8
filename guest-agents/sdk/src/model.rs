//! The answer of tool `model`.

use crate::Json;
use serde::Deserialize;

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelAnswer {
    /// What it said.
    pub text: String,
    /// The tools it wants called, in this order.
    pub tool_calls: Vec<ModelCall>,
    /// A structured output, if it gave one.
    pub output: Option<Json>,
    /// Which turn this was.
    pub turn: u64,
    /// What it cost, if the provider says.
    pub usage: Usage,
}

/// A tool call that a model asks for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelCall {
    /// The provider's own name for this call.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// With what.
    pub arguments: Json,
}

/// Tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Sent.
    pub input_tokens: u64,
    /// Received.
    pub output_tokens: u64,
}
