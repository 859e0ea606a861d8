//! What a fork costs, and how many there are in a second: the whole orchestrator against a bare fork.

use crate::bare::Bare;
use crate::rig::{Code, Part, Rig};
use crate::sample::{figure, median};
use crate::table::{Row, Target};
use anyhow::Result;
use sandfork_sandbox::settings;
use std::time::Duration;

/// One model call, nothing else.
const TRIVIAL: &str = "turns: [{ return: done }]\n";
/// Three model calls, three notes, three tool calls and a return: nine crossings.
const TEN_STEPS: &str = "turns:
  - do:
      - note: one
      - { tool: budget, as: a }
      - note: two
  - do:
      - { tool: budget, as: b }
      - note: three
  - do:
      - { tool: budget, as: c }
    return: done
";

/// Forks of one round.
const FORKS: usize = 2_000;
const ROUNDS: usize = 9;
/// Sandboxes of both pools: room for every fork of a round.
const LIVE: u32 = 2_048;

/// Both agents on one worker thread, bare and orchestrated rounds in turn.
pub(crate) fn costs() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (what, turns) in [("trivial script", TRIVIAL), ("10-step script", TEN_STEPS)] {
        let rig = Rig::new(1, LIVE, Vec::new())?;
        let plan = rig.plan(&[Part { agent: "agent", code: Code::Script(turns), forks: FORKS }])?;
        let prepared = rig.prepare(plan.clone())?;
        let (component, task) = rig.component_and_task(&plan, &prepared)?;
        let bare = Bare::new(&settings::for_scripts(LIVE), &component, true)?;
        let (mut floor, mut whole, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let lone = each(rig.runtime.block_on(bare.time(FORKS, &task))?);
            let ours = each(rig.time(&prepared)?);
            floor.push(lone);
            whole.push(ours);
            ratio.push(ours / lone);
        }
        rows.push(Row::new(format!("{what}: bare fork"), median(floor), 1, "µs", Target::None));
        rows.push(Row::new(format!("{what}: through the orchestrator"), median(whole), 1, "µs", Target::None));
        rows.push(Row::new(format!("{what}: ratio to bare"), median(ratio), 2, "×", Target::AtMost(2.0)));
    }
    Ok(rows)
}

fn each(wall: Duration) -> f64 {
    wall.as_secs_f64() * 1e6 / figure(FORKS as u64)
}

/// Forks of the trivial script in a second on one and on two worker threads. How far bare forks scale says what the machine
/// has to give at the moment.
pub(crate) fn throughput() -> Result<Vec<Row>> {
    let (one, two) = (Rig::new(1, LIVE, Vec::new())?, Rig::new(2, LIVE, Vec::new())?);
    let plan = one.plan(&[Part { agent: "agent", code: Code::Script(TRIVIAL), forks: FORKS }])?;
    let (one_plan, two_plan) = (one.prepare(plan.clone())?, two.prepare(plan.clone())?);
    let (component, task) = one.component_and_task(&plan, &one_plan)?;
    let bare = Bare::new(&settings::for_scripts(LIVE), &component, true)?;
    let (mut ones, mut twos, mut scale, mut floor) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let lone = rate(FORKS, one.runtime.block_on(bare.time(FORKS, &task))?);
        floor.push(rate(2 * FORKS, two.runtime.block_on(bare.time_twice(FORKS, &task))?) / lone);
        let (lone, both) = (rate(FORKS, one.time(&one_plan)?), rate(FORKS, two.time(&two_plan)?));
        ones.push(lone);
        twos.push(both);
        scale.push(both / lone);
    }
    Ok(vec![
        Row::new("forks a second, 1 worker thread", median(ones), 0, "", Target::None),
        Row::new("forks a second, 2 worker threads", median(twos), 0, "", Target::None),
        Row::new("2 threads against 1", median(scale), 2, "×", Target::AtLeast(1.7)),
        Row::new("2 threads against 1, bare forks", median(floor), 2, "×", Target::None),
    ])
}

fn rate(forks: usize, wall: Duration) -> f64 {
    figure(forks as u64) / wall.as_secs_f64()
}
