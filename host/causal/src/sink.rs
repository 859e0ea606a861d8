//! What stands between the run's event writer and its sinks: they get every event once and in causal order, or the run is
//! told that the host broke.

use crate::own_log::{OwnLog, Violation};
use sandfork_model::{Deliveries, Event, EventSink};
use std::io;
use std::sync::{Arc, OnceLock};

/// Sinks behind a causal order.
pub struct CausalSink {
    log: OwnLog,
    sinks: Vec<Box<dyn EventSink>>,
    seq: u64,
    counted: Arc<OnceLock<Deliveries>>,
}

impl CausalSink {
    /// Puts `sinks` behind the order. What all deliveries came to is told through the second part, at the end of the log.
    #[must_use]
    pub fn new(sinks: Vec<Box<dyn EventSink>>) -> (Self, Arc<OnceLock<Deliveries>>) {
        let counted = Arc::new(OnceLock::new());
        (Self { log: OwnLog::default(), sinks, seq: 0, counted: Arc::clone(&counted) }, counted)
    }

    fn pass(&mut self, event: &Event) -> io::Result<()> {
        self.seq += 1;
        self.sinks.iter_mut().try_for_each(|sink| sink.write(self.seq, event))
    }
}

impl EventSink for CausalSink {
    fn write(&mut self, _arrival: u64, event: &Event) -> io::Result<()> {
        if self.log.offer(event).map_err(broken)? {
            self.pass(event)?;
        }
        while let Some(event) = self.log.released() {
            self.pass(&event)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| sink.flush())
    }

    fn close(&mut self) -> io::Result<()> {
        // Only the first count of a log stands; there is one.
        let _ = self.counted.set(self.log.finish().map_err(broken)?);
        self.sinks.iter_mut().try_for_each(|sink| sink.close())
    }
}

fn broken(violation: Violation) -> io::Error {
    io::Error::other(violation)
}
