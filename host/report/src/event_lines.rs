//! Events as JSON Lines, whole lines a write, so that a log that is cut short still ends with a whole line.

use crate::publish::publish;
use sandfork_model::{Event, EventSink};
use std::io::{self, Write};

/// Bytes gathered before they are written although more events are at hand.
const GATHERED_BYTES: usize = 64 << 10;

/// Puts each event as one line of JSON into `W`. Lines are gathered while events keep coming, and are out as soon as they do
/// not.
#[derive(Debug)]
pub struct EventLines<W> {
    out: W,
    gathered: Vec<u8>,
}

impl<W: Write + Send> EventLines<W> {
    /// Writes into `out`, which needs no buffer of its own.
    pub fn new(out: W) -> Self {
        Self { out, gathered: Vec::new() }
    }
}

/// The same bytes for several: each event is worded once, however many logs it goes to.
#[derive(Default)]
pub struct Copies(pub Vec<Box<dyn Write + Send>>);

impl Write for Copies {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for out in &mut self.0 {
            out.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.iter_mut().try_for_each(Write::flush)
    }
}

impl<W: Write + Send> EventSink for EventLines<W> {
    fn write(&mut self, seq: u64, event: &Event) -> io::Result<()> {
        // Writing to a Vec cannot fail.
        let _ = writeln!(self.gathered, "{}", publish(event.to_json(seq)));
        if self.gathered.len() >= GATHERED_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.gathered);
        self.gathered.clear();
        written.and_then(|()| self.out.flush())
    }
}
