//! The fuel of one fork, across all its leashes. Knows numbers only: neither the store that burns them nor who grants them.

use sandfork_model::port::{End, Leash, Meter};

/// Which of a leash's two limits an empty tank stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binds {
    /// The fork's fuel.
    Budget,
    /// The virtual deadline.
    Deadline,
}

/// What was burnt before the present leash, and how far that leash reaches.
#[derive(Debug)]
pub(crate) struct Tank {
    used_before: u64,
    filled: u64,
    binds: Binds,
}

impl Tank {
    /// A tank filled by a fork's first leash.
    pub(crate) fn new(leash: Leash) -> Self {
        let (filled, binds) = reach(leash);
        Self { used_before: 0, filled, binds }
    }

    /// What the store's fuel is to be set to.
    pub(crate) fn filled(&self) -> u64 {
        self.filled
    }

    /// What was used since the fork began, when the store has `left` of the present filling.
    pub(crate) fn meter(&self, left: u64) -> Meter {
        Meter { fuel_used: self.used_before.saturating_add(self.filled.saturating_sub(left)) }
    }

    /// Takes the next leash, when the store had `left` of the last one; returns the new filling.
    pub(crate) fn refill(&mut self, left: u64, leash: Leash) -> u64 {
        let used_before = self.meter(left).fuel_used;
        let (filled, binds) = reach(leash);
        *self = Self { used_before, filled, binds };
        filled
    }

    /// How a fork ends whose tank is empty.
    pub(crate) fn empty_end(&self) -> End {
        match self.binds {
            Binds::Budget => End::OutOfFuel,
            Binds::Deadline => End::DeadlineFuel,
        }
    }
}

/// The shorter of the two limits. Where both fall together the budget is named: more time would not have helped.
fn reach(leash: Leash) -> (u64, Binds) {
    match leash.fuel_to_deadline {
        Some(deadline) if deadline < leash.fuel_left => (deadline, Binds::Deadline),
        _ => (leash.fuel_left, Binds::Budget),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leash(fuel_left: u64, fuel_to_deadline: Option<u64>) -> Leash {
        Leash { fuel_left, fuel_to_deadline }
    }

    #[test]
    fn the_shorter_limit_binds_and_names_the_end() {
        for (given, filled, end) in [
            (leash(10, None), 10, End::OutOfFuel),
            (leash(10, Some(11)), 10, End::OutOfFuel),
            (leash(10, Some(10)), 10, End::OutOfFuel),
            (leash(10, Some(9)), 9, End::DeadlineFuel),
            (leash(0, Some(0)), 0, End::OutOfFuel),
        ] {
            let tank = Tank::new(given);
            assert_eq!((tank.filled(), tank.empty_end()), (filled, end), "{given:?}");
        }
    }

    #[test]
    fn use_adds_up_over_leashes() {
        let mut tank = Tank::new(leash(100, None));
        assert_eq!(tank.meter(70).fuel_used, 30);
        assert_eq!(tank.refill(70, leash(1_000, Some(50))), 50);
        assert_eq!(tank.meter(50).fuel_used, 30);
        assert_eq!(tank.meter(0).fuel_used, 80);
        assert_eq!(tank.empty_end(), End::DeadlineFuel);
    }
}
