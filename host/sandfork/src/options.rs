//! How one run differs from another of the same plan.

use sandfork_model::{EventSink, TranscriptSink};
use sandfork_orchestrator::Interrupt;
use std::io::Write;
use std::sync::Arc;

/// Options of one run; the default is a run in real time, forks side by side, on a copy of the workspace, unwatched.
#[derive(Default)]
pub struct RunOptions {
    /// Let simulated time pass instead of real time: reports, events and transcripts are then the same bytes every time.
    pub virtual_time: bool,
    /// One fork at a time.
    pub serial: bool,
    /// The run's id; `NAME-N` with the first free N where absent, NAME under virtual time.
    pub run_id: Option<String>,
    /// Let the file tools work on the plan's workspace itself.
    pub in_place: bool,
    /// Keep the event log in the run's directory, one JSON document a line.
    pub keep_events: bool,
    /// Where the event log goes besides, in the same form.
    pub events: Option<Box<dyn Write + Send>>,
    /// Where events go in any other form.
    pub sinks: Vec<Box<dyn EventSink>>,
    /// Where transcripts go.
    pub transcript: Option<Arc<dyn TranscriptSink>>,
    /// The way to stop the run from outside.
    pub interrupt: Interrupt,
}

impl RunOptions {
    /// Virtual time, otherwise all defaults.
    #[must_use]
    pub fn in_virtual_time() -> Self {
        Self { virtual_time: true, ..Self::default() }
    }
}
