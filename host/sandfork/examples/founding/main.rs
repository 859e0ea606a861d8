//! The founding demo and its evidence, from real runs: `demo` prints the five summary lines and the table of rounds,
//! `evidence DIR` writes the machine-readable files. Used by `just demo` and `just evidence`.

mod gather;

use anyhow::{Context, Result, bail};
use gather::{Metrics, Scenes};
use sandfork::{Bench, Host, Interrupt, Overrides};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Rounds of each mode (M4-44).
const ROUNDS: u16 = 5;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let (mode, target) = (args.next(), args.next());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let state = tempfile::tempdir()?;
    runtime.block_on(async {
        let host = Host::builder().state_dir(state.path().join("state")).build()?;
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let scenes = Scenes::play(&host, &fixtures).await?;
        let metrics = Metrics::of(&scenes);
        let prepared = host.load(&fixtures.join("fork-two-modules/plan.yaml"), &Overrides::default()).await?;
        let bench = host.bench(&prepared, ROUNDS, &Interrupt::new()).await?;
        match (mode.as_deref(), target) {
            (Some("demo"), None) => demo(&scenes, &metrics, &bench),
            (Some("evidence"), Some(directory)) => evidence(&scenes, &metrics, &bench, &PathBuf::from(directory)),
            _ => bail!("usage: founding demo | founding evidence DIR"),
        }
    })
}

fn demo(scenes: &Scenes, metrics: &Metrics, bench: &Bench) -> Result<()> {
    for line in metrics.lines(&scenes.research) {
        println!("{line}");
    }
    println!("\n{}", table(bench)?);
    if metrics.passed() != metrics.checks.len() {
        let failed: Vec<&str> = metrics.checks.iter().filter(|(_, holds)| !holds).map(|(name, _)| *name).collect();
        bail!("{} checks do not hold: {}", failed.len(), failed.join("; "));
    }
    Ok(())
}

/// Rounds of both modes with their medians (M4-44, M4-45).
fn table(bench: &Bench) -> Result<String> {
    let mut text = String::from("round   serial ms   parallel ms   ratio\n");
    for (place, round) in bench.rounds.iter().enumerate() {
        let ratio = round.serial_ms / round.parallel_ms;
        writeln!(text, "{:>5}   {:>9.1}   {:>11.1}   {ratio:>5.2}", place + 1, round.serial_ms, round.parallel_ms)?;
    }
    let (serial, parallel) = (bench.serial_median_ms(), bench.parallel_median_ms());
    let inverted = bench.rounds.iter().filter(|round| round.parallel_ms >= round.serial_ms).count();
    writeln!(text, "median  {serial:>9.1}   {parallel:>11.1}   {:>5.2}", bench.speedup())?;
    writeln!(text, "saved {:.1} ms; rounds inverted: {inverted}", serial - parallel)?;
    Ok(text)
}

fn evidence(scenes: &Scenes, metrics: &Metrics, bench: &Bench, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("making {}", directory.display()))?;
    let write = |name: &str, text: String| -> Result<()> {
        let path = directory.join(name);
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        println!("{}", path.display());
        Ok(())
    };
    let trace: String = scenes.two_modules.events.iter().map(|event| format!("{event}\n")).collect();
    write("m4-benchmark.json", format!("{:#}\n", bench.to_json()))?;
    write("m4-results.txt", table(bench)?)?;
    write("m4-trace.jsonl", trace)?;
    write("21-multi-agent-v1.json", format!("{:#}\n", metrics.evidence()))
}
