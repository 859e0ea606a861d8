//! Many forks at once that mostly wait: how long the whole takes against the ideal, and what memory each holds meanwhile.

use crate::rig::{Code, Part, Rig};
use crate::sample::{figure, median, page_table_kib, resident_kib};
use crate::table::{Row, Target};
use anyhow::Result;
use sandfork::RunOptions;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Three turns of 80 ms.
const THINKER: &str = "turns: [{ think: 80ms }, { think: 80ms }, { think: 80ms, return: done }]\n";
/// The same, waiting long enough to be looked at.
const SLEEPER: &str = "turns: [{ think: 3s, return: done }]\n";
const IDEAL_MS: f64 = 240.0;
const MOST: usize = 10_000;

/// Forks, rounds, and the most that the wall may be of the ideal.
const WAVES: [(usize, usize, f64); 5] = [(2, 9, 1.02), (10, 9, 1.02), (100, 9, 1.05), (1_000, 7, 1.1), (MOST, 5, 1.4)];

/// The wall of N forks of 3 × 80 ms on two worker threads.
pub(crate) fn walls() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (forks, rounds, most) in WAVES {
        let rig = Rig::new(2, u32::try_from(forks)?, Vec::new())?;
        let mut plan = rig.plan(&[Part { agent: "agent", code: Code::Script(THINKER), forks }])?;
        plan.limits.max_concurrency = forks as u64;
        let prepared = rig.prepare(plan)?;
        // The first run touches the memory of every slot.
        rig.time(&prepared)?;
        let walls = (0..rounds).map(|_| Ok(rig.time(&prepared)?.as_secs_f64() * 1e3));
        let wall = median(walls.collect::<Result<_>>()?);
        rows.push(Row::new(format!("{forks} forks of 3 × 80 ms: wall"), wall, 1, "ms", Target::None));
        let target = Target::AtMost(most);
        rows.push(Row::new(format!("{forks} forks of 3 × 80 ms: of the ideal"), wall / IDEAL_MS, 3, "×", target));
    }
    Ok(rows)
}

/// Resident memory of a live fork: the most this process held while all of them wait, less what it held before. Events have
/// no sink here: they are the log's memory, not the forks'.
pub(crate) fn memory() -> Result<Vec<Row>> {
    let rig = Rig::new(2, u32::try_from(MOST)?, Vec::new())?;
    let mut plan = rig.plan(&[Part { agent: "agent", code: Code::Script(SLEEPER), forks: MOST }])?;
    plan.limits.max_concurrency = MOST as u64;
    let prepared = rig.prepare(plan)?;
    let before = (resident_kib()?, page_table_kib()?);
    let is_over = AtomicBool::new(false);
    let most = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = (0.0_f64, 0.0_f64);
            while !is_over.load(Ordering::Acquire) {
                most = (most.0.max(resident_kib()?), most.1.max(page_table_kib()?));
                std::thread::sleep(Duration::from_millis(5));
            }
            anyhow::Ok(most)
        });
        let ran = rig.run_with(&prepared, RunOptions::default());
        is_over.store(true, Ordering::Release);
        ran?;
        watch.join().map_err(|_| anyhow::anyhow!("the watch panicked"))?
    })?;
    let (resident, tables) = ((most.0 - before.0) / figure(MOST as u64), (most.1 - before.1) / figure(MOST as u64));
    let target = Target::AtMost(32.0);
    Ok(vec![
        Row::new("resident memory of a live fork, at 10000", resident, 1, "KiB", target),
        Row::new("page tables of a live fork, at 10000", tables, 1, "KiB", Target::None),
    ])
}
