//! A tool that could not do what it was asked: an answer like any other, which the agent may act on.

use crate::Json;
use crate::failure::lenient;
use crate::port::RawError;
use std::fmt;

/// Why a tool did not do it. `?` makes it the agent's own [`crate::Failure`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolError {
    /// Which tool.
    pub tool: String,
    /// Stable, snake case: `not_found`, `tool_not_granted`, `budget_converging`, …
    pub code: String,
    /// What happened, and what to do.
    pub message: String,
    /// An object with the numbers. Boxed, so that a result with this error stays small.
    pub details: Box<Json>,
}

impl ToolError {
    pub(crate) fn new(tool: &str, code: &str, message: String, details: Json) -> Self {
        Self { tool: tool.to_owned(), code: code.to_owned(), message, details: Box::new(details) }
    }

    pub(crate) fn from_raw(tool: &str, raw: RawError) -> Self {
        Self::new(tool, &raw.code, raw.message, lenient(&raw.details))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.tool, self.code, self.message)
    }
}
