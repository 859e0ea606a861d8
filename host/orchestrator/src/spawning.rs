//! One `spawn` call: read, judge, start, wait, answer. Outcomes stand in request order, never completion order (M4-33).

use crate::fork::{Fork, HaltReason};
use crate::gate::{Asker, Verdict, judge};
use crate::life;
use crate::nursery::Nursery;
use crate::stop::Reason;
use sandfork_model::{
    Counts, Dimension, EventBody, Halt, Message, OnFailure, Outcome, RawError, RawOutcome, RawRequest, Refusal,
    RefusalCode, Request, RequestOptions, SpawnOptions, Status, TaskRef,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Requests read from one call; each costs the host memory before it is judged.
const REQUESTS_PER_CALL: u64 = 1024;

/// Answers one call of `spawn`.
pub(crate) async fn answer(
    fork: &Arc<Fork>,
    requests: Vec<RawRequest>,
    options: &str,
) -> Result<Vec<RawOutcome>, Halt> {
    let asked = u64::try_from(requests.len()).unwrap_or(u64::MAX);
    if asked > REQUESTS_PER_CALL {
        fork.halt(HaltReason::Requests { asked, limit: REQUESTS_PER_CALL });
        return Err(Halt);
    }
    let call_options = parse(options).and_then(|options| SpawnOptions::from_json(&options));
    let requests = requests.into_iter().map(|raw| read(raw, call_options.as_ref().err())).collect();
    let outcomes = run(fork, requests, call_options.unwrap_or_default()).await?;
    let mut state = fork.state.lock();
    state.counts.messages += 1;
    state.counts.tool_messages += 1;
    let answers: Vec<RawOutcome> = outcomes.iter().map(raw).collect();
    if let Some(thread) = state.thread.as_mut() {
        let content = Value::Array(outcomes.iter().map(seen).collect()).to_string();
        thread.messages.push(Message { role: "tool", content, tool: Some("spawn".into()), arguments: None });
    }
    Ok(answers)
}

/// Starts what the gate admits and waits for as many as were asked for. One outcome per request.
pub(crate) async fn run(
    fork: &Arc<Fork>,
    requests: Vec<Request>,
    options: SpawnOptions,
) -> Result<Vec<Outcome>, Halt> {
    // The budget is out of the fork's state while the gate divides it: the gate looks at that state.
    let Some(mut budget) = fork.state.lock().budget.take() else { return Err(Halt) };
    let verdicts = judge(Asker::Fork(fork), requests, &mut budget);
    fork.state.lock().budget = Some(budget);

    let parent = (Arc::clone(&fork.run.slots), fork.task.path.clone());
    let nursery = Nursery::new(options.returns, verdicts.len(), Some(parent));
    let mut refused = Vec::new();
    let mut started = Vec::new();
    for (place, verdict) in verdicts.into_iter().enumerate() {
        match verdict {
            Verdict::Refused { task, request, refusal } => {
                announce_refusal(fork, &task, &refusal);
                let outcome = refusal_outcome(task, &request, &refusal, fork.run.plan.limits.fork.on_failure);
                fork.run.keep_refused(outcome.clone());
                refused.push((place, outcome));
            }
            Verdict::Admitted(admitted) => {
                let fuel = admitted.budget.granted().get(Dimension::Fuel);
                let turns = admitted.budget.granted().get(Dimension::Turns);
                let cause = fork.emit(EventBody::BudgetReserved { fuel, turns }, None);
                let child = Fork::new(*admitted, Some(Arc::clone(fork)), Arc::clone(&nursery), place);
                child.state.lock().fork_event = Some(cause);
                nursery.expect();
                fork.state.lock().children.push(Arc::clone(&child));
                started.push(child);
            }
        }
    }
    if !started.is_empty() {
        wait(fork, &nursery, &started).await?;
    }
    // All have ended: the fork keeps none of them alive.
    fork.state.lock().children.clear();
    let mut outcomes = nursery.ends();
    for (place, outcome) in refused {
        if let Some(end) = outcomes.get_mut(place) {
            *end = Some(outcome);
        }
    }
    Ok(outcomes.into_iter().flatten().collect())
}

/// Starts the children, gives the slot away, waits, stops the losers, and comes back with a slot.
async fn wait(fork: &Arc<Fork>, nursery: &Arc<Nursery>, started: &[Arc<Fork>]) -> Result<(), Halt> {
    let clock = &fork.run.clock;
    for child in started {
        life::start(child);
    }
    let deadline_ns = fork.state.lock().deadline_ns;
    let bound = nursery.bind();
    let waiting = nursery.begin_wait(clock, &fork.task.path, deadline_ns);
    fork.give_slot();
    if let Some(waiting) = waiting {
        clock.leave();
        waiting.await;
        if !nursery.is_decided() {
            fork.stop.tell(Reason::Timeout);
            return Err(Halt);
        }
    }
    for child in started {
        life::stop(child, Reason::Decided).await;
    }
    if let Some(ticket) = nursery.take_ticket() {
        let asked_ns = clock.now_ns();
        fork.state.lock().is_paused = true;
        clock.leave();
        ticket.await;
        fork.take_slot();
        let waited_ns = clock.now_ns().saturating_sub(asked_ns);
        let mut state = fork.state.lock();
        state.is_paused = false;
        state.deadline_ns = state.deadline_ns.saturating_add(waited_ns);
        state.resume_wait_ns = state.resume_wait_ns.saturating_add(waited_ns);
        state.counts.queued_ns = state.counts.queued_ns.saturating_add(waited_ns);
    }
    drop(bound);
    Ok(())
}

/// A refusal's event, in the thread of whoever asked.
fn announce_refusal(fork: &Fork, task: &TaskRef, refusal: &Refusal) {
    let (agent, task_id) = (task.agent.to_string(), Arc::clone(&task.task_id));
    let body = if refusal.code == RefusalCode::DelegationDepthExceeded {
        let max_depth = fork.run.plan.limits.max_depth.ceiling();
        EventBody::DepthLimit { agent, task_id, depth: task.depth, max_depth }
    } else {
        EventBody::SpawnRefused { agent, task_id, code: refusal.code.name() }
    };
    fork.emit(body, None);
}

/// A refusal as the outcome of its request. An unknown agent `failed`; everything else was `refused`.
pub(crate) fn refusal_outcome(
    task: Arc<TaskRef>,
    request: &Request,
    refusal: &Refusal,
    on_failure: OnFailure,
) -> Outcome {
    let status = match refusal.code {
        RefusalCode::UnknownSubagent => Status::Failed,
        _ => Status::Refused,
    };
    let asked = request.options.as_ref().ok().and_then(|options| options.on_failure);
    Outcome {
        task,
        status,
        output: None,
        error: Some(refusal.to_error()),
        counts: Counts::default(),
        on_failure: asked.unwrap_or(on_failure),
        is_loser: false,
    }
}

fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_str(text).map_err(|error| format!("options are no JSON: {error}"))
}

/// Reads one request; what is wrong with it, or with the whole call, refuses it at the gate.
fn read(raw: RawRequest, call_error: Option<&String>) -> Request {
    let context = if raw.context.trim().is_empty() { Ok(json!({})) } else { serde_json::from_str(&raw.context) };
    let options = match (call_error, &context) {
        (Some(error), _) => Err(error.clone()),
        (None, Err(error)) => Err(format!("context is no JSON: {error}")),
        (None, Ok(_)) => parse(&raw.options).and_then(|options| RequestOptions::from_json(&options)),
    };
    Request { agent: raw.agent, goal: raw.goal, context: context.unwrap_or_default(), options }
}

/// An outcome as its parent sees it: counts and fuel, no times.
pub(crate) fn seen(outcome: &Outcome) -> Value {
    json!({
        "task_id": &*outcome.task.task_id,
        "agent": &*outcome.task.agent,
        "status": outcome.status,
        "ok": outcome.is_ok(),
        "output": outcome.output,
        "error": outcome.error,
        "info": info(outcome),
    })
}

fn info(outcome: &Outcome) -> Value {
    let counts = &outcome.counts;
    json!({
        "turns": counts.turns,
        "messages": counts.messages,
        "tool_messages": counts.tool_messages,
        "tool_calls": counts.tool_calls,
        "host_calls": counts.host_calls,
        "fuel_used": counts.fuel_used,
    })
}

fn raw(outcome: &Outcome) -> RawOutcome {
    RawOutcome {
        task_id: outcome.task.task_id.to_string(),
        agent: outcome.task.agent.to_string(),
        status: outcome.status.name().into(),
        output: outcome.output.as_ref().map(Value::to_string),
        error: outcome.error.as_ref().map(RawError::from),
        info: info(outcome).to_string(),
    }
}
