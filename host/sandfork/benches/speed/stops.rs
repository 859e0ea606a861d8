//! How late a stop lands: a time limit over a guest that spins, and a thousand siblings that are no longer wanted.

use crate::rig::{Code, Part, Rig, endless};
use crate::sample::{figure, median, percentile};
use crate::table::{Row, Target};
use anyhow::{Context, Result};
use sandfork::model::event::{Event, EventBody};
use sandfork::model::{Cap, RunRecord, Shape, Status};
use std::fmt::Write as _;
use std::time::Duration;

const SPIN: &str = include_str!("../../../../fixtures/guests/spin.wat");
const TIMEOUT: Duration = Duration::from_millis(50);
const SPINNERS: usize = 100;
const SUBTREE: usize = 1_000;
const ROUNDS: usize = 7;

/// Both, on one and on two worker threads.
pub(crate) fn lateness() -> Result<Vec<Row>> {
    let mut rows = timeout()?;
    rows.extend(cancel()?);
    Ok(rows)
}

/// One spinning fork at a time, on one worker thread.
fn timeout() -> Result<Vec<Row>> {
    let rig = Rig::new(1, u32::try_from(SPINNERS)?, Vec::new())?;
    let mut plan = rig.plan(&[Part { agent: "spin", code: Code::Wat(SPIN), forks: SPINNERS }])?;
    endless(&mut plan.limits, TIMEOUT);
    plan.limits.max_live = SPINNERS as u64;
    plan.limits.max_concurrency = 1;
    let prepared = rig.prepare(plan)?;
    let (record, _) = rig.run(&prepared)?;
    let ended = record.outcomes.iter().filter(|outcome| outcome.status == Status::Timeout);
    let late: Vec<f64> = ended.map(|outcome| figure(outcome.counts.elapsed_ns) / 1e6 - 50.0).collect();
    let met = late.len();
    anyhow::ensure!(
        met == SPINNERS,
        "only {met} of {SPINNERS} met their limit: {:?}",
        first_error(&record, Status::Timeout)
    );
    let target = Target::AtMost(10.0);
    Ok(vec![
        Row::new("50 ms limit over a spinning guest: late by, p50", percentile(late.clone(), 50), 2, "ms", target),
        Row::new("50 ms limit over a spinning guest: late by, p99", percentile(late, 99), 2, "ms", target),
    ])
}

/// From the moment a quick child decides a `first_ok` to the parent's end, when a thousand siblings have been stopped.
fn cancel() -> Result<Vec<Row>> {
    let rig = Rig::new(2, u32::try_from(SUBTREE + 2)?, Vec::new())?;
    let mut parent =
        String::from("spawn: [slow, quick]\nturns:\n  - do:\n      - spawn:\n          - { agent: quick, goal: q }\n");
    for child in 0..SUBTREE {
        writeln!(parent, "          - {{ agent: slow, goal: \"{child}\" }}")?;
    }
    parent.push_str("        options: { return: first_ok }\n    return: done\n");
    let part = |agent, code| Part { agent, code: Code::Script(code), forks: 1 };
    let slow = "turns: [{ think: 60s, return: done }]\n";
    let quick = "turns: [{ think: 300ms, return: done }]\n";
    let mut plan = rig.plan(&[part("lead", &parent), part("slow", slow), part("quick", quick)])?;
    if let Some(lead) = plan.agents.first_mut() {
        lead.spawn = vec!["slow".into(), "quick".into()];
    }
    // A root holds the whole tank, so that a thousand children each have their share.
    if let Some(task) = plan.shape.tasks().first().cloned() {
        plan.shape = Shape::Root(Box::new(task));
    }
    let forks = SUBTREE as u64 + 2;
    plan.limits.max_tasks = Cap::Finite(forks);
    plan.limits.max_children = Cap::Finite(forks);
    plan.limits.max_live = forks;
    plan.limits.max_concurrency = forks;
    plan.limits.memory_total = forks << 20;
    let prepared = rig.prepare(plan)?;
    rig.run(&prepared)?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let (record, events) = rig.run(&prepared)?;
        let cancelled = record.outcomes.iter().filter(|outcome| outcome.status == Status::Cancelled).count();
        anyhow::ensure!(
            cancelled == SUBTREE,
            "only {cancelled} of {SUBTREE} were cancelled: {:?}",
            first_error(&record, Status::Cancelled)
        );
        let end = |agent: &str| returned(&events, agent).with_context(|| format!("{agent} returned"));
        times.push(figure(end("lead")? - end("quick")?) / 1e6);
    }
    Ok(vec![Row::new("cancelling 1000 forks", median(times), 1, "ms", Target::AtMost(20.0))])
}

fn returned(events: &[Event], agent: &str) -> Option<u64> {
    let is_end = |event: &&Event| matches!(event.body, EventBody::SubagentReturn { .. }) && &*event.task.agent == agent;
    events.iter().find(is_end).map(|event| event.at_ns)
}

fn first_error(record: &RunRecord, expected: Status) -> Option<&str> {
    let unexpected = record.outcomes.iter().filter(|outcome| outcome.status != expected);
    unexpected.filter_map(|outcome| outcome.error.as_ref()).map(|error| error.message.as_str()).next()
}
