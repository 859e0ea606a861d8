//! What a fork may use and hand on. Pure set arithmetic; where the sets come from is the gate's business.

use std::collections::BTreeSet;

/// Tools that need no asking: they reach nothing but the orchestrator itself.
pub const ALWAYS_GRANTED: [&str; 4] = ["model", "sleep", "budget", "fork_subagents"];

/// The capabilities of one fork.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// What it may call itself.
    pub tools: BTreeSet<String>,
    /// What it may hand on without having it.
    pub delegate: BTreeSet<String>,
    /// Names of the agents it may fork (`self` is already resolved).
    pub spawn: BTreeSet<String>,
}

impl Grant {
    /// Whether a child of this fork may be given `tool`.
    #[must_use]
    pub fn covers(&self, tool: &str) -> bool {
        ALWAYS_GRANTED.contains(&tool) || self.tools.contains(tool) || self.delegate.contains(tool)
    }
}
