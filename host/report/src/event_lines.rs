//! Events as JSON Lines, one write a line, so that a log that is cut short still ends with a whole line.

use crate::publish::publish;
use sandfork_model::{Event, EventSink};
use std::io::{self, Write};

/// Puts each event as one line of JSON into `W`.
#[derive(Debug)]
pub struct EventLines<W> {
    out: W,
}

impl<W: Write + Send> EventLines<W> {
    /// Writes into `out`, unbuffered: the caller may read along.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> EventSink for EventLines<W> {
    fn write(&mut self, seq: u64, event: &Event) -> io::Result<()> {
        let mut line = publish(event.to_json(seq)).to_string();
        line.push('\n');
        self.out.write_all(line.as_bytes())
    }
}
