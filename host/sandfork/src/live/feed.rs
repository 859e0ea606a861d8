//! Where events enter the view: one look at the clock, one step in the tree. Never waits for a terminal, never fails.

use super::{Watched, lock};
use sandfork_model::{Event, EventSink};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The view's sink.
pub(crate) struct Feed {
    watched: Arc<Mutex<Watched>>,
}

impl Feed {
    pub(super) fn new(watched: Arc<Mutex<Watched>>) -> Self {
        Self { watched }
    }
}

impl EventSink for Feed {
    fn write(&mut self, _seq: u64, event: &Event) -> io::Result<()> {
        let mut watched = lock(&self.watched);
        watched.clock.hear(event.at_ns, Instant::now());
        watched.tree.take(event);
        Ok(())
    }
}
