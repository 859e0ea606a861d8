//! How often a plan's task may be done again when it ends badly, and what is different each time (GV-46).

/// Second attempts at one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetrySpec {
    /// The most there are; each costs one of the run's retries.
    pub times: u32,
    /// What each changes, in order; the last one stays for those that follow. Empty: nothing.
    pub changes: Vec<RetryChange>,
}

/// What is different at a second attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryChange {
    /// Nothing: from the checkpoint, with the same means.
    Again,
    /// Half of what it may spend, at least its `budget_min`.
    Shrink,
    /// Another model tier.
    Tier(String),
    /// Another goal, which asks for less.
    Goal(String),
}

impl RetryChange {
    /// The word in a checkpoint.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Shrink => "shrink",
            Self::Tier(_) => "tier",
            Self::Goal(_) => "goal",
        }
    }
}

impl RetrySpec {
    /// What the `nth` retry (from 1) changes.
    #[must_use]
    pub fn change(&self, nth: u32) -> &RetryChange {
        let place = usize::try_from(nth.saturating_sub(1)).unwrap_or(usize::MAX);
        self.changes.get(place).or(self.changes.last()).unwrap_or(&RetryChange::Again)
    }
}
