//! The names a plan may use: which tools there are, what a name looks like, and what was probably meant.

use sandfork_model::id::is_valid_name;
use sandfork_source::{Place, Problems, nearest, quote};
use std::collections::HashSet;

/// The tools that are there without being written in a plan.
pub const BUILT_IN_TOOLS: [&str; 11] = [
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "search_files",
    "model",
    "sleep",
    "budget",
    "fork_subagents",
    "artifact_put",
    "artifact_get",
];

/// Whether `name` may name a run: it becomes a part of run ids and of directory names.
pub(crate) fn is_run_name(name: &str) -> bool {
    is_name(name) && !name.contains('.')
}

/// Whether `name` may name an agent or a tool.
pub(crate) fn is_name(name: &str) -> bool {
    is_valid_name(name)
}

/// A set of names that others refer to, in file order for hints.
pub(crate) struct Known<'a> {
    what: &'static str,
    order: Vec<&'a str>,
    set: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(what: &'static str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let order: Vec<_> = names.into_iter().collect();
        let set = order.iter().copied().collect();
        Self { what, order, set }
    }

    /// Whether `name` is one of them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.set.contains(name)
    }

    /// The names, in file order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.order.iter().copied()
    }

    /// The names, each a problem if it is not a known one.
    pub(crate) fn check(&self, names: Vec<(&str, Place)>, path: &str, problems: &mut Problems) -> Vec<String> {
        for (name, place) in &names {
            // Looking for the nearest name costs a pass over all of them: not for problems that nobody will see.
            if self.set.contains(name) || problems.is_full() {
                continue;
            }
            let mut problem = problems.at(*place, format!("unknown {} {} in {}", self.what, quote(name), quote(path)));
            problem = match nearest(name, self.order.iter().copied()) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem.expected(self.listed()),
            };
            problems.push(problem);
        }
        names.into_iter().map(|(name, _)| name.to_owned()).collect()
    }

    fn listed(&self) -> String {
        const SHOWN: usize = 20;
        let mut text = format!("one of {}", self.order.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", "));
        if self.order.len() > SHOWN {
            text.push_str(", …");
        }
        text
    }
}
