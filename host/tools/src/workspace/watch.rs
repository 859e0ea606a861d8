//! Tells work on a blocking thread that nobody waits for it any more. Such work stops at its next look and changes nothing
//! after that: a fork that has ended has no effects.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Held by who waits; its drop is the word.
pub(crate) struct Guard(Arc<AtomicBool>);

/// Held by who works.
#[derive(Clone)]
pub(crate) struct Watch(Arc<AtomicBool>);

impl Watch {
    /// Both ends.
    pub(crate) fn pair() -> (Guard, Self) {
        let flag = Arc::new(AtomicBool::new(false));
        (Guard(Arc::clone(&flag)), Self(flag))
    }

    /// Whether the one who asked has gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
