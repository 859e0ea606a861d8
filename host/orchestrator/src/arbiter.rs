//! Virtual time: one baton, handed to the lowest (clock, tree path). Knows clocks and paths; knows nothing of forks, tools
//! or budgets.
//!
//! Invariant: `running` counts the tasks that are not inside a [`Waiting`]. While it is above zero nobody else is woken,
//! so what a task does between two waits is one indivisible step at one moment of virtual time. No real timer is used.

use crate::guarded::Guarded;
use sandfork_model::TaskPath;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// When something happens, and to whom; equal moments go in tree order, then in the order of asking.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    at_ns: u64,
    path: TaskPath,
    serial: u64,
}

enum Entry {
    Wake(oneshot::Sender<()>),
    /// The answer to an ended fork: nobody waits for it, but it is recorded.
    Late(Box<dyn FnOnce() + Send>),
}

#[derive(Default)]
struct State {
    running: usize,
    now_ns: u64,
    serial: u64,
    queue: BTreeMap<Key, Entry>,
}

/// The keeper of virtual time of one run.
pub(crate) struct Arbiter {
    state: Guarded<State>,
}

impl Arbiter {
    /// A clock at 0 with one running task: the run itself.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { state: Guarded::new(State { running: 1, ..State::default() }) })
    }

    /// The moment of the current step.
    pub(crate) fn now_ns(&self) -> u64 {
        self.state.lock().now_ns
    }

    /// Schedules a wake for a task that is not running; it counts as running from the moment it is woken.
    pub(crate) fn enqueue(&self, at_ns: u64, path: &TaskPath, wake: oneshot::Sender<()>) -> Key {
        self.state.lock().insert(at_ns, path, Entry::Wake(wake))
    }

    /// Schedules the record of an answer that nobody waits for any more.
    pub(crate) fn enqueue_late(&self, at_ns: u64, path: &TaskPath, record: Box<dyn FnOnce() + Send>) {
        self.state.lock().insert(at_ns, path, Entry::Late(record));
    }

    /// Brings a scheduled wake forward to the current moment.
    pub(crate) fn hasten(&self, key: &Key) {
        let mut state = self.state.lock();
        if let Some(entry) = state.queue.remove(key) {
            let now_ns = state.now_ns;
            state.insert(now_ns, &key.path, entry);
        }
    }

    /// A running task ends, or begins to wait for a wake that is already scheduled or will be.
    pub(crate) fn leave(&self) {
        self.state.lock().running -= 1;
        self.pass_on();
    }

    /// Records every answer that is still under way to an ended fork; the clock stands still for the run.
    pub(crate) fn drain_late(&self) {
        loop {
            let next = self.state.lock().queue.pop_first();
            match next {
                Some((_, Entry::Late(record))) => record(),
                Some((_, Entry::Wake(_))) => {}
                None => return,
            }
        }
    }

    fn pass_on(&self) {
        loop {
            let mut state = self.state.lock();
            if state.running > 0 {
                return;
            }
            let Some((key, entry)) = state.queue.pop_first() else { return };
            // A late answer may be older than the current moment only by rounding of equal keys, never by design.
            state.now_ns = state.now_ns.max(key.at_ns);
            match entry {
                Entry::Wake(wake) => {
                    // A receiver that is gone was stopped while waiting and has been counted as running since.
                    if wake.send(()).is_ok() {
                        state.running += 1;
                        return;
                    }
                }
                Entry::Late(record) => {
                    // The record speaks to the event log, which asks for the time: not under our lock.
                    state.running += 1;
                    drop(state);
                    record();
                    self.state.lock().running -= 1;
                }
            }
        }
    }
}

impl State {
    fn insert(&mut self, at_ns: u64, path: &TaskPath, entry: Entry) -> Key {
        self.serial += 1;
        let key = Key { at_ns: at_ns.max(self.now_ns), path: path.clone(), serial: self.serial };
        self.queue.insert(key.clone(), entry);
        key
    }
}

/// A wait that keeps the count of running tasks right however it ends: woken, or dropped because the task was stopped.
pub(crate) struct Waiting {
    arbiter: Option<Arc<Arbiter>>,
    wake: oneshot::Receiver<()>,
    is_over: bool,
}

impl Waiting {
    /// Waits for `wake`; under virtual time the task must already have left (or not yet joined) the running ones.
    pub(crate) fn new(arbiter: Option<Arc<Arbiter>>, wake: oneshot::Receiver<()>) -> Self {
        Self { arbiter, wake, is_over: false }
    }
}

impl Future for Waiting {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match Pin::new(&mut self.wake).poll(context) {
            // A sender that is gone cannot be told apart from a wake, and needs not: both end the wait.
            Poll::Ready(_) => {
                self.is_over = true;
                Poll::Ready(())
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(arbiter) = self.arbiter.take() else { return };
        if self.is_over {
            return;
        }
        // Under the lock, so that no wake slips in between looking and closing.
        let mut state = arbiter.state.lock();
        self.wake.close();
        if self.wake.try_recv().is_err() {
            state.running += 1;
        }
    }
}
