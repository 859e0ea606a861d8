//! How fast the host is, as one table. Every figure that is a cost of ours stands beside the cost of a bare fork of the same
//! component under the same engine settings, measured in the same run: ratios hold where absolute times drift.
//!
//! No statistics crate is used: most rows are not repetitions of a short function but waves of forks, tails of lateness and
//! memory of the process, and the one table is what is wanted. Each group runs in a process of its own, so that the memory
//! and the pools of one do not show up in the next.

mod bare;
mod calls;
mod endurance;
mod forks;
mod fuel;
mod languages;
mod neighbours;
mod readiness;
mod rig;
mod sample;
mod stops;
mod table;
mod waves;

use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};
use table::{Row, Table};

/// What one process measures.
type Group = (&'static str, fn() -> Result<Vec<Row>>);

const GROUPS: [Group; 11] = [
    ("forks", forks::costs),
    ("throughput", forks::throughput),
    ("calls", calls::costs),
    ("readiness", readiness::time),
    ("waves", waves::walls),
    ("memory", waves::memory),
    ("fuel", fuel::costs),
    ("stops", stops::lateness),
    ("endurance", endurance::growth),
    ("neighbours", neighbours::lateness),
    ("languages", languages::costs),
];

/// Named on the command line by the parent process alone.
const GROUP_FLAG: &str = "--group";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flag, name] = arguments.as_slice()
        && flag == GROUP_FLAG
    {
        return measure(name);
    }
    let chosen =
        GROUPS.iter().filter(|(name, _)| arguments.is_empty() || arguments.iter().any(|wanted| wanted == name));
    let mut table = Table::default();
    for (name, _) in chosen {
        eprintln!("measuring {name} …");
        table.extend(apart(name)?);
    }
    if table.is_empty() {
        let names: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
        bail!("no such group; there are: {}", names.join(", "));
    }
    println!("{table}");
    Ok(())
}

/// One group, here: its rows as lines.
fn measure(name: &str) -> Result<()> {
    let (_, group) = GROUPS.iter().find(|(known, _)| *known == name).context("the parent names a known group")?;
    for row in group()? {
        println!("{}", row.to_line());
    }
    Ok(())
}

/// One group in a process of its own.
fn apart(name: &str) -> Result<Vec<Row>> {
    let child = Command::new(std::env::current_exe()?).args([GROUP_FLAG, name]).stderr(Stdio::inherit()).output()?;
    if !child.status.success() {
        bail!("group {name} ended with {}", child.status);
    }
    String::from_utf8(child.stdout)?.lines().map(Row::from_line).collect()
}
