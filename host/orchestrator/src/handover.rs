//! From many threads to one, in batches: putting is a push under a lock and hardly ever a system call, because the taker is
//! not woken for each item. Bounded; knows nothing of what is handed over.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How long the taker lets items gather after each batch: what an item may wait for at most, besides the taker itself.
const GATHER: Duration = Duration::from_millis(1);

/// A bounded queue with one taker.
pub(crate) struct Handover<T> {
    state: Mutex<State<T>>,
    capacity: usize,
    /// For the taker: there is something, or enough, or nothing will come any more.
    filled: Condvar,
    /// For putters: there is room again.
    emptied: Condvar,
    /// From here on it is crowded.
    crowd: usize,
    /// For those that wait for room without blocking a thread.
    thinned: Notify,
}

struct State<T> {
    items: Vec<T>,
    /// The taker waits without end for a first item.
    is_taker_asleep: bool,
    is_closed: bool,
    has_taker_left: bool,
}

impl<T> Handover<T> {
    /// An empty queue for at most `capacity` items, crowded from `crowd` on.
    pub(crate) fn new(capacity: usize, crowd: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items: Vec::with_capacity(capacity),
                is_taker_asleep: false,
                is_closed: false,
                has_taker_left: false,
            }),
            capacity,
            filled: Condvar::new(),
            emptied: Condvar::new(),
            crowd,
            thinned: Notify::new(),
        }
    }

    /// Waits until it is not crowded, holding up no thread.
    pub(crate) async fn room(&self) {
        loop {
            let thinned = self.thinned.notified();
            {
                let state = self.lock();
                if state.items.len() < self.crowd || state.has_taker_left || state.is_closed {
                    return;
                }
            }
            thinned.await;
        }
    }

    /// Puts an item; waits while the queue is full. Without a taker, or after [`Self::close`], the item is dropped.
    pub(crate) fn put(&self, item: T) {
        let mut state = self.lock();
        while state.items.len() >= self.capacity && !state.has_taker_left {
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.has_taker_left || state.is_closed {
            return;
        }
        state.items.push(item);
        let is_half_full = state.items.len() == self.crowd.min(self.capacity.div_ceil(2));
        if std::mem::take(&mut state.is_taker_asleep) || is_half_full {
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Swaps everything there is into `batch`, which must be empty, waiting for at least one item; false once nothing will
    /// come any more.
    pub(crate) fn take_all(&self, batch: &mut Vec<T>) -> bool {
        let state = self.lock();
        let is_worth_waiting =
            |state: &mut State<T>| !state.is_closed && state.items.len() < self.crowd.min(self.capacity.div_ceil(2));
        let gathered = self.filled.wait_timeout_while(state, GATHER, is_worth_waiting);
        let (mut state, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        while state.items.is_empty() && !state.is_closed {
            state.is_taker_asleep = true;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_taker_asleep = false;
        std::mem::swap(&mut state.items, batch);
        drop(state);
        self.emptied.notify_all();
        self.thinned.notify_waiters();
        !batch.is_empty()
    }

    /// Nothing will be put any more; what is there can still be taken.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// To be held by the taker: once it is dropped, nobody waits for room.
    pub(crate) fn leaving(&self) -> Leaving<'_, T> {
        Leaving(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The taker's presence.
pub(crate) struct Leaving<'a, T>(&'a Handover<T>);

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        self.0.lock().has_taker_left = true;
        self.0.emptied.notify_all();
        self.0.thinned.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn everything_put_is_taken_in_order_however_small_the_queue() {
        let queue = Arc::new(Handover::new(3, 3));
        let putter = Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            for n in 0..1_000 {
                putter.put(n);
            }
            putter.close();
        });
        let (mut all, mut batch) = (Vec::new(), Vec::new());
        while queue.take_all(&mut batch) {
            assert!(batch.len() <= 3);
            all.append(&mut batch);
        }
        thread.join().expect("the putter ends");
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
    }

    // Without this a sink that fails would stop the run for ever.
    #[test]
    fn a_taker_that_left_keeps_nobody_waiting() {
        let queue = Handover::new(1, 1);
        queue.put(1);
        drop(queue.leaving());
        queue.put(2);
        queue.put(3);
    }

    #[test]
    fn what_was_put_before_the_close_can_be_taken_and_nothing_else() {
        let queue = Handover::new(8, 8);
        queue.put(1);
        queue.close();
        queue.put(2);
        let mut batch = Vec::new();
        assert!(queue.take_all(&mut batch));
        assert_eq!(batch, [1]);
        batch.clear();
        assert!(!queue.take_all(&mut batch));
    }
}
