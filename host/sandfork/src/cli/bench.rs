//! `sandfork bench`: the figures as a table, or as one document.

use crate::cli::args::BenchArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show, signal};
use sandfork::{Bench, Interrupt, summary};
use std::fmt::Write as _;

pub(crate) fn bench(args: BenchArgs) -> Exit {
    let benched = plan::read(&args.plan).and_then(|read| {
        let name = read.name.clone();
        let bench = plan::on_runtime(&args.plan, async {
            let host = plan::host(&args.plan, &read)?;
            let prepared = host.prepare(read).await?;
            let interrupt = Interrupt::new();
            signal::watch(interrupt.clone());
            host.bench(&prepared, args.rounds, &interrupt).await
        })?;
        Ok((name, bench))
    });
    let (name, bench) = match benched {
        Ok(benched) => benched,
        Err(error) => return plan::refuse(&error, args.json),
    };
    let exit = match &bench.spoilt {
        None => Exit::Completed,
        Some(record) => {
            let advice = "error: only runs that complete can be timed; `sandfork run` shows the same without timing";
            show::say(&format!("{}{advice}", summary(record, &name, None)));
            if record.is_interrupted { Exit::Interrupted } else { record.status.into() }
        }
    };
    if args.json {
        return show::document(&bench.to_json(), exit);
    }
    // Figures of no round would be noughts.
    if bench.rounds.is_empty() { exit } else { show::text(&table(&name, &bench), exit) }
}

fn table(name: &str, bench: &Bench) -> String {
    let mut text = format!("{name}: {} rounds\n\n  round  serial ms  parallel ms  speedup\n", bench.rounds.len());
    let mut row = |round: &str, serial: f64, parallel: f64, speedup: f64| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {round:<6} {serial:>9.1}  {parallel:>11.1}  {speedup:>6.2}x");
    };
    for (number, round) in bench.rounds.iter().enumerate() {
        let speedup = if round.parallel_ms > 0.0 { round.serial_ms / round.parallel_ms } else { 0.0 };
        row(&(number + 1).to_string(), round.serial_ms, round.parallel_ms, speedup);
    }
    row("median", bench.serial_median_ms(), bench.parallel_median_ms(), bench.speedup());
    text
}
