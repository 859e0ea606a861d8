//! What is known of names at one point of a script, and how two ways of getting there join.

use std::collections::BTreeSet;

/// Names at one point.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Set on every way here.
    pub(super) set: BTreeSet<String>,
    /// Set on some way here.
    pub(super) maybe: BTreeSet<String>,
    /// May stand for the outcomes of a spawn.
    pub(super) outcomes: BTreeSet<String>,
}

impl Known {
    /// A name is set from here on.
    pub(super) fn set(&mut self, name: &str, is_outcomes: bool) {
        self.set.insert(name.into());
        self.maybe.insert(name.into());
        if is_outcomes {
            self.outcomes.insert(name.into());
        } else {
            self.outcomes.remove(name);
        }
    }

    /// A name means nothing from here on.
    pub(super) fn forget(&mut self, name: &str) {
        self.set.remove(name);
        self.maybe.remove(name);
        self.outcomes.remove(name);
    }

    /// Here by this way or by another.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.set.retain(|name| other.set.contains(name));
        self.maybe.extend(other.maybe);
        self.outcomes.extend(other.outcomes);
        self
    }
}
