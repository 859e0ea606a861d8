//! The one event writer: gives each event its `seq` in order of arrival, counts it, and hands it to the sinks on a thread of
//! its own. The queue is bounded: a sink that cannot keep up slows the run, it does not fill memory.

use crate::guarded::Guarded;
use crate::handover::Handover;
use sandfork_model::event::EventType;
use sandfork_model::{Event, EventBody, EventSink};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Events waiting for the sinks before whoever calls the host is held up, without blocking a thread.
const CROWDED_EVENTS: usize = 2048;
/// Events waiting for the sinks at most: 16 384 of about 200 bytes are 3 MiB. Only forks that were let in before it got
/// crowded add to it, a few events each, so that a thread hardly ever waits here.
const QUEUED_EVENTS: usize = 16_384;

/// The log of one run.
pub(crate) struct Log {
    counts: [AtomicU64; EventBody::TYPES.len()],
    queue: Option<Arc<Handover<Event>>>,
    writer: Guarded<Option<JoinHandle<()>>>,
    fault: Arc<OnceLock<String>>,
}

impl Log {
    /// Starts the writer; without sinks events are counted only.
    pub(crate) fn open(sinks: Vec<Box<dyn EventSink>>) -> Self {
        let fault = Arc::new(OnceLock::new());
        let (queue, writer) = if sinks.is_empty() {
            (None, None)
        } else {
            let queue = Arc::new(Handover::new(QUEUED_EVENTS, CROWDED_EVENTS));
            let (taken, noted) = (Arc::clone(&queue), Arc::clone(&fault));
            let spawned = std::thread::Builder::new().name("events".into()).spawn(move || write(&taken, sinks, &noted));
            match spawned {
                Ok(thread) => (Some(queue), Some(thread)),
                Err(error) => {
                    let _ = fault.set(format!("cannot start the event writer: {error}"));
                    (None, None)
                }
            }
        };
        Self { counts: std::array::from_fn(|_| AtomicU64::new(0)), queue, writer: Guarded::new(writer), fault }
    }

    /// Appends one event.
    pub(crate) fn append(&self, event: Event) {
        if let Some(count) = self.counts.get(event.body.ordinal()) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(queue) = &self.queue {
            // The writer only goes away after a fault, which is reported at the end.
            queue.put(event);
        }
    }

    /// Waits until the sinks have caught up. A sink that cannot keep up slows the forks that speak, never the clock of those
    /// that do not (HOSTILE 12).
    pub(crate) async fn room(&self) {
        if let Some(queue) = &self.queue {
            queue.room().await;
        }
    }

    /// Events by type so far, types that never happened left out.
    pub(crate) fn counts(&self) -> BTreeMap<EventType, u64> {
        EventBody::TYPES
            .iter()
            .zip(&self.counts)
            .map(|(name, count)| (*name, count.load(Ordering::Relaxed)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// Waits until every event has reached the sinks; what went wrong there is a host fault.
    pub(crate) fn close(&self) -> Result<(), String> {
        if let Some(queue) = &self.queue {
            queue.close();
        }
        if let Some(writer) = self.writer.lock().take()
            && writer.join().is_err()
        {
            return Err("the event writer panicked".into());
        }
        self.fault.get().cloned().map_or(Ok(()), Err)
    }
}

/// A log that is dropped unclosed, because its run was, lets its writer end.
impl Drop for Log {
    fn drop(&mut self) {
        if let Some(queue) = &self.queue {
            queue.close();
        }
    }
}

fn write(queue: &Handover<Event>, mut sinks: Vec<Box<dyn EventSink>>, fault: &OnceLock<String>) {
    // However this thread ends, nobody waits for it afterwards.
    let _left = queue.leaving();
    let mut seq = 0;
    let mut batch = Vec::new();
    while queue.take_all(&mut batch) {
        for event in batch.drain(..) {
            seq += 1;
            for sink in &mut sinks {
                if let Err(error) = sink.write(seq, &event) {
                    let _ = fault.set(format!("event {seq} cannot be written: {error}"));
                    return;
                }
            }
        }
        for sink in &mut sinks {
            if let Err(error) = sink.flush() {
                let _ = fault.set(format!("the events up to {seq} cannot be written: {error}"));
                return;
            }
        }
    }
    for sink in &mut sinks {
        if let Err(error) = sink.close() {
            let _ = fault.set(format!("the event log does not hold: {error}"));
            return;
        }
    }
}
