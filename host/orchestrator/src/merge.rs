//! What the outcomes of a run come to: merged output, conflicts, status. Pure; plan order decides, never completion order
//! (X-6, OR-36..38).

use sandfork_model::{Conflict, OnFailure, Outcome, RunStatus, Shape};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Merges the plan's own outcomes: by key over the ok ones, first kept. A root's output stands alone.
pub(crate) fn merge(shape: &Shape, outcomes: &[Outcome]) -> (Value, Vec<Conflict>) {
    let own = outcomes.iter().filter(|outcome| outcome.task.depth == 0 && outcome.is_ok());
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

/// `failed` if the root, or a plan task with `propagate`, is not ok; `partial` if anything below was not ok.
pub(crate) fn status(shape: &Shape, outcomes: &[Outcome]) -> RunStatus {
    let is_root = matches!(shape, Shape::Root(_));
    let fails = |outcome: &Outcome| {
        outcome.task.depth == 0 && !outcome.is_ok() && (is_root || outcome.on_failure == OnFailure::Propagate)
    };
    if outcomes.iter().any(fails) {
        RunStatus::Failed
    } else if outcomes.iter().any(|outcome| !outcome.is_ok() && !outcome.is_loser) {
        RunStatus::Partial
    } else {
        RunStatus::Completed
    }
}
