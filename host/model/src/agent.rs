//! An agent as a plan names it: where its behaviour comes from, and the most it may ever be granted.

use crate::request::Ask;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Where a behaviour comes from; paths are already resolved against the plan's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSource {
    /// A script the host compiles.
    Script(PathBuf),
    /// A ready component.
    Component(PathBuf),
}

/// One row of the plan's `agents` table.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentEntry {
    /// Its name in this plan.
    pub name: String,
    /// Script or component.
    pub source: AgentSource,
    /// Role duties and prohibitions, for the identity message. Empty if the plan says nothing.
    pub role: String,
    /// What it is for, for a parent's choice. Empty if unsaid.
    pub description: String,
    /// What it may call; `None` where the plan is silent: nothing, then.
    pub tools: Option<Vec<String>>,
    /// What it may hand on without calling it.
    pub delegate: Vec<String>,
    /// Which agents it may fork; `self` stands for its own name. Empty means it may fork nothing.
    pub spawn: Vec<String>,
    /// JSON Schema its output must meet.
    pub output_schema: Option<Value>,
    /// Limits of its forks where a request does not say; each `None` falls to the run's fork defaults.
    pub budget: Ask,
    /// Wall-clock limit of its forks where a request does not say.
    pub timeout: Option<Duration>,
    /// What its forks must cover between them: missing demands are added (HF-13).
    pub cover: Option<Cover>,
    /// An ordinary WASI component that gets WASI with nothing behind it.
    pub wasi_denied: bool,
}

/// Demands that every batch of forks must cover, one fork each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// The key of a request's context that names what it covers.
    pub key: String,
    /// The values to cover, in order of preference.
    pub values: Vec<String>,
}
