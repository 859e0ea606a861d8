//! The answer of tool `budget`: what a fork has left when it asks. The only way that time reaches an agent.

use serde::Deserialize;
use std::collections::BTreeMap;

/// What is left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BudgetLeft {
    /// Of this fork.
    pub left: Left,
    /// Of the whole run.
    pub run: RunLevel,
}

/// What this fork may still spend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Left {
    /// Units of fuel.
    pub fuel: u64,
    /// Model calls, out of what may be shared with children.
    pub turns: u64,
    /// Every crossing.
    pub host_calls: u64,
    /// Tokens sent to models.
    pub input_tokens: u64,
    /// Tokens received from models.
    pub output_tokens: u64,
    /// Bytes of tool results.
    pub result_bytes: u64,
    /// Bytes of output.
    pub output_bytes: u64,
    /// Bytes of notes.
    pub note_bytes: u64,
    /// Second attempts.
    pub retries: u64,
    /// Turns of this fork alone.
    pub steps: u64,
    /// Milliseconds until its deadline.
    pub time_ms: u64,
}

/// How far the run has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RunLevel {
    /// Calls by tool, over the whole tree of forks.
    pub calls: BTreeMap<String, u64>,
    /// Percent of the tightest cap that is used up.
    pub level_percent: u64,
    /// Which cap that is.
    pub level_of: String,
}
