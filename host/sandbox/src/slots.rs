//! Who lives in the pools right now. The gate in front of each pool, so that a pool is never asked for more than it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one [`crate::Sandboxes`]: both pools together.
#[derive(Debug, Default)]
pub(crate) struct Census {
    created: AtomicU64,
    live: AtomicU64,
}

impl Census {
    /// Sandboxes ever made.
    pub(crate) fn created(&self) -> u64 {
        self.created.load(Ordering::Acquire)
    }

    /// Sandboxes alive.
    pub(crate) fn live(&self) -> u64 {
        self.live.load(Ordering::Acquire)
    }
}

/// The gate of one pool.
#[derive(Debug)]
pub(crate) struct Slots {
    capacity: u64,
    taken: AtomicU64,
    census: Arc<Census>,
}

impl Slots {
    /// All `capacity` slots free.
    pub(crate) fn new(capacity: u64, census: Arc<Census>) -> Self {
        Self { capacity, taken: AtomicU64::new(0), census }
    }

    /// How many sandboxes fit.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Takes a slot; `None` when all are taken. Waiting is not offered: a waiting parent holds its own slot, so a wait here
    /// could be a deadlock.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Slot> {
        let more = |taken: u64| taken.checked_add(1).filter(|sum| *sum <= self.capacity);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        self.census.created.fetch_add(1, Ordering::AcqRel);
        self.census.live.fetch_add(1, Ordering::AcqRel);
        Some(Slot(Arc::clone(self)))
    }
}

/// One taken slot, free again when dropped. Must outlive the store that lives in it.
#[derive(Debug)]
pub(crate) struct Slot(Arc<Slots>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
        self.0.census.live.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without the gate the pool would answer with an error in the middle of an instantiation.
    #[test]
    fn a_full_pool_refuses_and_a_dropped_slot_is_free_again() {
        let census = Arc::new(Census::default());
        let slots = Arc::new(Slots::new(1, Arc::clone(&census)));
        let first = slots.take();
        assert!(first.is_some());
        assert!(slots.take().is_none());
        drop(first);
        assert!(slots.take().is_some());
        assert_eq!((census.created(), census.live()), (2, 0));
    }
}
