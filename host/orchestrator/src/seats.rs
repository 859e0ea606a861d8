//! How many sandboxes the host has, whoever's run wants them. Never waits: what does not fit is refused (`host_full`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The host's sandboxes.
#[derive(Debug)]
pub struct Seats {
    capacity: u64,
    taken: AtomicU64,
}

/// One sandbox reserved; given back on drop.
#[derive(Debug)]
pub(crate) struct Seat(Arc<Seats>);

impl Seats {
    /// `capacity` sandboxes, none taken.
    #[must_use]
    pub fn new(capacity: u64) -> Arc<Self> {
        Arc::new(Self { capacity, taken: AtomicU64::new(0) })
    }

    /// Reserves a seat if one is free.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Seat> {
        self.taken
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| (taken < self.capacity).then_some(taken + 1))
            .ok()
            .map(|_| Seat(Arc::clone(self)))
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::Seats;

    #[test]
    fn a_dropped_seat_can_be_taken_again() {
        let seats = Seats::new(1);
        let seat = seats.take();
        assert!(seat.is_some());
        assert!(seats.take().is_none(), "only one");
        drop(seat);
        assert!(seats.take().is_some());
    }
}
