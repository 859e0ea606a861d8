//! Which task needs which others, and which joins have fired. A join fires once, when all it needs has been applied.

use std::collections::{BTreeMap, HashMap, HashSet};

/// What one task needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskNeeds {
    /// Tasks that must have ended ok.
    pub all: Vec<String>,
    /// Tasks that must have ended, however they did.
    pub optional: Vec<String>,
}

/// The tasks that need one another in a circle, each needing the next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these tasks need each other in a circle: {}", .0.join(" → "))]
pub struct Cycle(pub Vec<String>);

/// The needs of all tasks: a graph without circles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs(BTreeMap<String, TaskNeeds>);

impl Needs {
    /// Takes the needs of each task.
    ///
    /// # Errors
    /// The first circle found, by name.
    pub fn new(tasks: BTreeMap<String, TaskNeeds>) -> Result<Self, Cycle> {
        let needs = Self(tasks);
        needs.cycle().map_or(Ok(needs), Err)
    }

    fn of(&self, task: &str) -> impl Iterator<Item = &String> {
        self.0.get(task).into_iter().flat_map(|needs| needs.all.iter().chain(&needs.optional))
    }

    /// Takes away what needs nothing that is left, until nothing is left or only circles and what hangs on them.
    fn cycle(&self) -> Option<Cycle> {
        let mut open: HashMap<&str, usize> = HashMap::new();
        let mut needed_by: HashMap<&str, Vec<&str>> = HashMap::new();
        for task in self.0.keys() {
            let inner: Vec<_> = self.of(task).filter(|need| self.0.contains_key(*need)).collect();
            open.insert(task, inner.len());
            for need in inner {
                needed_by.entry(need).or_default().push(task);
            }
        }
        let mut free: Vec<&str> = open.iter().filter(|(_, count)| **count == 0).map(|(task, _)| *task).collect();
        while let Some(task) = free.pop() {
            open.remove(task);
            for dependent in needed_by.get(task).into_iter().flatten() {
                if let Some(count) = open.get_mut(dependent) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(dependent);
                    }
                }
            }
        }
        // Whoever is left needs somebody who is left: walking on must come back to where it has been.
        let mut at = *open.keys().min()?;
        let mut way: Vec<&str> = Vec::new();
        while !way.contains(&at) {
            way.push(at);
            at = self.of(at).map(String::as_str).find(|need| open.contains_key(need))?;
        }
        let circle = way.iter().skip_while(|task| **task != at).chain(std::iter::once(&at));
        Some(Cycle(circle.map(|task| (*task).to_owned()).collect()))
    }
}

/// How far the needs have come, in each run.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    needs: Needs,
    /// Run and task to whether it ended ok; only of tasks that somebody needs.
    ended: HashMap<(String, String), bool>,
    fired: HashSet<(String, String)>,
}

impl Progress {
    pub(crate) fn of(needs: Needs) -> Self {
        Self { needs, ..Self::default() }
    }

    /// What the task still waits for; empty once its join has fired, and for a task without needs.
    pub(crate) fn open(&self, run: &str, task: &str) -> Vec<String> {
        let Some(needs) = self.needs.0.get(task) else { return Vec::new() };
        if self.fired.contains(&(run.to_owned(), task.to_owned())) {
            return Vec::new();
        }
        let end = |need: &String| self.ended.get(&(run.to_owned(), need.clone())).copied();
        let all = needs.all.iter().filter(|need| end(need) != Some(true));
        let optional = needs.optional.iter().filter(|need| end(need).is_none());
        all.chain(optional).cloned().collect()
    }

    /// A task has ended; the joins that fire now. An end that was good stays good.
    pub(crate) fn end(&mut self, run: &str, task: &str, is_ok: bool) -> Vec<String> {
        let dependents: Vec<String> = self
            .needs
            .0
            .iter()
            .filter(|(_, needs)| needs.all.iter().chain(&needs.optional).any(|need| need == task))
            .map(|(dependent, _)| dependent.clone())
            .collect();
        if dependents.is_empty() {
            return dependents;
        }
        *self.ended.entry((run.to_owned(), task.to_owned())).or_default() |= is_ok;
        let mut fires = dependents;
        fires.retain(|join| self.open(run, join).is_empty() && self.fired.insert((run.to_owned(), join.clone())));
        fires
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(of: &[(&str, &[&str])]) -> BTreeMap<String, TaskNeeds> {
        let all = |needs: &[&str]| needs.iter().map(|need| (*need).to_owned()).collect();
        of.iter()
            .map(|(task, needs)| ((*task).to_owned(), TaskNeeds { all: all(needs), ..TaskNeeds::default() }))
            .collect()
    }

    #[test]
    fn a_circle_is_named_and_a_diamond_is_none() {
        let circle = needs(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a"])]);
        let cycle = Needs::new(circle).expect_err("a circle");
        assert_eq!(cycle.to_string(), "these tasks need each other in a circle: a → b → c → a");
        assert!(Needs::new(needs(&[("d", &["b", "c"]), ("b", &["a"]), ("c", &["a"])])).is_ok());
        assert!(Needs::new(needs(&[("a", &["a"])])).is_err());
    }

    // GV-22
    #[test]
    fn a_join_fires_once_however_often_its_needs_end() {
        let mut progress = Progress::of(Needs::new(needs(&[("join", &["a", "b"])])).expect("no circle"));
        assert!(progress.end("r", "a", true).is_empty());
        assert_eq!(progress.open("r", "join"), ["b"]);
        assert!(progress.end("r", "b", false).is_empty(), "a bad end is no precondition");
        assert_eq!(progress.end("r", "b", true), ["join"]);
        assert!(progress.end("r", "a", true).is_empty());
        assert_eq!(progress.open("other", "join"), ["a", "b"], "each run by itself");
    }
}
