//! The run's clock: real or virtual, one interface. Nothing else in the room knows which.

use crate::arbiter::{Arbiter, Key, Waiting};
use sandfork_model::TaskPath;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Which clock a run goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The machine's monotonic clock.
    Real,
    /// Discrete time, moved by think, sleep, scripted delays and 1 ns per unit of fuel.
    Virtual,
}

#[derive(Clone)]
pub(crate) enum Clock {
    Real { started: Instant },
    Virtual(Arc<Arbiter>),
}

impl Clock {
    pub(crate) fn start(pace: Pace) -> Self {
        match pace {
            Pace::Real => Self::Real { started: Instant::now() },
            Pace::Virtual => Self::Virtual(Arbiter::new()),
        }
    }

    /// Nanoseconds since the run began.
    pub(crate) fn now_ns(&self) -> u64 {
        match self {
            Self::Real { started } => nanos(started.elapsed()),
            Self::Virtual(arbiter) => arbiter.now_ns(),
        }
    }

    /// The instant a moment of the run stands for, in real time only.
    pub(crate) fn instant(&self, at_ns: u64) -> Option<tokio::time::Instant> {
        match self {
            Self::Real { started } => Some((*started + Duration::from_nanos(at_ns)).into()),
            Self::Virtual(_) => None,
        }
    }

    pub(crate) fn is_virtual(&self) -> bool {
        matches!(self, Self::Virtual(_))
    }

    fn arbiter(&self) -> Option<Arc<Arbiter>> {
        match self {
            Self::Real { .. } => None,
            Self::Virtual(arbiter) => Some(Arc::clone(arbiter)),
        }
    }

    /// Under virtual time: waits until it is this fork's turn at `at_ns`. In real time everybody's turn is now.
    pub(crate) async fn turn_at(&self, at_ns: u64, path: &TaskPath) {
        if let Self::Virtual(arbiter) = self {
            let (wake, woken) = oneshot::channel();
            arbiter.enqueue(at_ns, path, wake);
            arbiter.leave();
            Waiting::new(Some(Arc::clone(arbiter)), woken).await;
        }
    }

    /// Lets a task that waits elsewhere go on: at once in real time, at its turn now under virtual time.
    pub(crate) fn wake(&self, path: &TaskPath, wake: oneshot::Sender<()>) {
        match self {
            // A receiver that is gone no longer wants to be woken.
            Self::Real { .. } => drop(wake.send(())),
            Self::Virtual(arbiter) => drop(arbiter.enqueue(arbiter.now_ns(), path, wake)),
        }
    }

    /// A wait for a wake that somebody else will send; the task stops counting as running. With `until_ns` the wake comes
    /// by itself at that moment under virtual time, unless [`Alarm::hasten`] brings it forward.
    pub(crate) fn wait(&self, path: &TaskPath, until_ns: Option<u64>) -> (Alarm, Waiting) {
        let (wake, woken) = oneshot::channel();
        let waiting = Waiting::new(self.arbiter(), woken);
        match (self, until_ns) {
            (Self::Virtual(arbiter), Some(until_ns)) => {
                let key = arbiter.enqueue(until_ns, path, wake);
                (Alarm::Scheduled(Arc::clone(arbiter), key), waiting)
            }
            _ => (Alarm::Sender(self.clone(), path.clone(), wake), waiting),
        }
    }

    /// A wait of a task that is not running yet or has left already.
    pub(crate) fn waiting(&self, woken: oneshot::Receiver<()>) -> Waiting {
        Waiting::new(self.arbiter(), woken)
    }

    /// The task ends, or goes to wait.
    pub(crate) fn leave(&self) {
        if let Self::Virtual(arbiter) = self {
            arbiter.leave();
        }
    }

    /// Records an answer that arrives after its fork has ended, at the moment it would have arrived. In real time nobody
    /// waits for it: it is recorded if the run is still there.
    pub(crate) fn record_late(&self, at_ns: u64, path: &TaskPath, record: Box<dyn FnOnce() + Send>) {
        match self {
            Self::Virtual(arbiter) => arbiter.enqueue_late(at_ns, path, record),
            Self::Real { started } => {
                let at = tokio::time::Instant::from_std(*started + Duration::from_nanos(at_ns));
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(async move {
                        tokio::time::sleep_until(at).await;
                        record();
                    });
                }
            }
        }
    }

    /// Drains what [`Self::record_late`] still holds under virtual time.
    pub(crate) fn drain_late(&self) {
        if let Self::Virtual(arbiter) = self {
            arbiter.drain_late();
        }
    }
}

/// The right to end somebody's wait.
pub(crate) enum Alarm {
    Sender(Clock, TaskPath, oneshot::Sender<()>),
    Scheduled(Arc<Arbiter>, Key),
}

impl Alarm {
    /// Ends the wait now.
    pub(crate) fn ring(self) {
        match self {
            Self::Sender(clock, path, wake) => clock.wake(&path, wake),
            Self::Scheduled(arbiter, key) => arbiter.hasten(&key),
        }
    }
}

/// Whole nanoseconds; what does not fit is 584 years.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
