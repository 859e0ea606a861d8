//! The table of defaults for people: name, value as a plan would write it, meaning.

use sandfork_model::{Ancestors, Cap, ForkLimits, OnFailure, RunLimits};
use std::time::Duration;

/// Every key of `limits` with its default and its meaning, in the order of the plan's documentation. A key that has no
/// value unless written shows `absent`.
#[must_use]
pub fn defaults_table() -> Vec<(&'static str, String, &'static str)> {
    let RunLimits {
        max_depth,
        max_tasks,
        max_children,
        max_concurrency,
        max_live,
        deadline,
        ancestors,
        similar,
        budget: _,
        model_calls,
        tool_calls,
        memory_total,
        policy,
        fork,
    } = RunLimits::default();
    let ForkLimits {
        timeout,
        root_timeout,
        on_failure,
        memory,
        steps,
        fuel_per_step,
        host_calls,
        tool_result,
        output,
        notes,
        input_tokens,
        output_tokens,
        result_bytes,
        retries,
    } = fork;
    let ancestors = match ancestors {
        Ancestors::Refuse => "refuse",
        Ancestors::Allow => "allow",
    };
    let on_failure = match on_failure {
        OnFailure::Propagate => "propagate",
        OnFailure::Skip => "skip",
    };
    let sandfork_model::WaterLevels { save, spare, converge } = policy.water;
    let water = format!("{{ save: {save}, spare: {spare}, converge: {converge} }}");
    vec![
        ("max_depth", max_depth.to_string(), "deepest depth that runs; the first task has depth 0"),
        ("max_tasks", max_tasks.to_string(), "forks over the life of the run"),
        ("max_children", max_children.to_string(), "forks that one fork may start over its life"),
        ("max_concurrency", max_concurrency.to_string(), "forks computing at one time; waiting parents do not count"),
        ("max_live", max_live.to_string(), "sandboxes alive at one time, queued forks included"),
        ("deadline", time(deadline), "time of the whole run, queueing included"),
        ("ancestors", ancestors.into(), "what happens to an ancestor's agent on the ancestor's task"),
        ("similar", optional(similar), "similarity (0 to 1) above which a task is refused; absent: not checked"),
        ("budget", "absent".into(), "the run's tank by dimension; absent: max_tasks times the fork default"),
        ("model_calls", optional(model_calls), "model calls in the whole run; absent: only the turns bound them"),
        ("tool_calls", optional(tool_calls), "tool calls in the whole run; absent: only the host calls bound them"),
        ("memory_total", bytes(memory_total), "memory of all live forks together"),
        ("floors", "absent".into(), "amounts kept back for the root's answer and for acceptance"),
        ("on_shortage", "refuse".into(), "what happens to a request that the budget cannot carry"),
        ("water", water, "percent of a written cap from which on less is admitted"),
        ("fuse", optional(policy.fuse), "percent of a written cap at which the run stops all but critical forks"),
        ("tools", "absent".into(), "caps by tool: per_fork, per_run, result_tokens"),
        ("deny_at_depth", "absent".into(), "tools denied from a depth on"),
        ("loop_detector", "absent".into(), "calls without progress that are taken for a loop; absent: off"),
        ("tiers", "absent".into(), "model tiers: the price of a token in percent"),
        ("child_tier", optional(policy.child_tier), "the tier of every fork below depth 0"),
        ("rounds", "absent".into(), "how often one fork may fork, in parallel and before that one by one"),
        ("timeout", time(timeout), "a fork's time, waiting in spawn included"),
        ("root_timeout", time(root_timeout), "the root's time"),
        ("on_failure", on_failure.into(), "what a plan task's failure does to the run"),
        ("memory", bytes(memory), "a fork's memory"),
        ("steps", steps.to_string(), "a fork's turns"),
        ("fuel_per_step", fuel_per_step.to_string(), "fuel that each step brings where no fuel is written"),
        ("host_calls", host_calls.to_string(), "a fork's calls of note, spawn and tool together"),
        ("tool_result", bytes(tool_result), "size of one tool result"),
        ("output", bytes(output), "size of a fork's output"),
        ("notes", bytes(notes), "size of all notes of a fork"),
        ("input_tokens", input_tokens.to_string(), "estimated tokens a fork sends to models"),
        ("output_tokens", output_tokens.to_string(), "estimated tokens a fork receives from models"),
        ("result_bytes", size_cap(result_bytes), "size of all tool results of a fork"),
        ("retries", retries.to_string(), "second attempts of a fork"),
    ]
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "absent".into(), |value| value.to_string())
}

fn size_cap(cap: Cap) -> String {
    match cap {
        Cap::Finite(n) => bytes(n),
        Cap::Unlimited => cap.to_string(),
    }
}

/// The largest unit that leaves a whole number.
fn bytes(n: u64) -> String {
    for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1u64 << 10, "KiB")] {
        if n > 0 && n.is_multiple_of(unit) {
            return format!("{}{name}", n / unit);
        }
    }
    n.to_string()
}

/// The largest unit that leaves a whole number.
fn time(time: Duration) -> String {
    let nanos = time.as_nanos();
    for (unit, name) in [(60_000_000_000, "m"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] {
        // A minute reads well from two on: `60s`, but `5m`.
        if nanos.is_multiple_of(unit) && (name != "m" || nanos > unit) {
            return format!("{}{name}", nanos / unit);
        }
    }
    format!("{nanos}ns")
}
