//! What a run is made of, handed in by whoever wires the rooms, and the third kind of no: the host itself broke.

use crate::clock::Pace;
use crate::seats::Seats;
use crate::stop::Interrupt;
use sandfork_model::{
    ArtifactStore, EventSink, Footprint, Plan, RunId, Runtime, TaskReader, ToolProvider, ToolSpec, TranscriptSink,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The behaviour of one agent of the plan, as bytes.
#[derive(Clone, Debug)]
pub struct AgentCode {
    /// The component, whatever it is: a broken one is the fork's failure, not the run's.
    pub component: Arc<[u8]>,
    /// The tools its manifest asks for; `None` without a manifest.
    pub manifest_tools: Option<Vec<String>>,
    /// Which of the host's sandboxes it needs.
    pub footprint: Footprint,
}

/// Everything a run needs.
pub struct RunInput {
    /// What to do.
    pub plan: Arc<Plan>,
    /// The names of this run.
    pub run: RunId,
    /// Code by agent name.
    pub agents: HashMap<String, AgentCode>,
    /// Providers; two of one name are a host fault.
    pub tools: Vec<Arc<dyn ToolProvider>>,
    /// Specs of the tools that the orchestrator answers itself (`budget`, `fork_subagents`).
    pub specs: Vec<ToolSpec>,
    /// Reads what a planner returns, where the plan has one.
    pub task_reader: Arc<dyn TaskReader>,
    /// The room below.
    pub runtime: Arc<dyn Runtime>,
    /// The host's sandboxes, shared by all its runs.
    pub seats: Arc<Seats>,
    /// Which clock.
    pub pace: Pace,
    /// One fork at a time (`max_concurrency` 1).
    pub serial: bool,
    /// Where events go.
    pub sinks: Vec<Box<dyn EventSink>>,
    /// Where the run's artifacts are kept; without it what is too large for a message is cut and lost.
    pub artifacts: Option<Arc<dyn ArtifactStore>>,
    /// Where transcripts go, if asked for.
    pub transcript: Option<Arc<dyn TranscriptSink>>,
    /// The way to stop the run from outside.
    pub interrupt: Interrupt,
}

/// The host itself broke: the run's promise cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Broken {
    /// What broke.
    pub message: String,
}

impl Broken {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}
