//! Who may compute now: `max_concurrency` slots, resuming parents before new starts, each in order of asking. Queues,
//! never refuses (HF-27, X-3).

use crate::arbiter::Waiting;
use crate::clock::Clock;
use crate::guarded::Guarded;
use sandfork_model::TaskPath;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

struct Waiter {
    path: TaskPath,
    wake: oneshot::Sender<()>,
    is_assigned: Arc<AtomicBool>,
}

#[derive(Default)]
struct Queues {
    free: u64,
    resuming: VecDeque<Waiter>,
    starting: VecDeque<Waiter>,
}

/// The slots of one run.
pub(crate) struct Slots {
    clock: Clock,
    queues: Guarded<Queues>,
}

/// A place in the queue for a slot. Dropped before its time, it gives the place, or the slot, back.
pub(crate) struct Ticket {
    slots: Arc<Slots>,
    waiting: Waiting,
    is_assigned: Arc<AtomicBool>,
    is_taken: bool,
}

impl Slots {
    pub(crate) fn new(clock: Clock, count: u64) -> Arc<Self> {
        Arc::new(Self { clock, queues: Guarded::new(Queues { free: count, ..Queues::default() }) })
    }

    /// Asks for a slot to start in.
    pub(crate) fn start(self: &Arc<Self>, path: &TaskPath) -> Ticket {
        self.ask(path, |queues| &mut queues.starting)
    }

    /// Asks for a slot to resume in.
    pub(crate) fn resume(self: &Arc<Self>, path: &TaskPath) -> Ticket {
        self.ask(path, |queues| &mut queues.resuming)
    }

    fn ask(self: &Arc<Self>, path: &TaskPath, line: impl Fn(&mut Queues) -> &mut VecDeque<Waiter>) -> Ticket {
        let (wake, woken) = oneshot::channel();
        let is_assigned = Arc::new(AtomicBool::new(false));
        let waiter = Waiter { path: path.clone(), wake, is_assigned: Arc::clone(&is_assigned) };
        line(&mut self.queues.lock()).push_back(waiter);
        self.assign();
        Ticket { slots: Arc::clone(self), waiting: self.clock.waiting(woken), is_assigned, is_taken: false }
    }

    /// Gives a slot back.
    pub(crate) fn release(&self) {
        self.queues.lock().free += 1;
        self.assign();
    }

    fn assign(&self) {
        loop {
            let mut queues = self.queues.lock();
            if queues.free == 0 {
                return;
            }
            let Some(next) = queues.resuming.pop_front().or_else(|| queues.starting.pop_front()) else { return };
            queues.free -= 1;
            next.is_assigned.store(true, Ordering::Release);
            drop(queues);
            // If the ticket is gone meanwhile, its drop has seen the assignment and gives the slot back.
            self.clock.wake(&next.path, next.wake);
        }
    }
}

impl Future for Ticket {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let polled = Pin::new(&mut self.waiting).poll(context);
        if polled.is_ready() {
            self.is_taken = true;
        }
        polled
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.is_taken {
            return;
        }
        {
            let mut queues = self.slots.queues.lock();
            let assigned = &self.is_assigned;
            queues.resuming.retain(|waiter| !Arc::ptr_eq(&waiter.is_assigned, assigned));
            queues.starting.retain(|waiter| !Arc::ptr_eq(&waiter.is_assigned, assigned));
        }
        if self.is_assigned.load(Ordering::Acquire) {
            self.slots.release();
        }
    }
}
