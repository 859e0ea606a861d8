//! A future whose panics are values: a host bug fails one fork, not the process. Knows nothing of what it guards.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A boxed future, polled and dropped under a guard. It is dropped as soon as it has panicked or finished.
pub(crate) struct Guarded<F>(Option<Pin<Box<F>>>);

impl<F: Future> Guarded<F> {
    /// Guards `future`.
    pub(crate) fn new(future: F) -> Self {
        Self(Some(Box::pin(future)))
    }

    /// Drops the future; a panic while dropping is the answer then.
    fn discard(&mut self) -> Result<(), String> {
        let future = self.0.take();
        // What the future held is gone either way; nothing half-changed can be seen afterwards.
        catch_unwind(AssertUnwindSafe(|| drop(future))).map_err(words)
    }
}

impl<F: Future> Future for Guarded<F> {
    type Output = Result<F::Output, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = self.0.as_mut() else {
            return Poll::Ready(Err("polled after its end".into()));
        };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(self.discard().map(|()| value)),
            Err(panic) => {
                // The first panic is the cause; one that follows while cleaning up adds nothing.
                let _ = self.discard();
                Poll::Ready(Err(words(panic)))
            }
        }
    }
}

impl<F> Drop for Guarded<F> {
    fn drop(&mut self) {
        let future = self.0.take();
        // A fork that is dropped from outside has nobody left to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(future)));
    }
}

/// What a panic said, cut to a size a log can carry.
fn words(panic: Box<dyn Any + Send>) -> String {
    const LONGEST_CHARS: usize = 1_000;
    let text = panic
        .downcast_ref::<&'static str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without text".to_owned());
    text.chars().take(LONGEST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_value_and_the_process_goes_on() {
        assert_eq!(Guarded::new(async { 7 }).await, Ok(7));
        assert_eq!(Guarded::new(async { panic!("boom {}", 1) }).await, Err::<(), _>("boom 1".into()));
    }
}
