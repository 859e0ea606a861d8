//! Twenty thousand forks in a row: what they leave behind in this process.

use crate::rig::{Code, Part, Rig};
use crate::sample::{figure, mappings, resident_kib};
use crate::table::{Row, Target};
use anyhow::Result;

const SCRIPT: &str = "turns: [{ do: [{ note: one }, { tool: budget }] }, { return: done }]\n";
const FORKS: usize = 1_000;
/// Runs after which everything that warms up is warm.
const WARM: usize = 20;
const RUNS: usize = 20;

/// Growth of resident memory and of mappings over the runs after the warm ones.
pub(crate) fn growth() -> Result<Vec<Row>> {
    let rig = Rig::new(2, 1_024, Vec::new())?;
    let prepared = rig.prepare(rig.plan(&[Part { agent: "agent", code: Code::Script(SCRIPT), forks: FORKS }])?)?;
    for _ in 0..WARM {
        rig.time(&prepared)?;
    }
    let before = (resident_kib()?, mappings()?);
    for _ in 0..RUNS {
        rig.time(&prepared)?;
    }
    let grown = (resident_kib()? - before.0, mappings()?.saturating_sub(before.1));
    // A leak of a hundred bytes a fork would be two MiB.
    Ok(vec![
        Row::new("20000 forks in a row: resident memory grows by", grown.0 / 1024.0, 2, "MiB", Target::AtMost(2.0)),
        Row::new("20000 forks in a row: memory mappings grow by", figure(grown.1 as u64), 0, "", Target::AtMost(8.0)),
    ])
}
