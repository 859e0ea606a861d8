//! Where the children of one `spawn` call are awaited: outcomes by place in the request, and the moment at which enough of
//! them have ended. Knows nothing of clocks beyond an alarm to ring.

use crate::arbiter::Waiting;
use crate::clock::{Alarm, Clock};
use crate::guarded::Guarded;
use crate::slots::{Slots, Ticket};
use sandfork_model::{Outcome, ReturnMode, TaskPath};
use std::sync::Arc;

struct State {
    ends: Vec<Option<Arc<Outcome>>>,
    pending: usize,
    ok: usize,
    alarm: Option<Alarm>,
    /// The parent's claim to a slot, made the moment its wait is decided.
    ticket: Option<Ticket>,
    is_decided: bool,
    /// Requests wait for the budget: the parent is woken at every end.
    is_eager: bool,
    /// Somebody ended since the last look, without deciding.
    has_news: bool,
    /// Who ended since the last look, where each end is followed up.
    arrived: Vec<(usize, Arc<Outcome>)>,
    /// The parent was stopped while it waited: nobody will resume.
    is_abandoned: bool,
}

/// The children of one call.
pub(crate) struct Nursery {
    returns: ReturnMode,
    /// Every end is handed over by itself, and never the last: there may be something to follow it.
    is_watched: bool,
    /// The waiting parent; `None` for the run itself, which needs no slot.
    parent: Option<(Arc<Slots>, TaskPath)>,
    state: Guarded<State>,
}

impl Nursery {
    /// Awaits `size` places, of which those never [`Self::expect`]ed stay empty.
    pub(crate) fn new(returns: ReturnMode, size: usize, parent: Option<(Arc<Slots>, TaskPath)>) -> Arc<Self> {
        Arc::new(Self::with(returns, size, parent, false))
    }

    /// A nursery of the run itself, which looks at every end: see [`Self::take_arrived`].
    pub(crate) fn watched() -> Arc<Self> {
        Arc::new(Self::with(ReturnMode::All, 0, None, true))
    }

    fn with(returns: ReturnMode, size: usize, parent: Option<(Arc<Slots>, TaskPath)>, is_watched: bool) -> Self {
        Self {
            returns,
            is_watched,
            parent,
            state: Guarded::new(State {
                ends: vec![None; size],
                pending: 0,
                ok: 0,
                alarm: None,
                ticket: None,
                is_decided: false,
                is_eager: false,
                has_news: false,
                arrived: Vec::new(),
                is_abandoned: false,
            }),
        }
    }

    /// One more child will end.
    pub(crate) fn expect(&self) {
        self.state.lock().pending += 1;
    }

    /// Whether the parent is to be woken at every end, not only at the one that decides.
    pub(crate) fn be_eager(&self, is_eager: bool) {
        self.state.lock().is_eager = is_eager;
    }

    /// A child has ended. Called before it gives its slot back, so that a parent whose wait this decides is in line for it.
    pub(crate) fn end(&self, place: usize, outcome: Arc<Outcome>) {
        let mut state = self.state.lock();
        state.pending = state.pending.saturating_sub(1);
        if self.is_watched {
            state.arrived.push((place, outcome));
            if let Some(alarm) = state.alarm.take() {
                alarm.ring();
            }
            return;
        }
        state.ok += usize::from(outcome.is_ok());
        if let Some(end) = state.ends.get_mut(place) {
            *end = Some(outcome);
        }
        let is_enough = match self.returns {
            ReturnMode::All => false,
            ReturnMode::FirstOk => state.ok >= 1,
            ReturnMode::Quorum(n) => u32::try_from(state.ok).is_ok_and(|ok| ok >= n),
        };
        if state.is_abandoned || state.is_decided {
            return;
        }
        if is_enough || state.pending == 0 {
            state.is_decided = true;
            if let Some(alarm) = state.alarm.take() {
                alarm.ring();
                if let Some((slots, path)) = &self.parent {
                    state.ticket = Some(slots.resume(path));
                }
            }
        } else if state.is_eager {
            state.has_news = true;
            if let Some(alarm) = state.alarm.take() {
                alarm.ring();
            }
        }
    }

    /// Whether somebody ended since the last look.
    pub(crate) fn take_news(&self) -> bool {
        std::mem::take(&mut self.state.lock().has_news)
    }

    /// Who ended since the last look, by place. Of a watched nursery only.
    pub(crate) fn take_arrived(&self) -> Vec<(usize, Arc<Outcome>)> {
        let mut arrived = std::mem::take(&mut self.state.lock().arrived);
        arrived.sort_by_key(|(place, _)| *place);
        arrived
    }

    /// Whether somebody ended since the last look. Of a watched nursery only.
    pub(crate) fn has_arrived(&self) -> bool {
        !self.state.lock().arrived.is_empty()
    }

    /// Whether nobody is awaited.
    pub(crate) fn is_empty(&self) -> bool {
        self.state.lock().pending == 0
    }

    /// Begins the wait, unless it is decided already or there is news. The caller must then leave the clock's running tasks.
    pub(crate) fn begin_wait(&self, clock: &Clock, path: &TaskPath, until_ns: u64) -> Option<Waiting> {
        let mut state = self.state.lock();
        if self.is_watched && (state.pending == 0 || !state.arrived.is_empty()) {
            return None;
        }
        if state.is_decided || state.pending == 0 {
            if let (false, Some((slots, path))) = (state.ticket.is_some(), &self.parent) {
                state.ticket = Some(slots.resume(path));
            }
            state.is_decided = true;
            return None;
        }
        if state.has_news {
            return None;
        }
        let (alarm, waiting) = clock.wait(path, Some(until_ns));
        state.alarm = Some(alarm);
        Some(waiting)
    }

    /// Ties the wait to its caller: a caller that is stopped meanwhile must not be in line for a slot it will never use.
    pub(crate) fn bind(&self) -> Bound<'_> {
        Bound(self)
    }

    /// Whether enough have ended.
    pub(crate) fn is_decided(&self) -> bool {
        self.state.lock().is_decided
    }

    /// The parent's claim to a slot.
    pub(crate) fn take_ticket(&self) -> Option<Ticket> {
        self.state.lock().ticket.take()
    }

    /// What has ended so far, by place in the request.
    pub(crate) fn ends(&self) -> Vec<Option<Arc<Outcome>>> {
        self.state.lock().ends.clone()
    }
}

/// A parent's presence at its nursery.
pub(crate) struct Bound<'a>(&'a Nursery);

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // The ticket gives its place back outside our lock.
        let left_behind = {
            let mut state = self.0.state.lock();
            state.is_abandoned = true;
            (state.alarm.take(), state.ticket.take())
        };
        drop(left_behind);
    }
}
