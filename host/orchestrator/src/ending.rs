//! From how a sandbox ended to what that means: status, output, error. Every way to end has its own words here.

use crate::clock::nanos;
use crate::fork::{Fork, HaltReason};
use crate::planning;
use crate::port::length;
use crate::stop::Reason;
use sandfork_model::event::millis;
use sandfork_model::models::REPLIES_EXHAUSTED;
use sandfork_model::{AgentError, Cause, Dimension, End, Ended, RawError, Shortfall, Status, Unloadable};
use serde_json::{Value, json};

/// What a fork came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) status: Status,
    pub(crate) output: Option<Value>,
    pub(crate) error: Option<AgentError>,
    /// Why it was told to stop, if that ended it.
    pub(crate) stopped: Option<Reason>,
}

fn bad(status: Status, code: &str, message: String, details: Value) -> Verdict {
    let error = AgentError { code: code.into(), message, details };
    Verdict { status, output: None, error: Some(error), stopped: None }
}

/// `subagent_failed` with its cause, the agent's name and whatever the agent said (M4-21).
fn failed(fork: &Fork, cause: Cause, why: &str, more: Value) -> Verdict {
    let agent = &fork.task.agent;
    let mut details = json!({ "cause": cause.name(), "agent": &**agent });
    if let (Some(details), Value::Object(more)) = (details.as_object_mut(), more) {
        details.extend(more);
    }
    bad(Status::Failed, "subagent_failed", format!("agent {agent} failed: {why}"), details)
}

/// Judges an end. A stop that was told before the end was settled stands above it: late output is discarded (OR-07).
pub(crate) fn judge(fork: &Fork, ended: Ended) -> Verdict {
    if let Some(reason) = fork.stop.reason() {
        return stopped(fork, reason);
    }
    let halt = fork.state.lock().halt.clone();
    let met_memory = ended.memory_refused;
    if let Some(reason) = halt {
        return match (&reason, met_memory) {
            // What could not be had was the cause of it.
            (HaltReason::Panicked { .. }, Some(limit)) => out_of_memory(fork, limit),
            _ => halted(fork, &reason),
        };
    }
    let verdict = match ended.end {
        End::Returned(text) => return returned(fork, &text),
        End::Failed(error) => refused_by_guest(fork, error),
        End::Trapped(kind) => failed(fork, Cause::Trap, &format!("trap: {kind}"), json!({ "trap": kind })),
        End::BadCall(why) => failed(fork, Cause::Trap, &why, json!({ "trap": "bad call" })),
        End::OutputTooLarge { bytes } => return out_of_output(fork, bytes),
        End::MissingExport(why) => failed(fork, Cause::MissingExport, &why, json!({})),
        End::OutOfFuel => out_of_fuel(fork),
        End::DeadlineFuel => return stopped(fork, Reason::Timeout),
        // The port halts only with a reason, the watch stops only with one: without it the host is at fault.
        End::Halted | End::Stopped => {
            fork.run.break_with(format!("{} ended without a reason", fork.task.task_id));
            return broken();
        }
        End::Panicked(text) => {
            tracing::error!(task = &*fork.task.task_id, "a host call panicked: {text}");
            failed(
                fork,
                Cause::Panic,
                "a host tool broke while serving it; see the host's log",
                json!({ "host": true }),
            )
        }
        End::Broken(why) => {
            fork.run.break_with(why);
            return broken();
        }
    };
    match met_memory {
        Some(limit) if verdict.status != Status::Blocked && verdict.status != Status::OutOfFuel => {
            out_of_memory(fork, limit)
        }
        _ => verdict,
    }
}

fn returned(fork: &Fork, text: &str) -> Verdict {
    let bytes = length(text);
    if let Err(shortfall) = fork.charge(Dimension::OutputBytes, bytes) {
        return halted(fork, &HaltReason::Budget(shortfall));
    }
    let output: Value = match serde_json::from_str(text) {
        Ok(output) => output,
        Err(error) => {
            let why = format!("its output is no JSON: {error}");
            return failed(fork, Cause::InvalidOutput, &why, json!({ "bytes": bytes }));
        }
    };
    if let Some((path, why)) = fork.output_schema.as_ref().and_then(|schema| schema.mismatch(&output)) {
        let place = if path.is_empty() { "/".to_owned() } else { path };
        let text = format!("its output does not meet its schema at {place}: {why}");
        return failed(fork, Cause::Schema, &text, json!({ "path": place }));
    }
    if fork.options.is_planning
        && let Err(problems) = planning::check(&fork.run, &output)
    {
        let first = problems.first().map_or("", String::as_str);
        let message = format!("the planner {} returned tasks that cannot be used: {first}", fork.task.agent);
        return bad(Status::Failed, "plan_invalid", message, json!({ "problems": problems }));
    }
    Verdict { status: Status::Ok, output: Some(output), error: None, stopped: None }
}

/// `run` returned an error: `blocked` asks for input, everything else failed.
fn refused_by_guest(fork: &Fork, error: RawError) -> Verdict {
    let details: Value = serde_json::from_str(&error.details).unwrap_or(Value::Null);
    if error.code == "blocked" {
        let missing = details.get("missing").cloned().unwrap_or_else(|| json!([]));
        let message = format!("agent {} is blocked: {}", fork.task.agent, error.message);
        return bad(Status::Blocked, "blocked", message, json!({ "missing": missing }));
    }
    let is_exhausted = error.code == REPLIES_EXHAUSTED && fork.state.lock().is_exhausted;
    let cause = if is_exhausted { Cause::Exhausted } else { Cause::Returned };
    let why = if is_exhausted { error.message.clone() } else { format!("{}: {}", error.code, error.message) };
    failed(fork, cause, &why, json!({ "code": error.code, "message": error.message, "details": details }))
}

fn halted(fork: &Fork, reason: &HaltReason) -> Verdict {
    let (agent, node) = (&fork.task.agent, &*fork.task.task_id);
    let numbers = |dimension: &str, asked: u64, left: u64, limit: u64| json!({ "node": node, "dimension": dimension, "asked": asked, "left": left, "limit": limit });
    match reason {
        HaltReason::Iterations { limit } => bad(
            Status::OutOfBudget,
            "iteration_limit",
            format!("agent {agent} reached its iteration limit ({limit} turns); split the task or raise `steps`"),
            numbers("turns", 1, 0, *limit),
        ),
        HaltReason::ModelCalls { limit } => bad(
            Status::OutOfBudget,
            "out_of_budget",
            format!("the run's {limit} model calls are used up; agent {agent} was stopped"),
            numbers("model_calls", 1, 0, *limit),
        ),
        HaltReason::Exhausted { message, turn } => {
            let more = json!({ "code": REPLIES_EXHAUSTED, "message": message, "turn": turn });
            failed(fork, Cause::Exhausted, message, more)
        }
        HaltReason::Requests { asked, limit } => bad(
            Status::OutOfBudget,
            "out_of_budget",
            format!("agent {agent} asked for {asked} forks in one call; at most {limit} are read"),
            numbers("requests_per_call", *asked, *limit, *limit),
        ),
        HaltReason::Panicked { message, location } => {
            let place = location.as_deref().map_or_else(String::new, |location| format!(" at {location}"));
            let details = json!({ "message": message, "location": location });
            failed(fork, Cause::Panic, &format!("it panicked{place}: {message}"), details)
        }
        HaltReason::Budget(short) => bad(
            Status::OutOfBudget,
            "out_of_budget",
            format!(
                "agent {agent} needed {} {} and had {} of {} left; raise its budget",
                short.asked, short.dimension, short.left, short.limit
            ),
            numbers(short.dimension.name(), short.asked, short.left, short.limit),
        ),
    }
}

/// The output met its cap before it was read whole.
fn out_of_output(fork: &Fork, asked: u64) -> Verdict {
    let (left, limit) = fork.state.lock().budget.as_ref().map_or((0, 0), |budget| {
        (budget.left().get(Dimension::OutputBytes), budget.granted().get(Dimension::OutputBytes))
    });
    halted(fork, &HaltReason::Budget(Shortfall { dimension: Dimension::OutputBytes, asked, left, limit }))
}

fn out_of_fuel(fork: &Fork) -> Verdict {
    let limit = fork.state.lock().budget.as_ref().map_or(0, |budget| budget.granted().get(Dimension::Fuel));
    let agent = &fork.task.agent;
    bad(
        Status::OutOfFuel,
        "out_of_fuel",
        format!("agent {agent} burnt its fuel ({limit}); raise `fuel` or `steps`, or let it do less"),
        json!({ "node": &*fork.task.task_id, "dimension": "fuel", "asked": 1, "left": 0, "limit": limit }),
    )
}

fn out_of_memory(fork: &Fork, dimension: &str) -> Verdict {
    let limit = match dimension {
        "memory_total" => fork.run.plan.limits.memory_total,
        _ => fork.ceilings.memory_bytes,
    };
    let agent = &fork.task.agent;
    bad(
        Status::OutOfBudget,
        "out_of_budget",
        format!(
            "agent {agent} reached its memory limit ({dimension}: {limit} bytes); raise it with --limit {dimension}=…"
        ),
        json!({ "node": &*fork.task.task_id, "dimension": dimension, "asked": null, "left": 0, "limit": limit }),
    )
}

/// A component that cannot be loaded, or has no `run`.
pub(crate) fn unloadable(fork: &Fork, fault: &Unloadable) -> Verdict {
    let cause = if fault.is_missing_export { Cause::MissingExport } else { Cause::AgentInvalid };
    failed(fork, cause, &fault.message, json!({ "hint": fault.hint }))
}

/// Stopped from outside itself.
pub(crate) fn stopped(fork: &Fork, reason: Reason) -> Verdict {
    let agent = &fork.task.agent;
    let node = &*fork.task.task_id;
    let cancelled = |why: &str| {
        bad(
            Status::Cancelled,
            "cancelled",
            format!("agent {agent} was cancelled: {why}"),
            json!({"reason": reason.name()}),
        )
    };
    let verdict = match reason {
        Reason::Timeout => {
            let limit_ms = millis(fork.ceilings.timeout_ns);
            let declared_ms = millis(nanos(fork.ceilings.declared_timeout));
            // Its own `timeout` was not what bounded it where it was given less.
            let advice = if fork.ceilings.timeout_ns < nanos(fork.ceilings.declared_timeout) {
                format!(
                    "of {declared_ms} ms no more were left to give: raise its parent's `timeout`, or limits.deadline"
                )
            } else {
                "raise `timeout`, or let it do less".to_owned()
            };
            bad(
                Status::Timeout,
                "timeout",
                format!("agent {agent} met its time limit ({limit_ms} ms); {advice}"),
                json!({ "node": node, "dimension": "time", "limit_ms": limit_ms, "declared_ms": declared_ms }),
            )
        }
        Reason::RunDeadline => {
            let limit_ms = millis(nanos(fork.run.plan.limits.deadline));
            bad(
                Status::Timeout,
                "timeout",
                format!("the run met its deadline ({limit_ms} ms) while {agent} was at work; raise limits.deadline"),
                json!({ "node": &*fork.run.id.name, "dimension": "deadline", "limit_ms": limit_ms }),
            )
        }
        Reason::ParentEnded => cancelled("its parent ended"),
        Reason::Decided => cancelled("its siblings were enough"),
        Reason::Fused => cancelled("the run's fuse went; it is not critical"),
        Reason::Interrupted => cancelled("the run was interrupted"),
    };
    Verdict { stopped: Some(reason), ..verdict }
}

/// The host broke; the run reports that instead.
pub(crate) fn broken() -> Verdict {
    bad(Status::Failed, "host_broken", "the host itself broke; see the run's error".into(), json!({}))
}
