//! What one fork was given beside what was written for it, as one row. Compares; judges nothing.

use crate::asker::Asker;
use crate::clock::nanos;
use crate::fork::Fork;
use crate::layers::LAYERS;
use crate::packet;
use crate::tooling::denied_from;
use sandfork_model::grant::ALWAYS_GRANTED;
use sandfork_model::{Cap, Dimension, OnFailure, Request, RetrySpec, ReviewSpec};
use std::collections::HashSet;

/// One fork that the plan leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Its tree path; of a fork that a guest asks for, with the agent's name as last part.
    pub task_id: String,
    /// Agent name.
    pub agent: String,
    /// 0 for the plan's own.
    pub depth: u32,
    /// Who asks for it: the plan, a planner, a parent.
    pub asked_by: String,
    /// Why it would not start: code and message. The rest is empty then.
    pub refused: Option<(String, String)>,
    /// What it would wait for: code and message of what the budget falls short of until siblings have ended. What it then
    /// gets depends on what they leave, so the rest is empty.
    pub queued: Option<(String, String)>,
    /// Tools it may call.
    pub tools: Vec<String>,
    /// Tools it may hand on only.
    pub delegate: Vec<String>,
    /// Agents it may fork.
    pub spawn: Vec<String>,
    /// What it may spend, by dimension, then `memory` (bytes) and `time_ms`.
    pub spend: Vec<Spend>,
    /// Bytes of each layer of its opening messages.
    pub layers: Vec<(&'static str, u64)>,
    /// Keys of the shared input.
    pub shared: Vec<String>,
    /// What was taken away, and by which rule; one sentence each.
    pub taken: Vec<String>,
    /// For whom it waits; `None` unless the plan has tasks that wait.
    pub waits: Option<Waits>,
    /// What follows its end; `None` for whom no task of the plan names.
    pub follows: Option<Follows>,
    /// Whether it holds the run's whole tank, to hand on: a root does.
    pub holds_tank: bool,
}

/// What a plan's task says of its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Follows {
    /// How often it is done again if it ends badly, and what changes.
    pub retry: RetrySpec,
    /// Who must accept its output.
    pub review: Option<ReviewSpec>,
    /// What a bad end does to the run.
    pub on_failure: OnFailure,
}

/// When a task of the plan starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// 0 for a task that waits for nobody, else one more than the deepest that it waits for.
    pub layer: u32,
    /// Ids of what must be ok before.
    pub needs: Vec<String>,
    /// Ids of what must have ended before, however.
    pub needs_optional: Vec<String>,
}

/// One thing that is limited: who said what, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spend {
    /// The dimension's name.
    pub name: &'static str,
    /// The table of defaults.
    pub default: u64,
    /// The agent's entry.
    pub entry: Option<u64>,
    /// The task.
    pub task: Option<u64>,
    /// What the fork gets.
    pub result: u64,
}

/// The row of a fork that has not begun.
pub(crate) fn row(asker: Asker<'_>, fork: &Fork, request: &Request, asked_by: &str) -> Explained {
    let before = fork.run.layers.bytes();
    packet::document(fork);
    let after = fork.run.layers.bytes();
    let layers = LAYERS.iter().zip(after.iter().zip(before)).map(|(name, (after, before))| (*name, after - before));
    let spend = spend(fork);
    let mut taken = taken_tools(fork);
    taken.extend(taken_amounts(asker, fork, &spend));
    Explained {
        task_id: fork.task.task_id.to_string(),
        agent: request.agent.clone(),
        depth: fork.task.depth,
        asked_by: asked_by.to_owned(),
        refused: None,
        queued: None,
        tools: fork.grant.tools.iter().filter(|tool| denial(fork, tool).is_none()).cloned().collect(),
        delegate: fork.grant.delegate.iter().cloned().collect(),
        spawn: fork.grant.spawn.iter().cloned().collect(),
        spend,
        layers: layers.collect(),
        shared: fork.run.plan.shared.keys().cloned().collect(),
        taken,
        waits: None,
        follows: None,
        holds_tank: is_root(asker, fork),
    }
}

fn is_root(asker: Asker<'_>, fork: &Fork) -> bool {
    asker.asks_for_root() && fork.task.depth == 0
}

fn denial(fork: &Fork, tool: &str) -> Option<u32> {
    denied_from(&fork.run.plan.limits.policy, fork.task.depth, tool)
}

fn spend(fork: &Fork) -> Vec<Spend> {
    let limits = &fork.run.plan.limits;
    let defaults = limits.fork.amounts();
    let (entry, task) = (&fork.row.entry.budget, &fork.options.budget);
    let (by_entry, by_task) = (entry.amounts(limits.fork.fuel_per_step), task.amounts(limits.fork.fuel_per_step));
    let granted = fork.state.lock().budget.as_ref().map(|budget| *budget.granted()).unwrap_or_default();
    let mut all: Vec<Spend> = Dimension::ALL
        .into_iter()
        .map(|dimension| Spend {
            name: dimension.name(),
            default: defaults.get(dimension),
            entry: by_entry(dimension),
            task: by_task(dimension),
            // A root holds more turns than it may itself use.
            result: if dimension == Dimension::Turns {
                granted.get(dimension).min(fork.ceilings.steps)
            } else {
                granted.get(dimension)
            },
        })
        .collect();
    let time = if is_root(Asker::Plan(&fork.run), fork) { limits.fork.root_timeout } else { limits.fork.timeout };
    let ms = |duration| nanos(duration) / 1_000_000;
    all.push(Spend {
        name: "memory",
        default: limits.fork.memory,
        entry: entry.memory.map(Cap::ceiling),
        task: task.memory.map(Cap::ceiling),
        result: fork.ceilings.memory_bytes,
    });
    all.push(Spend {
        name: "time_ms",
        default: ms(time),
        entry: fork.row.entry.timeout.map(ms),
        task: fork.options.timeout.map(ms),
        result: fork.ceilings.timeout_ns / 1_000_000,
    });
    all
}

/// Tools that somebody wrote for this agent and that it does not have.
fn taken_tools(fork: &Fork) -> Vec<String> {
    let manifest = fork.run.agents.manifest_tools(&fork.row.entry.name).unwrap_or_default();
    let written = fork.row.entry.tools.iter().flatten().chain(manifest).chain(fork.options.tools.iter().flatten());
    let mut told = HashSet::new();
    let mut taken = Vec::new();
    for tool in written.filter(|tool| told.insert(tool.as_str())) {
        if let Some(depth) = denial(fork, tool) {
            taken.push(format!("{tool}: denied from depth {depth} on (limits.deny_at_depth)"));
        } else if !fork.grant.tools.contains(tool) && !ALWAYS_GRANTED.contains(&tool.as_str()) {
            let by = if fork.options.tools.is_some() { "not among the task's tools" } else { "not in the plan entry" };
            taken.push(format!("{tool}: {by}"));
        }
    }
    taken
}

/// Amounts that came out smaller than what was written, or than the default where nothing was.
fn taken_amounts(asker: Asker<'_>, fork: &Fork, spend: &[Spend]) -> Vec<String> {
    let whose = match asker.fork() {
        None => "the run".to_owned(),
        Some(parent) => parent.task.task_id.to_string(),
    };
    let node = fork.parent.as_ref();
    spend
        .iter()
        .filter_map(|one| {
            let wanted = one.task.or(one.entry).unwrap_or(one.default);
            let who = match (one.task, one.entry) {
                (Some(_), _) => "the task asks",
                (None, Some(_)) => "the plan entry asks",
                (None, None) => "the default is",
            };
            if one.result >= wanted {
                return None;
            }
            let rule = match (one.name, node) {
                ("time_ms", None) => "clamped by the run's deadline".to_owned(),
                ("time_ms", Some(_)) => format!("clamped to what {whose} has left, which keeps 20 ms"),
                ("memory", _) => format!("clamped to {whose}'s own"),
                (_, None) => "its share of what the run's tank has left".to_owned(),
                (_, Some(_)) => format!("its share of what {whose} has left beside what it keeps"),
            };
            Some(format!("{}: {who} {wanted}, it gets {}: {rule}", one.name, one.result))
        })
        .collect()
}
