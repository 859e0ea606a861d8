//! How many sandboxes the host has, whoever's run wants them. Never waits: what does not fit is refused (`host_full`).

use sandfork_model::Footprint;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The host's sandboxes.
#[derive(Debug)]
pub struct Seats {
    capacity: u64,
    taken: AtomicU64,
    /// How many of them may be large.
    large_capacity: AtomicU64,
    large_taken: AtomicU64,
}

/// One sandbox reserved; given back on drop.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    footprint: Footprint,
}

impl Seats {
    /// `capacity` sandboxes, none taken; any of them may be large.
    #[must_use]
    pub fn new(capacity: u64) -> Arc<Self> {
        Arc::new(Self {
            capacity,
            taken: AtomicU64::new(0),
            large_capacity: AtomicU64::new(capacity),
            large_taken: AtomicU64::new(0),
        })
    }

    /// From now on at most so many of them are large. Those that are taken stay taken.
    pub fn hold_large_to(&self, capacity: u64) {
        self.large_capacity.store(capacity, Ordering::Release);
    }

    /// Reserves a seat if one is free.
    pub(crate) fn take(self: &Arc<Self>, footprint: Footprint) -> Option<Seat> {
        if footprint == Footprint::Large {
            count(&self.large_taken, self.large_capacity.load(Ordering::Acquire))?;
        }
        if count(&self.taken, self.capacity).is_none() {
            self.give_large_back(footprint);
            return None;
        }
        Some(Seat { seats: Arc::clone(self), footprint })
    }

    /// How many sandboxes of this footprint there may be.
    pub(crate) fn capacity(&self, footprint: Footprint) -> u64 {
        match footprint {
            Footprint::Small => self.capacity,
            Footprint::Large => self.capacity.min(self.large_capacity.load(Ordering::Acquire)),
        }
    }

    fn give_large_back(&self, footprint: Footprint) {
        if footprint == Footprint::Large {
            self.large_taken.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// One more, if that is not too many.
fn count(taken: &AtomicU64, capacity: u64) -> Option<u64> {
    taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| (taken < capacity).then_some(taken + 1)).ok()
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.taken.fetch_sub(1, Ordering::AcqRel);
        self.seats.give_large_back(self.footprint);
    }
}

#[cfg(test)]
mod tests {
    use super::Seats;
    use sandfork_model::Footprint::{Large, Small};

    #[test]
    fn a_dropped_seat_can_be_taken_again() {
        let seats = Seats::new(1);
        let seat = seats.take(Small);
        assert!(seat.is_some());
        assert!(seats.take(Small).is_none(), "only one");
        drop(seat);
        assert!(seats.take(Small).is_some());
    }

    // A refusal must take nothing of either kind, or the host would fill up with refusals.
    #[test]
    fn large_seats_are_seats_too_and_all_come_back() {
        let seats = Seats::new(2);
        seats.hold_large_to(1);
        let large = seats.take(Large);
        assert!(large.is_some() && seats.take(Large).is_none());
        let small = seats.take(Small);
        assert!(small.is_some());
        drop(large);
        let other = seats.take(Small);
        assert!(other.is_some() && seats.take(Large).is_none(), "no seat at all");
        drop((small, other));
        assert!(seats.take(Large).is_some(), "what was refused took no large seat");
    }
}
