//! What the outcomes of a run come to: merged output, conflicts, status. Pure; plan order decides, never completion order
//! (X-6, OR-36..38).

use crate::course::TaskEnd;
use sandfork_model::{Conflict, OnFailure, Outcome, RunStatus, Shape, Status, Tasks};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What the plan's own forks came to.
pub(crate) struct Tally {
    /// What each task finally came to, in plan order.
    pub(crate) ends: Vec<TaskEnd>,
    /// How a planner's own forks ended.
    pub(crate) planners: Vec<Arc<Outcome>>,
    /// Top ordinals of attempts that were done again: they and what they forked count against nobody.
    pub(crate) void: HashSet<u32>,
}

/// Merges the plan's own outcomes: by key over the ok ones, first kept. A root's output stands alone.
pub(crate) fn merge(shape: &Shape, ends: &[TaskEnd]) -> (Value, Vec<Conflict>) {
    let own = ends.iter().map(|end| &*end.outcome).filter(|outcome| outcome.is_ok());
    if matches!(shape, Shape::Root(_)) {
        return (own.into_iter().find_map(|outcome| outcome.output.clone()).unwrap_or(Value::Null), Vec::new());
    }
    let mut merged = Map::new();
    let mut kept_by: HashMap<String, String> = HashMap::new();
    let mut conflicts = Vec::new();
    for outcome in own {
        let task_id = outcome.task.task_id.to_string();
        let entries = match &outcome.output {
            Some(Value::Object(map)) => map.clone(),
            Some(other) => Map::from_iter([(task_id.clone(), other.clone())]),
            None => continue,
        };
        for (key, value) in entries {
            match merged.get(&key) {
                None => {
                    kept_by.insert(key.clone(), task_id.clone());
                    merged.insert(key, value);
                }
                Some(kept) if *kept == value => {}
                Some(kept) => conflicts.push(Conflict {
                    kept: kept.clone(),
                    rejected: value,
                    kept_task_id: kept_by.get(&key).cloned().unwrap_or_default(),
                    rejected_task_id: task_id.clone(),
                    key,
                }),
            }
        }
    }
    (Value::Object(merged), conflicts)
}

/// `failed` if the root, a planner, or a plan task with `propagate`, is not ok; `partial` if anything else was not ok in the
/// end.
pub(crate) fn status(shape: &Shape, tally: &Tally, outcomes: &[Arc<Outcome>]) -> RunStatus {
    let is_root = matches!(shape, Shape::Root(_));
    let fails = |outcome: &Outcome| !outcome.is_ok() && (is_root || outcome.on_failure == OnFailure::Propagate);
    if own(tally).any(fails) || tally.planners.iter().any(|planner| !planner.is_ok()) {
        RunStatus::Failed
    } else if counted(tally, outcomes).any(|outcome| !outcome.is_ok()) {
        RunStatus::Partial
    } else {
        RunStatus::Completed
    }
}

/// How the tasks that count fared.
pub(crate) fn tasks(tally: &Tally, outcomes: &[Arc<Outcome>]) -> Tasks {
    let count = |outcomes: &mut dyn Iterator<Item = &Outcome>| u64::try_from(outcomes.count()).unwrap_or(u64::MAX);
    Tasks {
        own: count(&mut own(tally)),
        own_ok: count(&mut own(tally).filter(|outcome| outcome.is_ok())),
        counted: count(&mut counted(tally, outcomes)),
        counted_ok: count(&mut counted(tally, outcomes).filter(|outcome| outcome.is_ok())),
        blocked: count(&mut own(tally).filter(|outcome| outcome.status == Status::Blocked)),
    }
}

fn own(tally: &Tally) -> impl Iterator<Item = &Outcome> {
    tally.ends.iter().map(|end| &*end.outcome)
}

/// What happened below depth 0 counts unless it was done again or lost to its siblings; of depth 0 only how each task ended.
fn counted<'a>(tally: &'a Tally, outcomes: &'a [Arc<Outcome>]) -> impl Iterator<Item = &'a Outcome> {
    let below = outcomes.iter().map(|outcome| &**outcome).filter(|outcome| outcome.task.depth > 0);
    let below = below.filter(|outcome| !tally.void.contains(&outcome.task.path.top_ordinal()));
    below.chain(own(tally)).filter(|outcome| !outcome.is_loser)
}
