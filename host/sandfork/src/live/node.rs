//! One fork as the view knows it, and the counts of those that it no longer shows one by one.

use sandfork_model::TaskRef;
use std::sync::Arc;

/// How many ended, by how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) ok: u64,
    /// Neither ok nor cancelled: failed, timed out, out of something, blocked.
    pub(super) failed: u64,
    pub(super) cancelled: u64,
    /// Requests that the gate refused: they never were forks.
    pub(super) refused: u64,
}

impl Tally {
    /// Counts an end by the status of its event.
    pub(super) fn count(&mut self, status: &str) {
        match status {
            "ok" => self.ok += 1,
            "cancelled" => self.cancelled += 1,
            _ => self.failed += 1,
        }
    }
}

/// What a fork does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Computing, or in a call that is no spawn.
    Running,
    /// Waiting for children.
    InSpawn,
    /// Ended, with this status.
    Ended(&'static str),
}

/// One fork. The run itself is one too: the parent of its own tasks, never shown as a line.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) task: Arc<TaskRef>,
    pub(super) turns: u64,
    pub(super) fuel_used: u64,
    pub(super) fuel_granted: u64,
    /// On the run's clock; `u64::MAX` where it is not known.
    pub(super) deadline_ns: u64,
    /// Children that run.
    pub(super) alive: u64,
    /// Children that were admitted and have not started.
    pub(super) waiting: u64,
    /// Children that ended, and requests that were refused.
    pub(super) ended: Tally,
    pub(super) end: Option<&'static str>,
}

impl Node {
    pub(super) fn new(task: Arc<TaskRef>, fuel_granted: u64) -> Self {
        Self {
            task,
            turns: 0,
            fuel_used: 0,
            fuel_granted,
            deadline_ns: u64::MAX,
            alive: 0,
            waiting: 0,
            ended: Tally::default(),
            end: None,
        }
    }

    /// A guest that has children waits for them: there is no other way to have any.
    pub(super) fn state(&self) -> State {
        match self.end {
            Some(status) => State::Ended(status),
            None if self.alive > 0 || self.waiting > 0 => State::InSpawn,
            None => State::Running,
        }
    }
}
