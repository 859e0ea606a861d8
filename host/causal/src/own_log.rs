//! The run's own log, in causal order before it is written. Threads of the host race for the queue, so that an event may
//! overtake the one before it: it waits here for a moment. Anything else (a second copy, a cause that never comes) is a fault
//! of the host. Ids are places here, not texts: an event costs two look-ups and no allocation.

use crate::threads::{Slot, Standing, Threads};
use sandfork_model::{Deliveries, Event, EventBody, EventId};
use std::collections::HashMap;
use std::sync::Arc;

/// Events that may wait at one time. The host's threads are few and each is an event ahead at most; this many means that one
/// was lost.
const HELD_EVENTS: usize = 65_536;

/// The host wrote a log that cannot be: its own fault, never an agent's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Two events at one place.
    #[error("event {0} was written twice")]
    Twice(EventId),
    /// Events that follow from one that was never written.
    #[error("event {event} was written, and what it follows from never was ({missing})")]
    Lost {
        /// The first that waits.
        event: EventId,
        /// What it waits for.
        missing: EventId,
    },
    /// Too many of those.
    #[error("{HELD_EVENTS} events wait for one that was never written")]
    Flood,
}

/// The order of one run's own events.
#[derive(Debug, Default)]
pub struct OwnLog {
    numbers: HashMap<Arc<str>, usize>,
    threads: Threads<Event>,
    /// Thread and place of a cause, to the threads whose heads wait for it.
    waits: HashMap<(usize, u64), Vec<usize>>,
    /// Threads to look at: something they may have waited for was applied.
    todo: Vec<usize>,
    /// The thread of the last event: most follow one of the same.
    last: Option<(Arc<str>, usize)>,
    counts: Deliveries,
}

impl OwnLog {
    /// Takes an event; true if it is to be applied now. [`Self::released`] then gives what had waited for it.
    ///
    /// # Errors
    /// When the host wrote what cannot be.
    pub fn offer(&mut self, event: &Event) -> Result<bool, Violation> {
        self.counts.delivered += 1;
        let thread = self.number(event.thread());
        match self.threads.standing(thread, event.seq_no) {
            Standing::Behind | Standing::Held => {
                self.counts.duplicates += 1;
                return Err(Violation::Twice(event.id()));
            }
            Standing::Next if self.awaits(event).is_none() => {
                self.threads.advance(thread);
                self.applied(thread, event.seq_no);
                return Ok(true);
            }
            Standing::Next | Standing::Ahead => {}
        }
        if self.threads.held() >= HELD_EVENTS {
            return Err(Violation::Flood);
        }
        self.counts.held += 1;
        self.threads.hold(thread, event.seq_no, Slot::Event(event.clone()));
        self.todo.push(thread);
        Ok(false)
    }

    /// The next event that no longer waits; `None` once there is none.
    pub fn released(&mut self) -> Option<Event> {
        while let Some(thread) = self.todo.pop() {
            let Some(Slot::Event(head)) = self.threads.head(thread) else { continue };
            let cause = head.cause.clone();
            if let Some(cause) = cause.and_then(|cause| self.open_place(&cause)) {
                let waiting = self.waits.entry(cause).or_default();
                if !waiting.contains(&thread) {
                    waiting.push(thread);
                }
                continue;
            }
            if let Some(Slot::Event(event)) = self.threads.take_head(thread) {
                self.todo.push(thread);
                self.applied(thread, event.seq_no);
                return Some(event);
            }
        }
        None
    }

    /// The log is whole: nothing waits any more, late answers aside, which may be cut off by the run's end.
    ///
    /// # Errors
    /// The first event that waits for one that was never written.
    pub fn finish(&self) -> Result<Deliveries, Violation> {
        let mut first = None;
        for event in (0..self.threads.len()).flat_map(|thread| self.threads.waiting(thread)) {
            if matches!(event.body, EventBody::LateResultDropped { .. }) {
                continue;
            }
            let lost = Violation::Lost { event: event.id(), missing: self.missing(event) };
            // Told is what is really not there, rather than what waits for it as well.
            if let Violation::Lost { missing, .. } = &lost
                && self.standing(missing) == Standing::Next
            {
                return Err(lost);
            }
            first.get_or_insert(lost);
        }
        first.map_or(Ok(self.counts), Err)
    }

    /// What a waiting event waits for: the next of its thread, or its cause.
    fn missing(&self, event: &Event) -> EventId {
        let applied = self.numbers.get(event.thread()).map_or(0, |thread| self.threads.applied(*thread));
        let next = EventId { task_id: Arc::clone(event.thread()), seq_no: applied + 1 };
        if next == event.id() { event.cause.clone().unwrap_or(next) } else { next }
    }

    fn standing(&self, id: &EventId) -> Standing {
        self.numbers.get(&id.task_id).map_or(Standing::Next, |thread| self.threads.standing(*thread, id.seq_no))
    }

    fn applied(&mut self, thread: usize, seq_no: u64) {
        self.counts.applied += 1;
        if self.threads.held() > 0 {
            self.todo.push(thread);
            self.todo.extend(self.waits.remove(&(thread, seq_no)).into_iter().flatten());
        }
    }

    /// The place of its cause, if that has not been applied.
    fn awaits(&mut self, event: &Event) -> Option<(usize, u64)> {
        event.cause.as_ref().and_then(|cause| self.open_place(cause))
    }

    fn open_place(&mut self, id: &EventId) -> Option<(usize, u64)> {
        let thread = self.number(&id.task_id);
        (self.threads.applied(thread) < id.seq_no).then_some((thread, id.seq_no))
    }

    fn number(&mut self, name: &Arc<str>) -> usize {
        if let Some((last, thread)) = &self.last
            && Arc::ptr_eq(last, name)
        {
            return *thread;
        }
        let thread = match self.numbers.get(name) {
            Some(thread) => *thread,
            None => {
                let thread = self.threads.open();
                self.numbers.insert(Arc::clone(name), thread);
                thread
            }
        };
        self.last = Some((Arc::clone(name), thread));
        thread
    }
}
