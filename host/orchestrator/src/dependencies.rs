//! Who of a list of tasks may start, given who has ended (GV-22). Pure bookkeeping, linear in what is written: each need is
//! looked at when it is read and when its task ends. Knows neither forks nor what they return.

use sandfork_model::TaskSpec;
use std::collections::{HashMap, HashSet, VecDeque};

/// What an end leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Everything that the task waits for has ended as it must.
    Start(usize),
    /// A task that had to be ok was not: this one can never start, or must not stand.
    Forfeit { task: usize, by: usize },
    /// What the task was handed is outdated: it must be done again.
    Renew(usize),
}

/// One task.
#[derive(Debug, Default)]
struct Node {
    /// Needs that have not ended as they must.
    open: usize,
    needs: Vec<usize>,
    /// Who waits for it, and whether it must be ok for them.
    dependents: Vec<(usize, bool)>,
    stage: Stage,
    has_ended_before: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Waits,
    /// May start, and has not been handed anything yet.
    Due,
    Runs {
        is_stale: bool,
    },
    Ended {
        is_ok: bool,
    },
}

/// All tasks of a list with who waits for whom.
#[derive(Debug)]
pub(crate) struct Web(Vec<Node>);

impl Web {
    /// `None` where nobody waits for anybody. A need that is in `accepted` has ended well before; one that is nowhere is
    /// never met, and its task never starts.
    pub(crate) fn of(tasks: &[TaskSpec], accepted: impl Fn(&str) -> bool) -> Option<Self> {
        if tasks.iter().all(|task| task.needs.is_empty() && task.needs_optional.is_empty()) {
            return None;
        }
        let place_of: HashMap<&str, usize> =
            tasks.iter().enumerate().map(|(place, task)| (task.id.as_str(), place)).collect();
        let mut nodes: Vec<Node> = tasks.iter().map(|_| Node::default()).collect();
        for (place, task) in tasks.iter().enumerate() {
            let needs = task.needs.iter().map(|id| (id, true)).chain(task.needs_optional.iter().map(|id| (id, false)));
            for (id, must_be_ok) in needs {
                let needed = place_of.get(id.as_str()).copied();
                if needed.is_none() && accepted(id) {
                    continue;
                }
                if let Some(node) = nodes.get_mut(place) {
                    node.open += 1;
                    node.needs.extend(needed);
                }
                if let Some(node) = needed.and_then(|needed| nodes.get_mut(needed)) {
                    node.dependents.push((place, must_be_ok));
                }
            }
        }
        Some(Self(nodes))
    }

    /// Those that wait for nobody, in plan order.
    pub(crate) fn first(&mut self) -> Vec<usize> {
        let free: Vec<usize> =
            self.0.iter().enumerate().filter(|(_, node)| node.open == 0).map(|(task, _)| task).collect();
        for task in &free {
            self.enter(*task, Stage::Due);
        }
        free
    }

    /// The task is handed what there is, and runs.
    pub(crate) fn start(&mut self, task: usize) {
        self.enter(task, Stage::Runs { is_stale: false });
    }

    /// Whether somebody waits for it.
    pub(crate) fn has_dependents(&self, task: usize) -> bool {
        self.0.get(task).is_some_and(|node| !node.dependents.is_empty())
    }

    /// Whether it ran on what is outdated; it may start anew then.
    pub(crate) fn take_stale(&mut self, task: usize) -> bool {
        let is_stale = self.0.get(task).is_some_and(|node| node.stage == Stage::Runs { is_stale: true });
        if is_stale {
            self.enter(task, Stage::Due);
        }
        is_stale
    }

    /// What follows from the end of a task, in plan order. Each step has been taken note of: who may start is due. A second end
    /// that brings no news changes nothing for anybody.
    pub(crate) fn end(&mut self, task: usize, is_ok: bool, is_news: bool) -> Vec<Step> {
        let Some(node) = self.0.get_mut(task) else { return Vec::new() };
        let is_again = std::mem::replace(&mut node.has_ended_before, true);
        node.stage = Stage::Ended { is_ok };
        if is_again && !is_news {
            return Vec::new();
        }
        let dependents = node.dependents.clone();
        dependents
            .into_iter()
            .filter_map(|(dependent, must_be_ok)| {
                if must_be_ok && !is_ok { self.forfeit(dependent, task) } else { self.release(dependent, is_again) }
            })
            .collect()
    }

    /// A task that was handed something outdated: done again at once if it has ended well, later if it runs.
    pub(crate) fn outdate(&mut self, task: usize) -> Option<Step> {
        match self.0.get(task)?.stage {
            Stage::Runs { .. } => {
                self.enter(task, Stage::Runs { is_stale: true });
                None
            }
            Stage::Ended { is_ok: true } => {
                self.enter(task, Stage::Due);
                Some(Step::Renew(task))
            }
            // Who has not started yet will be handed the newest.
            Stage::Ended { is_ok: false } | Stage::Waits | Stage::Due => None,
        }
    }

    /// Everything that this task waits for, directly or through others.
    pub(crate) fn ancestors(&self, task: usize) -> HashSet<usize> {
        let mut found = HashSet::new();
        let mut line = VecDeque::from([task]);
        while let Some(next) = line.pop_front() {
            let needs = self.0.get(next).map_or(&[][..], |node| node.needs.as_slice());
            line.extend(needs.iter().copied().filter(|need| found.insert(*need)));
        }
        found
    }

    fn forfeit(&mut self, task: usize, by: usize) -> Option<Step> {
        match self.0.get(task)?.stage {
            Stage::Ended { is_ok: false } => None,
            Stage::Waits | Stage::Due | Stage::Ended { is_ok: true } => Some(Step::Forfeit { task, by }),
            // Its end will be looked at, and found to rest on nothing.
            Stage::Runs { .. } => {
                self.enter(task, Stage::Runs { is_stale: true });
                None
            }
        }
    }

    fn release(&mut self, task: usize, is_again: bool) -> Option<Step> {
        if is_again {
            return self.outdate(task);
        }
        let node = self.0.get_mut(task)?;
        node.open = node.open.saturating_sub(1);
        if node.open > 0 || node.stage != Stage::Waits {
            return None;
        }
        node.stage = Stage::Due;
        Some(Step::Start(task))
    }

    fn enter(&mut self, task: usize, stage: Stage) {
        if let Some(node) = self.0.get_mut(task) {
            node.stage = stage;
        }
    }
}

/// The layer of each task: 0 for those that wait for nobody, else one more than the deepest that it waits for. What waits in
/// a circle has none and counts as 0.
pub(crate) fn layers(tasks: &[TaskSpec]) -> Vec<u32> {
    let mut layers = vec![0_u32; tasks.len()];
    let Some(mut web) = Web::of(tasks, |_| false) else { return layers };
    let mut line = VecDeque::from(web.first());
    while let Some(task) = line.pop_front() {
        let below = layers.get(task).copied().unwrap_or_default().saturating_add(1);
        for (dependent, _) in web.0.get(task).map(|node| node.dependents.clone()).unwrap_or_default() {
            if let Some(layer) = layers.get_mut(dependent) {
                *layer = (*layer).max(below);
            }
        }
        line.extend(web.end(task, true, true).into_iter().filter_map(|step| match step {
            Step::Start(task) => Some(task),
            Step::Forfeit { .. } | Step::Renew(_) => None,
        }));
    }
    layers
}
