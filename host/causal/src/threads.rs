//! The agents' threads: how far each has been applied, and the bounded inbox of what came too early. Knows places and
//! nothing of what stands in them.

use crate::content::Mark;
use std::collections::BTreeMap;

/// What stands at a place of a thread.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Slot<E> {
    /// An event that waits.
    Event(E),
    /// A copy, by this id, of an event that stands elsewhere: passed without effect.
    Passed(Mark),
}

/// Where a place stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Applied, or passed.
    Behind,
    /// Something waits there.
    Held,
    /// The thread's very next one, and nothing waits there.
    Next,
    /// Beyond a gap.
    Ahead,
}

#[derive(Debug)]
struct Line<E> {
    /// The last place applied.
    applied: u64,
    /// The last place that was applied elsewhere, before this ingest began.
    start: u64,
    inbox: BTreeMap<u64, Slot<E>>,
}

/// All threads, by number.
#[derive(Debug)]
pub(crate) struct Threads<E> {
    lines: Vec<Line<E>>,
    held: usize,
}

impl<E> Default for Threads<E> {
    fn default() -> Self {
        Self { lines: Vec::new(), held: 0 }
    }
}

impl<E> Threads<E> {
    /// A thread of which nothing has been applied; its number.
    pub(crate) fn open(&mut self) -> usize {
        self.lines.push(Line { applied: 0, start: 0, inbox: BTreeMap::new() });
        self.lines.len() - 1
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Slots that wait, over all threads.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// The last place applied.
    pub(crate) fn applied(&self, thread: usize) -> u64 {
        self.lines.get(thread).map_or(0, |line| line.applied)
    }

    /// Takes all up to `seq_no` for applied elsewhere: where a checkpoint was confirmed.
    pub(crate) fn start_after(&mut self, thread: usize, seq_no: u64) {
        if let Some(line) = self.lines.get_mut(thread) {
            line.start = line.start.max(seq_no);
            line.applied = line.applied.max(seq_no);
        }
    }

    /// Whether a place was applied elsewhere, before this ingest began.
    pub(crate) fn is_before_start(&self, thread: usize, seq_no: u64) -> bool {
        self.lines.get(thread).is_some_and(|line| seq_no <= line.start)
    }

    /// Events of a thread that wait, in order.
    pub(crate) fn waiting(&self, thread: usize) -> impl Iterator<Item = &E> {
        let slots = self.lines.get(thread).into_iter().flat_map(|line| line.inbox.values());
        slots.filter_map(|slot| match slot {
            Slot::Event(event) => Some(event),
            Slot::Passed(_) => None,
        })
    }

    pub(crate) fn standing(&self, thread: usize, seq_no: u64) -> Standing {
        let Some(line) = self.lines.get(thread) else { return Standing::Ahead };
        if seq_no <= line.applied {
            Standing::Behind
        } else if line.inbox.contains_key(&seq_no) {
            Standing::Held
        } else if seq_no == line.applied + 1 {
            Standing::Next
        } else {
            Standing::Ahead
        }
    }

    /// Keeps a slot at a free place.
    pub(crate) fn hold(&mut self, thread: usize, seq_no: u64, slot: Slot<E>) {
        if let Some(line) = self.lines.get_mut(thread) {
            self.held += usize::from(line.inbox.insert(seq_no, slot).is_none());
        }
    }

    /// What stands at the thread's next place, if it has come.
    pub(crate) fn head(&self, thread: usize) -> Option<&Slot<E>> {
        let line = self.lines.get(thread)?;
        line.inbox.get(&(line.applied + 1))
    }

    /// Takes the head out and moves the thread on by one.
    pub(crate) fn take_head(&mut self, thread: usize) -> Option<Slot<E>> {
        let line = self.lines.get_mut(thread)?;
        let slot = line.inbox.remove(&(line.applied + 1))?;
        line.applied += 1;
        self.held -= 1;
        Some(slot)
    }

    /// Moves a thread on by one whose next event was applied without ever being held.
    pub(crate) fn advance(&mut self, thread: usize) {
        if let Some(line) = self.lines.get_mut(thread) {
            line.applied += 1;
        }
    }

    /// The first and last missing place before the thread's first waiting slot, if there is a gap.
    pub(crate) fn gap(&self, thread: usize) -> Option<(u64, u64)> {
        let line = self.lines.get(thread)?;
        let first = *line.inbox.keys().next()?;
        (first > line.applied + 1).then(|| (line.applied + 1, first - 1))
    }

    /// Every gap of a thread, in order.
    pub(crate) fn gaps(&self, thread: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        let line = self.lines.get(thread);
        let mut expected = line.map_or(0, |line| line.applied) + 1;
        let places = line.into_iter().flat_map(|line| line.inbox.keys().copied());
        places.filter_map(move |place| {
            let gap = (place > expected).then(|| (expected, place - 1));
            expected = place.saturating_add(1);
            gap
        })
    }
}
