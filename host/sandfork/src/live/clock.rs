//! What time it is on the run's clock, between its events: real time goes on by itself, virtual time only with them.

use std::time::{Duration, Instant};

/// The run's clock, as far as its events tell.
#[derive(Debug)]
pub(super) enum Clock {
    /// The machine's; `None` before the first event.
    Machine { started: Option<Instant> },
    /// The time of the latest event.
    Events { latest_ns: u64 },
}

impl Clock {
    pub(super) fn of_the_machine() -> Self {
        Self::Machine { started: None }
    }

    pub(super) fn of_events() -> Self {
        Self::Events { latest_ns: 0 }
    }

    /// An event of the run's moment `at_ns` arrived at `now`.
    pub(super) fn hear(&mut self, at_ns: u64, now: Instant) {
        match self {
            Self::Machine { started } => {
                // An instant before the machine's own start cannot be told: then the run began just now.
                started.get_or_insert_with(|| now.checked_sub(Duration::from_nanos(at_ns)).unwrap_or(now));
            }
            Self::Events { latest_ns } => *latest_ns = (*latest_ns).max(at_ns),
        }
    }

    /// Nanoseconds since the run began.
    pub(super) fn now_ns(&self, now: Instant) -> u64 {
        match self {
            Self::Machine { started: None } => 0,
            Self::Machine { started: Some(started) } => {
                u64::try_from(now.saturating_duration_since(*started).as_nanos()).unwrap_or(u64::MAX)
            }
            Self::Events { latest_ns } => *latest_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_time_goes_on_between_events_and_virtual_time_does_not() {
        let begin = Instant::now() + Duration::from_secs(10);
        let later = begin + Duration::from_secs(2);
        let mut real = Clock::of_the_machine();
        real.hear(500, begin);
        real.hear(900, later);
        assert_eq!(real.now_ns(later), 2_000_000_500);
        let mut simulated = Clock::of_events();
        simulated.hear(900, begin);
        simulated.hear(500, begin);
        assert_eq!(simulated.now_ns(later), 900);
    }
}
