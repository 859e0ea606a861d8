//! One run from its plan to its record: the plan's own tasks go through the same gate as everybody's.

use crate::agents::Agents;
use crate::clock::Clock;
use crate::course::{Course, TaskEnd};
use crate::events::Log;
use crate::input::{Broken, RunInput};
use crate::merge::{Tally, merge, status, tasks};
use crate::planning::{self, Planned};
use crate::run::Run;
use crate::slots::Slots;
use crate::toolbox::Toolbox;
use sandfork_model::{EventBody, Measures, Outcome, RunRecord, Shape, TaskPath, Usage};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs a plan to its end.
///
/// # Errors
/// When the host itself broke; whatever an agent does is in the record instead.
pub async fn run(input: RunInput) -> Result<RunRecord, Broken> {
    let interrupt = input.interrupt.clone();
    let run = assemble(input)?;
    let tasks = run.plan.shape.tasks().len();
    run.emit(EventBody::RunStarted { tasks: u64::try_from(tasks).unwrap_or(u64::MAX) }, None);
    let mut course = Course::new(&run, &interrupt);
    let planned = match &run.plan.shape {
        Shape::Root(root) => Planned { ends: course.work(std::slice::from_ref(root)).await, ..Planned::default() },
        Shape::Tasks(tasks) => Planned { ends: course.work(tasks).await, ..Planned::default() },
        Shape::Planner(planner) => planning::follow(&mut course, planner).await,
    };
    let (void, group_of) = course.finish();
    let elapsed_ns = run.clock.now_ns();
    run.clock.drain_late();
    let outcomes = outcomes(&run, planned.ends.iter().chain(&planned.replaced), &group_of);
    let tally = Tally { ends: planned.ends, planners: planned.planners, void };
    record(&run, outcomes, tally, elapsed_ns, interrupt.is_tripped())
}

/// All outcomes, task by task in plan order. What a task came to stands under its own id, whatever its first attempt did.
fn outcomes<'a>(run: &Run, ends: impl Iterator<Item = &'a TaskEnd>, group_of: &HashMap<u32, u32>) -> Vec<Arc<Outcome>> {
    let ends: HashMap<&TaskPath, &Arc<Outcome>> = ends.map(|end| (&end.outcome.task.path, &end.outcome)).collect();
    let mut outcomes = run.take_outcomes();
    for outcome in &mut outcomes {
        if let Some(end) = ends.get(&outcome.task.path) {
            *outcome = Arc::clone(end);
        }
    }
    outcomes.sort_by_key(|outcome| group_of.get(&outcome.task.path.top_ordinal()).copied());
    outcomes
}

fn assemble(input: RunInput) -> Result<Arc<Run>, Broken> {
    let clock = Clock::start(input.pace);
    let limits = &input.plan.limits;
    let slots = if input.serial { 1 } else { limits.max_concurrency };
    let slots = Slots::new(clock.clone(), slots);
    let toolbox = Toolbox::new(&input.tools, input.specs)?;
    let agents = Agents::new(input.runtime, input.agents);
    let log = Log::open(input.sinks);
    Ok(Arc::new(Run::new(
        input.plan,
        input.run,
        agents,
        toolbox,
        clock,
        slots,
        input.seats,
        log,
        input.transcript,
        input.artifacts,
        input.task_reader,
    )))
}

fn record(
    run: &Run,
    outcomes: Vec<Arc<Outcome>>,
    tally: Tally,
    elapsed_ns: u64,
    is_interrupted: bool,
) -> Result<RunRecord, Broken> {
    let (merged, conflicts) = merge(&run.plan.shape, &tally.ends);
    for conflict in &conflicts {
        let body = EventBody::MergeConflict {
            key: conflict.key.clone(),
            kept_task_id: conflict.kept_task_id.clone(),
            rejected_task_id: conflict.rejected_task_id.clone(),
        };
        run.emit(body, None);
    }
    let status = status(&run.plan.shape, &tally, &outcomes);
    let tasks_used = run.tasks_used.load(Ordering::Acquire);
    run.emit(EventBody::RunFinished { status: status.name(), tasks_used }, None);
    run.log.close().map_err(Broken::new)?;
    if let Some(broken) = run.broken() {
        return Err(broken);
    }
    let tank = run.tank.lock();
    let (opening_bytes, repeated_bytes) = run.repeats.bytes();
    let measures = Measures { opening_bytes, repeated_bytes, tasks: tasks(&tally, &outcomes), ..Measures::default() };
    // A refused request has no opening messages: it never was a fork.
    let ran = |outcome: &&Arc<Outcome>| outcome.counts.messages > 0;
    let max_depth_reached = outcomes.iter().filter(ran).map(|outcome| outcome.task.depth).max();
    // What it came to is known: from here on each outcome has one owner, and is not copied.
    drop(tally);
    Ok(RunRecord {
        status,
        is_interrupted,
        tasks_used,
        max_depth_reached,
        elapsed_ns,
        merged,
        conflicts,
        events: run.log.counts(),
        usage: Usage {
            model_calls: run.gauge.model_calls(),
            tool_calls: run.gauge.tool_calls(),
            spent: *tank.spent(),
            is_ledger_whole: tank.is_whole(),
        },
        outcomes: outcomes.into_iter().map(Arc::unwrap_or_clone).collect(),
        measures,
        metrics: json!({ "context": run.layers.to_json() }),
    })
}
