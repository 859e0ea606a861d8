//! Many forks at once that mostly wait: how long the whole takes against the ideal, and what memory each holds meanwhile.

use crate::rig::{Code, Part, Rig};
use crate::sample::{figure, median, page_table_kib, resident_kib};
use crate::table::{Row, Target};
use anyhow::Result;
use sandfork::RunOptions;
use std::time::{Duration, Instant};

/// Three turns of 80 ms.
const THINKER: &str = "turns: [{ think: 80ms }, { think: 80ms }, { think: 80ms, return: done }]\n";
/// The same, waiting long enough to be looked at.
const SLEEPER: &str = "turns: [{ think: 4s, return: done }]\n";
const ASLEEP: Duration = Duration::from_secs(4);
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

/// Memory of a live fork: what this process holds while all of them wait, less what it held before. Events have no sink
/// here: they are the log's memory, not the forks'.
pub(crate) fn memory() -> Result<Vec<Row>> {
    let rig = Rig::new(2, u32::try_from(MOST)?, Vec::new())?;
    let mut plan = rig.plan(&[Part { agent: "agent", code: Code::Script(SLEEPER), forks: MOST }])?;
    plan.limits.max_concurrency = MOST as u64;
    let prepared = rig.prepare(plan)?;
    let before = (resident_kib()?, page_table_kib()?);
    let started = Instant::now();
    let (record, held) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            // All have started by then, and none has woken.
            std::thread::sleep(ASLEEP.saturating_sub(Duration::from_secs(1)));
            anyhow::Ok((resident_kib()?, page_table_kib()?))
        });
        let record = rig.run_with(&prepared, RunOptions::default())?;
        let held = watch.join().map_err(|_| anyhow::anyhow!("the watch panicked"))??;
        anyhow::Ok((record, held))
    })?;
    let asleep = record.outcomes.iter().filter(|outcome| outcome.counts.queued_ns < 1_000_000_000).count();
    anyhow::ensure!(
        asleep == MOST && started.elapsed() >= ASLEEP,
        "only {asleep} of {MOST} were waiting when looked at"
    );
    let each = |held: f64, before: f64| (held - before) / figure(MOST as u64);
    Ok(vec![
        Row::new("resident memory of a live fork, at 10000", each(held.0, before.0), 1, "KiB", Target::AtMost(32.0)),
        Row::new("page tables of a live fork, at 10000", each(held.1, before.1), 1, "KiB", Target::None),
    ])
}
