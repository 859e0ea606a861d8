//! The names of a script and the slots they stand for. A name has one slot wherever it is set.

use std::collections::BTreeMap;

/// Names of one script: each takes a slot of every fork's memory, and loops look at all of them after each round.
pub(super) const MAX_NAMES: usize = 256;

/// Names in the order they are first set, `task` first.
#[derive(Debug)]
pub(crate) struct Names(BTreeMap<String, usize>);

impl Names {
    /// Only `task`.
    pub(super) fn new() -> Self {
        Self(BTreeMap::from([("task".to_owned(), 0)]))
    }

    /// Numbers a name, unless it has a number already; false if there are too many.
    pub(super) fn add(&mut self, name: &str) -> bool {
        let next = self.0.len();
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), next);
        }
        self.0.len() <= MAX_NAMES
    }

    /// The number of a name.
    pub(crate) fn slot(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// How many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
