//! A mutex that outlives a panic: one fork's bug must not poison what its siblings need. Never held across an await.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// State shared between forks.
#[derive(Debug, Default)]
pub(crate) struct Guarded<T>(Mutex<T>);

impl<T> Guarded<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
