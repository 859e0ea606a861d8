//! Who lives in the pools right now. The gate in front of each pool, so that a pool is never asked for more than it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one [`crate::Sandboxes`]: both profiles together, and the memory mappings they share.
#[derive(Debug)]
pub(crate) struct Census {
    created: AtomicU64,
    live: AtomicU64,
    mappings: u64,
    mappings_taken: AtomicU64,
}

impl Census {
    /// Nobody there yet, and this many memory mappings to share.
    pub(crate) fn new(mappings: u64) -> Self {
        Self { created: AtomicU64::new(0), live: AtomicU64::new(0), mappings, mappings_taken: AtomicU64::new(0) }
    }

    /// Memory mappings that all sandboxes share.
    pub(crate) fn mappings(&self) -> u64 {
        self.mappings
    }

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

    /// Takes a slot and `mappings` memory mappings; `None` when either is used up. Waiting is not offered: a waiting parent
    /// holds its own slot, so a wait here could be a deadlock.
    pub(crate) fn take(self: &Arc<Self>, mappings: u64) -> Option<Slot> {
        take(&self.taken, 1, self.capacity)?;
        // From here on the slot is held, and dropping it gives back what it says.
        let mut slot = Slot { slots: Arc::clone(self), mappings: 0, is_counted: false };
        take(&self.census.mappings_taken, mappings, self.census.mappings)?;
        slot.mappings = mappings;
        slot.is_counted = true;
        self.census.created.fetch_add(1, Ordering::AcqRel);
        self.census.live.fetch_add(1, Ordering::AcqRel);
        Some(slot)
    }
}

fn take(counter: &AtomicU64, n: u64, limit: u64) -> Option<()> {
    let more = |taken: u64| taken.checked_add(n).filter(|sum| *sum <= limit);
    counter.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| ())
}

/// One taken slot, free again when dropped. Must outlive the store that lives in it.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    mappings: u64,
    is_counted: bool,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let census = &self.slots.census;
        if self.is_counted {
            census.live.fetch_sub(1, Ordering::AcqRel);
        }
        census.mappings_taken.fetch_sub(self.mappings, Ordering::AcqRel);
        self.slots.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without the gate the pool would answer with an error in the middle of an instantiation.
    #[test]
    fn a_full_pool_refuses_and_a_dropped_slot_is_free_again() {
        let census = Arc::new(Census::new(100));
        let slots = Arc::new(Slots::new(1, Arc::clone(&census)));
        let first = slots.take(5);
        assert!(first.is_some());
        assert!(slots.take(5).is_none());
        drop(first);
        assert!(slots.take(5).is_some());
        assert_eq!((census.created(), census.live()), (2, 0));
    }

    // Beyond vm.max_map_count the kernel refuses mappings anywhere in the process, not only in sandboxes.
    #[test]
    fn mappings_are_shared_by_all_pools_and_a_refusal_takes_no_slot() {
        let census = Arc::new(Census::new(10));
        let (tight, wide) = (Slots::new(9, Arc::clone(&census)), Slots::new(9, Arc::clone(&census)));
        let (tight, wide) = (Arc::new(tight), Arc::new(wide));
        let held = tight.take(5);
        assert!(wide.take(6).is_none());
        assert!(wide.take(5).is_some());
        drop(held);
        assert_eq!((census.created(), census.live()), (2, 0));
        assert!((0..9).map(|_| tight.take(1)).all(|slot| slot.is_some()), "the refused one left its slot");
    }
}
