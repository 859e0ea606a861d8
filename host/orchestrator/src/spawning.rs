//! One `spawn` call: read, judge, start, wait, answer. Outcomes stand in request order, never completion order (M4-33).

use crate::asker::Asker;
use crate::batch::Batch;
use crate::cover;
use crate::fork::{Fork, HaltReason};
use crate::keeping;
use crate::nursery::Nursery;
use crate::slots::Ticket;
use crate::stop::Reason;
use sandfork_model::{
    Completion, Halt, Message, Outcome, RawError, RawOutcome, RawRequest, Request, RequestOptions, SpawnOptions,
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
    let answers: Vec<RawOutcome> = outcomes.iter().map(|outcome| raw(outcome)).collect();
    if let Some(thread) = state.thread.as_mut() {
        let content = Value::Array(outcomes.iter().map(|outcome| seen(outcome)).collect()).to_string();
        thread.messages.push(Message { role: "tool", content, tool: Some("spawn".into()), arguments: None });
    }
    Ok(answers)
}

/// Starts what the gate admits and waits for as many as were asked for. One outcome per request.
pub(crate) async fn run(
    fork: &Arc<Fork>,
    requests: Vec<Request>,
    options: SpawnOptions,
) -> Result<Vec<Arc<Outcome>>, Halt> {
    let requests = requests.into_iter().map(|request| of_itself(fork, request)).collect();
    let requests = match &fork.row.entry.cover {
        Some(cover) => cover::fill(cover, requests),
        None => requests,
    };
    let size = requests.len();
    let parent = (Arc::clone(&fork.run.slots), fork.task.path.clone());
    let nursery = Nursery::new(options.returns, size, Some(parent));
    let mut batch = Batch::judge(Asker::Fork(fork), requests, nursery);
    fork.state.lock().count_round(size, batch.has_started());
    if batch.has_started() {
        wait(fork, &mut batch).await?;
    }
    // All have ended: the fork keeps none of them alive.
    fork.state.lock().children.clear();
    let mut outcomes: Vec<Arc<Outcome>> = batch.nursery().ends().into_iter().flatten().collect();
    keeping::outputs(fork, &mut outcomes).await;
    Ok(outcomes)
}

/// `self` stands for the asking agent's own name, as it does under `spawn`.
pub(crate) fn of_itself(fork: &Fork, mut request: Request) -> Request {
    if request.agent == "self" {
        request.agent.clone_from(&fork.row.entry.name);
    }
    request
}

/// Starts the children, gives the slot away, waits, stops the losers, and comes back with a slot.
async fn wait(fork: &Arc<Fork>, batch: &mut Batch<'_>) -> Result<(), Halt> {
    let (clock, nursery) = (&fork.run.clock, Arc::clone(batch.nursery()));
    let bound = nursery.bind();
    loop {
        batch.start();
        let deadline_ns = fork.state.lock().deadline_ns;
        let waiting = nursery.begin_wait(clock, &fork.task.path, deadline_ns);
        fork.give_slot();
        if let Some(waiting) = waiting {
            let from_ns = clock.now_ns();
            clock.leave();
            waiting.await;
            fork.state.lock().counts.waited_ns += clock.now_ns().saturating_sub(from_ns);
        }
        if nursery.is_decided() {
            break;
        }
        if !nursery.take_news() {
            fork.stop.tell(Reason::Timeout);
            return Err(Halt);
        }
        batch.move_up();
    }
    batch.stop(Reason::Decided).await;
    if let Some(ticket) = nursery.take_ticket() {
        resume(fork, ticket).await;
    }
    drop(bound);
    Ok(())
}

/// Waits for the slot that the parent resumes in; that wait does not count toward its timeout.
async fn resume(fork: &Fork, ticket: Ticket) {
    let clock = &fork.run.clock;
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
        (None, Ok(_)) => parse(&raw.options).and_then(|options| RequestOptions::from_json(&options)).map(Arc::new),
    };
    Request { agent: raw.agent, goal: raw.goal, context: context.unwrap_or_default(), options, is_added: false }
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
    let mut info = json!({
        "turns": counts.turns,
        "messages": counts.messages,
        "tool_messages": counts.tool_messages,
        "tool_calls": counts.tool_calls,
        "host_calls": counts.host_calls,
        "fuel_used": counts.fuel_used,
        "added": outcome.is_added,
    });
    let completion = Completion::of(outcome);
    if let (true, Some(info)) = (completion.refers(), info.as_object_mut()) {
        info.insert("message".into(), completion.message());
    }
    info
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
