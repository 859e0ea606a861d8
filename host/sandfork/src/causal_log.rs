//! The way of a run's events to its sinks: put in causal order, counted, then handed on. There for every run, watched or not,
//! so that its report is the same either way.

use sandfork_causal::CausalSink;
use sandfork_model::{Deliveries, EventSink, Measures};
use sandfork_report::{JudgeSink, Judging};
use std::sync::{Arc, OnceLock};

/// What is known once the log has ended.
pub(crate) struct Measured {
    deliveries: Arc<OnceLock<Deliveries>>,
    judging: Judging,
}

/// The one sink of a run, and what it will have measured.
pub(crate) fn causal_log(sinks: Vec<Box<dyn EventSink>>) -> (Box<dyn EventSink>, Measured) {
    let (judge, judging) = JudgeSink::new();
    let all = std::iter::once(Box::new(judge) as Box<dyn EventSink>).chain(sinks).collect();
    let (sink, deliveries) = CausalSink::new(all);
    (Box::new(sink), Measured { deliveries, judging })
}

impl Measured {
    /// Adds it to what the run itself has counted.
    pub(crate) fn add_to(&self, measures: &mut Measures) {
        measures.deliveries = self.deliveries.get().copied().unwrap_or_default();
        measures.judged = self.judging.result();
    }
}
