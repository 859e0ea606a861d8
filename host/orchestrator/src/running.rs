//! One run from its plan to its record: the plan's own tasks go through the same gate as everybody's.

use crate::agents::Agents;
use crate::clock::{Clock, nanos};
use crate::events::Log;
use crate::fork::Fork;
use crate::gate::{Asker, Verdict, judge};
use crate::input::{Broken, RunInput};
use crate::life;
use crate::merge::{merge, status};
use crate::nursery::Nursery;
use crate::run::Run;
use crate::slots::Slots;
use crate::spawning::refusal_outcome;
use crate::stop::{Interrupt, Reason};
use crate::toolbox::Toolbox;
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_model::{Dimension, EventBody, Outcome, Request, ReturnMode, RunRecord, TaskPath, TaskSpec, Usage};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs a plan to its end.
///
/// # Errors
/// When the host itself broke; whatever an agent does is in the record instead.
pub async fn run(input: RunInput) -> Result<RunRecord, Broken> {
    let interrupt = input.interrupt.clone();
    let run = assemble(input)?;
    let tasks = run.plan.shape.tasks();
    run.emit(EventBody::RunStarted { tasks: u64::try_from(tasks.len()).unwrap_or(u64::MAX) }, None);
    let forks = admit(&run, tasks);
    wait(&run, &forks, &interrupt).await;
    let elapsed_ns = run.clock.now_ns();
    run.clock.drain_late();
    record(&run, elapsed_ns, interrupt.is_tripped())
}

fn assemble(input: RunInput) -> Result<Arc<Run>, Broken> {
    let clock = Clock::start(input.pace);
    let limits = &input.plan.limits;
    let slots = if input.serial { 1 } else { limits.max_concurrency };
    let slots = Slots::new(clock.clone(), slots);
    let toolbox = Toolbox::new(&input.tools, input.specs)?;
    let agents = Agents::new(input.runtime, input.agents);
    let log = Log::open(input.sinks);
    Ok(Arc::new(Run::new(input.plan, input.run, agents, toolbox, clock, slots, input.seats, log, input.transcript)))
}

/// Sends the plan's tasks through the gate and starts what passes.
fn admit(run: &Arc<Run>, tasks: &[TaskSpec]) -> Vec<Arc<Fork>> {
    let requests: Vec<Request> = tasks.iter().map(request).collect();
    let nursery = Nursery::new(ReturnMode::All, requests.len(), None);
    let verdicts = judge(Asker::Plan(run), requests, &mut run.tank.lock());
    let mut forks = Vec::new();
    for (place, verdict) in verdicts.into_iter().enumerate() {
        match verdict {
            Verdict::Refused { task, request, refusal } => {
                let (agent, task_id) = (request.agent.clone(), Arc::clone(&task.task_id));
                run.emit(EventBody::SpawnRefused { agent, task_id, code: refusal.code.name() }, None);
                run.keep_refused(refusal_outcome(task, &request, &refusal, run.plan.limits.fork.on_failure));
            }
            Verdict::Admitted(admitted) => {
                let fuel = admitted.budget.granted().get(Dimension::Fuel);
                let turns = admitted.budget.granted().get(Dimension::Turns);
                let cause = run.emit(EventBody::BudgetReserved { fuel, turns }, None);
                let fork = Fork::new(*admitted, None, Arc::clone(&nursery), place);
                fork.state.lock().fork_event = Some(cause);
                nursery.expect();
                forks.push(fork);
            }
        }
    }
    forks
}

fn request(task: &TaskSpec) -> Request {
    let mut options = task.options.clone();
    options.id.get_or_insert_with(|| task.id.clone());
    Request {
        agent: task.agent.clone(),
        goal: task.goal.clone(),
        context: task.context.clone(),
        options: Ok(options),
    }
}

/// Waits for the plan's tasks, the run's deadline or an interrupt, whichever comes first; all have settled afterwards.
async fn wait(run: &Arc<Run>, forks: &[Arc<Fork>], interrupt: &Interrupt) {
    let Some(first) = forks.first() else { return };
    let deadline_ns = nanos(run.plan.limits.deadline.min(HOST_TIME_CEILING));
    for fork in forks {
        life::start(fork);
    }
    let Some(waiting) = first.nursery.begin_wait(&run.clock, &TaskPath::above_all(), deadline_ns) else { return };
    run.clock.leave();
    let reason = tokio::select! {
        biased;
        () = interrupt.wait() => Reason::Interrupted,
        () = waiting => Reason::RunDeadline,
        () = real_deadline(run, deadline_ns) => Reason::RunDeadline,
    };
    // A wait that was decided leaves nothing to stop.
    for fork in forks {
        life::stop(fork, reason).await;
    }
}

async fn real_deadline(run: &Run, deadline_ns: u64) {
    match run.clock.instant(deadline_ns) {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

fn record(run: &Run, elapsed_ns: u64, is_interrupted: bool) -> Result<RunRecord, Broken> {
    let outcomes = run.take_outcomes();
    let (merged, conflicts) = merge(&run.plan.shape, &outcomes);
    for conflict in &conflicts {
        let body = EventBody::MergeConflict {
            key: conflict.key.clone(),
            kept_task_id: conflict.kept_task_id.clone(),
            rejected_task_id: conflict.rejected_task_id.clone(),
        };
        run.emit(body, None);
    }
    let status = status(&run.plan.shape, &outcomes);
    let tasks_used = run.tasks_used.load(Ordering::Acquire);
    run.emit(EventBody::RunFinished { status: status.name(), tasks_used }, None);
    run.log.close().map_err(Broken::new)?;
    if let Some(broken) = run.broken() {
        return Err(broken);
    }
    let tank = run.tank.lock();
    // A refused request has no opening messages: it never was a fork.
    let ran = |outcome: &&Outcome| outcome.counts.messages > 0;
    Ok(RunRecord {
        status,
        is_interrupted,
        tasks_used,
        max_depth_reached: outcomes.iter().filter(ran).map(|outcome| outcome.task.depth).max(),
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
        outcomes,
    })
}
