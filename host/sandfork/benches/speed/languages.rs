//! What each language costs: the shipped researcher (and, to be looked at while it waits, the exam) in Rust, JavaScript and
//! Python, built before by `sandfork build`. A language is a line of the list; nothing here knows how one is built, only how long
//! that takes again.

use crate::rig::{Code, Part, Rig};
use crate::sample::{figure, median, resident_kib};
use crate::table::{Row, Target};
use anyhow::{Context, Result, anyhow, bail, ensure};
use sandfork::model::port::Footprint;
use sandfork::model::{Plan, Runtime as _, Shape};
use sandfork::project::{BuildOptions, Silent};
use sandfork::{RunOptions, Unbuilt};
use sandfork_sandbox::{CodeCache, LoadLimits, PoolLimits, Sandboxes};
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Each language, how its agents' names end, and the most milliseconds until code that was kept is ready.
const LANGUAGES: [(&str, &str, Target); 3] = [
    ("Rust", "", Target::AtMost(1.0)),
    ("JavaScript", "-js", Target::None),
    ("Python", "-python", Target::AtMost(100.0)),
];

/// Loads of code that was kept.
const LOADS: usize = 9;
/// Forks of one round; as many sandboxes are in the pool, for forks that wait to compute need one.
const FORKS: usize = 100;
const LIVE: u32 = 100;
const ROUNDS: usize = 9;
/// Rounds after which everything that warms up is warm, and rounds that make five thousand forks.
const WARM: usize = 10;
const ROW: usize = 50;
/// How long a fork waits that is to be looked at, and when it is looked at; whoever has started two seconds before is waiting.
const ASLEEP: Duration = Duration::from_secs(8);
const LOOKED: Duration = Duration::from_secs(7);
const STARTED: Duration = Duration::from_secs(5);

/// All figures of all languages.
pub(crate) fn costs() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (language, ending, target) in LANGUAGES {
        let (researcher, exam) = (built(&format!("researcher{ending}"))?, built(&format!("exam{ending}"))?);
        let bytes = std::fs::read(&researcher)?;
        let mut row = |what: &str, figure: f64, decimals: usize, unit: &str, target: Target| {
            rows.push(Row::new(format!("{language}: {what}"), figure, decimals, unit, target));
        };
        row("component", figure(bytes.len() as u64) / 1024.0, 0, "KiB", Target::None);
        let (compiled, found) = readiness(&bytes)?;
        row("component to ready to fork, compiled", compiled, 0, "ms", Target::None);
        row("component to ready to fork, found again", found, 2, "ms", target);
        row("a fork that reads a file", fork(&researcher)?, 0, "µs", Target::None);
        row("resident memory of a live fork, at 100", live(&exam)?, 0, "KiB", Target::None);
        row("5000 forks in a row: resident memory grows by", growth(&researcher)?, 2, "MiB", Target::AtMost(2.0));
        row("build after an edit", build(&format!("researcher{ending}"))?, 1, "s", Target::None);
    }
    Ok(rows)
}

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest-agents")
}

fn built(name: &str) -> Result<PathBuf> {
    let component = agents().join(name).join("build").join(format!("{name}.wasm"));
    if !component.is_file() {
        bail!("guest-agents/{name} is not built; run: guest-agents/toolchain sandfork build guest-agents/{name}");
    }
    Ok(component)
}

/// Milliseconds from bytes to an agent that can be forked: compiled, and with code that was kept by another host.
fn readiness(component: &[u8]) -> Result<(f64, f64)> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let home = tempfile::tempdir()?;
    let load = || -> Result<f64> {
        let cache = CodeCache::open(home.path());
        let sandboxes = Sandboxes::with_cache(PoolLimits { live_forks: LIVE }, LoadLimits::default(), Some(cache))?;
        // The pool is made once for all languages: it is no part of what one of them costs.
        ensure!(sandboxes.capacity(Footprint::Large) > 0, "this machine has no room for language guests");
        let component = component.into();
        let started = Instant::now();
        runtime.block_on(sandboxes.load(component)).map_err(|why| anyhow!(why.message))?;
        Ok(started.elapsed().as_secs_f64() * 1e3)
    };
    let compiled = load()?;
    let found = (0..LOADS).map(|_| load()).collect::<Result<_>>()?;
    Ok((compiled, median(found)))
}

/// A plan of forks of one component, each with this context.
fn plan(rig: &Rig, component: &Path, forks: usize, context: &Value) -> Result<Plan> {
    let mut plan = rig.plan(&[Part { agent: "agent", code: Code::Built(component), forks }])?;
    if let Shape::Tasks(tasks) = &mut plan.shape {
        for task in tasks {
            task.context = context.clone();
        }
    }
    plan.limits.memory_total = u64::try_from(forks)? * plan.limits.fork.memory;
    plan.workspace = Some(agents().join("researcher/workspace"));
    Ok(plan)
}

fn reading(rig: &Rig, researcher: &Path) -> Result<Plan> {
    plan(rig, researcher, FORKS, &json!({ "path": "rivers.md" }))
}

/// Microseconds of a fork that notes, reads a file and returns what is in it, on one worker thread.
fn fork(researcher: &Path) -> Result<f64> {
    let rig = Rig::new(1, LIVE, Vec::new())?;
    let prepared = rig.prepare(reading(&rig, researcher)?)?;
    // The first run touches the memory of every slot.
    rig.time(&prepared)?;
    let walls = (0..ROUNDS).map(|_| Ok(rig.time(&prepared)?.as_secs_f64() * 1e6 / figure(FORKS as u64)));
    Ok(median(walls.collect::<Result<_>>()?))
}

/// KiB that a fork holds while it waits: what this process holds then, less what it held before, for each of them.
fn live(exam: &Path) -> Result<f64> {
    let rig = Rig::new(2, LIVE, Vec::new())?;
    let mut plan = plan(&rig, exam, FORKS, &json!({ "do": "wait", "ms": u64::try_from(ASLEEP.as_millis())? }))?;
    plan.limits.max_concurrency = u64::from(LIVE);
    plan.limits.fork.timeout = ASLEEP * 4;
    let prepared = rig.prepare(plan)?;
    let before = resident_kib()?;
    let (record, held) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            // All have started by then, and none has woken.
            std::thread::sleep(LOOKED);
            resident_kib()
        });
        let record = rig.run_with(&prepared, RunOptions::default())?;
        let held = watch.join().map_err(|_| anyhow!("the watch panicked"))??;
        anyhow::Ok((record, held))
    })?;
    if let Some(bad) = record.outcomes.iter().find(|outcome| !outcome.is_ok()) {
        bail!("{} is not ok: {:?}", bad.task.task_id, bad.error);
    }
    let is_asleep = |queued_ns: u64| Duration::from_nanos(queued_ns) < STARTED;
    let asleep = record.outcomes.iter().filter(|outcome| is_asleep(outcome.counts.queued_ns)).count();
    ensure!(asleep == FORKS, "only {asleep} of {FORKS} were waiting when looked at");
    Ok((held - before) / f64::from(LIVE))
}

/// MiB that resident memory grows by over five thousand forks.
fn growth(researcher: &Path) -> Result<f64> {
    let rig = Rig::new(2, LIVE, Vec::new())?;
    let prepared = rig.prepare(reading(&rig, researcher)?)?;
    for _ in 0..WARM {
        rig.time(&prepared)?;
    }
    let before = resident_kib()?;
    for _ in 0..ROW {
        rig.time(&prepared)?;
    }
    Ok((resident_kib()? - before) / 1024.0)
}

/// Seconds that `sandfork build` takes when a source has changed and everything that it depends on has not.
fn build(name: &str) -> Result<f64> {
    let directory = agents().join(name);
    let source = directory.join("src/lib.rs");
    if source.is_file() {
        // Cargo looks at times; the other toolchains have no memory.
        File::options().write(true).open(&source)?.set_modified(SystemTime::now())?;
    }
    let project = sandfork::read_project(&directory).map_err(|failure| anyhow!(failure.message))?;
    let started = Instant::now();
    sandfork::build_project(&project, BuildOptions { force: true }, &mut Silent)
        .map_err(|error| match error {
            Unbuilt::Wrong(failure) | Unbuilt::Failed(failure) | Unbuilt::Stopped(failure) => anyhow!(failure.message),
        })
        .with_context(|| format!("guest-agents/{name}"))?;
    Ok(started.elapsed().as_secs_f64())
}
