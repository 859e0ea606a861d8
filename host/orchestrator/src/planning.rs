//! A plan whose tasks an agent returns (GV-09, GV-39): planner, tasks, and the planner again for what came back open. Knows
//! what a planner is told and what becomes of its lists; reading them is the plan's reader's business.

use crate::course::{Course, TaskEnd, spend_retry};
use crate::handing::{shown, summary};
use crate::run::Run;
use crate::unstarted::DEPENDENCY_FAILED;
use sandfork_model::{EventBody, Outcome, PlannerSpec, Status, TaskSpec};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of a list of missing fields that a planner is shown, as JSON.
const SHOWN_BYTES: usize = 16 << 10;
/// Keys of an accepted output that a planner is shown.
const SHOWN_KEYS: usize = 64;

/// What planning came to.
#[derive(Default)]
pub(crate) struct Planned {
    /// What each task finally came to, in plan order.
    pub(crate) ends: Vec<TaskEnd>,
    /// What tasks came to that were planned again.
    pub(crate) replaced: Vec<TaskEnd>,
    /// How the planner's own forks ended.
    pub(crate) planners: Vec<Arc<Outcome>>,
}

/// Plans, works, and plans again until nothing is open or the replans are used up; what is open then stays as it is.
pub(crate) async fn follow(course: &mut Course<'_>, planner: &PlannerSpec) -> Planned {
    let mut planned = Planned::default();
    let mut open: Vec<TaskEnd> = Vec::new();
    for replan in 0..=planner.max_replans {
        let run = course.run();
        let context = context(run, planner, replan, &open, &planned.ends);
        let task = TaskSpec { context, review: None, ..planner.task.clone() };
        let task = TaskSpec { options: sandfork_model::RequestOptions { is_planning: true, ..task.options }, ..task };
        let Some(ended) = course.work(std::slice::from_ref(&task)).await.pop() else { break };
        // A list that cannot be used has made the planner's own fork fail: see `check`.
        let tasks = ended.outcome.output.as_ref().and_then(|output| check(run, output).ok());
        planned.planners.push(ended.outcome);
        let Some(mut tasks) = tasks else { break };
        let count = u64::try_from(tasks.len()).unwrap_or(u64::MAX);
        run.emit(EventBody::Planned { tasks: count, replan: u64::from(replan) }, None);
        course.discard(open.iter().flat_map(|end| end.ordinals.iter().copied()));
        planned.replaced.append(&mut open);
        let affected = take_affected(course, &tasks, &mut planned);
        tasks.extend(affected);
        for end in course.work(&tasks).await {
            if is_open(&end.outcome) { open.push(end) } else { planned.ends.push(end) }
        }
        run.accepted.lock().extend(
            planned
                .ends
                .iter()
                .filter(|end| end.outcome.is_ok())
                .map(|end| (end.spec.id.clone(), Arc::clone(&end.outcome))),
        );
        if open.is_empty() || course.is_stopped() {
            break;
        }
    }
    planned.ends.append(&mut open);
    planned
}

/// Accepted tasks that rest on one that is now planned again: they are done again with it, at the price of a retry each, and
/// what does not rest on it stands (GV-48, GV-50).
fn take_affected(course: &mut Course<'_>, tasks: &[TaskSpec], planned: &mut Planned) -> Vec<TaskSpec> {
    let run = course.run();
    let mut again: HashSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let mut affected = Vec::new();
    let rests_on = |end: &TaskEnd, again: &HashSet<String>| {
        end.outcome.is_ok() && end.spec.waits_for().any(|id| again.contains(id))
    };
    while let Some(place) = planned.ends.iter().position(|end| rests_on(end, &again)) {
        if !spend_retry(run) {
            break;
        }
        let end = planned.ends.remove(place);
        run.accepted.lock().remove(&end.spec.id);
        course.discard(end.ordinals.iter().copied());
        again.insert(end.spec.id.clone());
        affected.push(end.spec.clone());
        planned.replaced.push(end);
    }
    affected
}

/// Reads a planner's output as strictly as a written plan. A task that has been accepted cannot be planned again.
pub(crate) fn check(run: &Run, output: &Value) -> Result<Vec<TaskSpec>, Vec<String>> {
    let accepted = run.accepted.lock();
    let mut known: Vec<&str> = accepted.keys().map(String::as_str).collect();
    known.sort_unstable();
    let tasks = run.task_reader.read(output, &known)?;
    let again: Vec<String> = tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| accepted.contains_key(&task.id))
        .map(|(index, task)| format!("`tasks[{index}].id`: the task {} is accepted already; leave it out", task.id))
        .collect();
    if again.is_empty() { Ok(tasks) } else { Err(again) }
}

/// Whether the planner may help: input is missing, or the task is too large for one worker, which may not split it itself;
/// or it fell with such a task.
fn is_open(outcome: &Outcome) -> bool {
    let says = |pointer: &str, word: &str| {
        outcome.error.as_ref().is_some_and(|error| error.details.pointer(pointer).is_some_and(|said| said == word))
    };
    let asks_to_split = || says("/code", "needs_split");
    match outcome.status {
        Status::Blocked => true,
        Status::Failed => asks_to_split(),
        Status::Ok | Status::Timeout | Status::OutOfFuel | Status::OutOfBudget | Status::Refused => false,
        Status::Cancelled => says("/root/status", "blocked") || says("/root/said", "needs_split"),
    }
}

/// What a planner is told besides its own context: who there is to do the work, and what became of its last list.
fn context(run: &Run, planner: &PlannerSpec, replan: u32, open: &[TaskEnd], ended: &[TaskEnd]) -> Value {
    let mut context = match &planner.task.context {
        Value::Object(map) => map.clone(),
        other => Map::from_iter([("context".to_owned(), other.clone())]),
    };
    let agents = run.plan.agents.iter().filter(|entry| entry.name != planner.task.agent);
    let agents: Vec<Value> = agents
        .map(|entry| json!({ "agent": entry.name, "description": entry.description, "tools": entry.tools }))
        .collect();
    let previous: Vec<Value> = ended.iter().chain(open).map(previous).collect();
    let accepted: Vec<Value> = ended.iter().filter(|end| end.outcome.is_ok()).map(accepted).collect();
    for (key, value) in [
        ("goal", json!(run.plan.goal)),
        ("agents", json!(agents)),
        ("replan", json!(replan)),
        ("previous_tasks", json!(previous)),
        ("blocked", open.iter().map(blocked).collect()),
        ("accepted", json!(accepted)),
    ] {
        context.insert(key.into(), value);
    }
    Value::Object(context)
}

fn previous(end: &TaskEnd) -> Value {
    let spec = &end.spec;
    json!({
        "id": spec.id, "agent": spec.agent, "goal": shown(&spec.goal), "status": end.outcome.status,
    })
}

fn blocked(end: &TaskEnd) -> Value {
    let details = end.outcome.error.as_ref().map_or(&Value::Null, |error| &error.details);
    let missing = details.get("missing").filter(|missing| missing.to_string().len() <= SHOWN_BYTES);
    let code = match end.outcome.status {
        Status::Blocked => "blocked",
        Status::Cancelled => DEPENDENCY_FAILED,
        Status::Failed | Status::Ok | Status::Timeout | Status::OutOfFuel | Status::OutOfBudget | Status::Refused => {
            "needs_split"
        }
    };
    json!({
        "task_id": end.spec.id,
        "code": code,
        "missing": missing.cloned().unwrap_or_else(|| json!([])),
        "message": end.outcome.error.as_ref().map(|error| shown(&error.message)),
    })
}

fn accepted(end: &TaskEnd) -> Value {
    let output = end.outcome.output.as_ref();
    let keys: Vec<&String> =
        output.and_then(Value::as_object).map(|map| map.keys().take(SHOWN_KEYS).collect()).unwrap_or_default();
    json!({ "task_id": end.spec.id, "summary": output.and_then(summary).map(shown), "output_keys": keys })
}
