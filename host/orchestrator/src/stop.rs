//! Telling a fork to stop, once, with one reason. The first reason stands.

use std::sync::OnceLock;
use tokio::sync::Notify;

/// Why a fork must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Its own wall-clock limit.
    Timeout,
    /// The run's deadline.
    RunDeadline,
    /// Its parent ended.
    ParentEnded,
    /// Its siblings were enough for `first_ok` or `quorum`.
    Decided,
    /// The run's fuse went.
    Fused,
    /// Somebody outside interrupted the run.
    Interrupted,
}

impl Reason {
    /// The word in the `cancelled` event.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::RunDeadline => "run_deadline",
            Self::ParentEnded => "parent_ended",
            Self::Decided => "decided",
            Self::Fused => "fused",
            Self::Interrupted => "interrupted",
        }
    }
}

/// A stop that lands whenever it comes: before the start, while computing, inside a call.
#[derive(Debug, Default)]
pub(crate) struct StopCell {
    reason: OnceLock<Reason>,
    told: Notify,
}

impl StopCell {
    /// Says stop. Later reasons are ignored.
    pub(crate) fn tell(&self, reason: Reason) {
        if self.reason.set(reason).is_ok() {
            self.told.notify_waiters();
        }
    }

    /// Why it was told to stop, if it was.
    pub(crate) fn reason(&self) -> Option<Reason> {
        self.reason.get().copied()
    }

    /// Resolves once the fork is told to stop.
    pub(crate) async fn wait(&self) -> Reason {
        loop {
            let told = self.told.notified();
            if let Some(reason) = self.reason() {
                return reason;
            }
            told.await;
        }
    }
}

/// Interrupts a run from outside, in order: what has finished stays in the report.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(std::sync::Arc<StopCell>);

impl Interrupt {
    /// An interrupt that nobody has tripped.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the run. Trips once; more is no more.
    pub fn trip(&self) {
        self.0.tell(Reason::Interrupted);
    }

    /// Whether it was tripped.
    #[must_use]
    pub fn is_tripped(&self) -> bool {
        self.0.reason().is_some()
    }

    pub(crate) async fn wait(&self) {
        self.0.wait().await;
    }
}
