//! `sandfork run`: report on stdout, progress on stderr, an exit code for scripts. Stderr alone decides how progress looks:
//! the live tree on a terminal, plain lines elsewhere, with `--json` as without.

use crate::cli::args::RunArgs;
use crate::cli::compile::is_same_file;
use crate::cli::exit::Exit;
use crate::cli::{plan, show, signal};
use crate::live::Live;
use sandfork::{Finished, HostError, Interrupt, ProgressLines, RunOptions, TranscriptDir, summary};
use sandfork_model::{EventSink, TranscriptSink};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(args: RunArgs) -> Exit {
    let is_json = args.json;
    let finished = plan::read(&args.plan).and_then(|read| {
        plan::on_runtime(&args.plan, async {
            let host = plan::host(&args.plan, &read)?;
            let prepared = host.prepare(read).await?;
            let (options, live) = options(&args)?;
            signal::watch(options.interrupt.clone());
            let finished = host.run(&prepared, options).await;
            // What is shown next stands where the view stood.
            drop(live);
            finished
        })
    });
    match finished {
        Ok(finished) => show_finished(&finished, is_json),
        Err(error) => plan::refuse(&error, is_json),
    }
}

fn show_finished(finished: &Finished, is_json: bool) -> Exit {
    let record = &finished.record;
    let exit = if record.is_interrupted { Exit::Interrupted } else { record.status.into() };
    if is_json {
        return show::document(&finished.report, exit);
    }
    let workspace = finished.workspace.as_ref().map(|path| path.display().to_string());
    show::text(&summary(record, &finished.run_id, workspace.as_deref()), exit)
}

fn options(args: &RunArgs) -> Result<(RunOptions, Option<Live>), HostError> {
    let mut sinks: Vec<Box<dyn EventSink>> = Vec::new();
    let mut events: Option<Box<dyn io::Write + Send>> = None;
    if let Some(path) = &args.events {
        if is_same_file(&args.plan.plan, path) {
            let shown = path.display();
            return Err(plan::usage(format!("--events {shown}: that is the plan itself; name another file")));
        }
        let file = File::create(path).map_err(|error| unwritable("--events", path, &error))?;
        events = Some(Box::new(file));
    }
    let transcript: Option<Arc<dyn TranscriptSink>> = match &args.transcript {
        None => None,
        Some(path) => {
            let dir = TranscriptDir::create(path).map_err(|error| unwritable("--transcript", path, &error))?;
            Some(Arc::new(dir))
        }
    };
    let live = watch(args, &mut sinks);
    let options = RunOptions {
        virtual_time: args.virtual_time,
        serial: args.serial,
        run_id: args.run_id.clone(),
        in_place: args.in_place,
        keep_events: true,
        events,
        sinks,
        interrupt: Interrupt::new(),
        transcript,
    };
    Ok((options, live))
}

/// Adds the sink that shows progress.
fn watch(args: &RunArgs, sinks: &mut Vec<Box<dyn EventSink>>) -> Option<Live> {
    if args.quiet {
        return None;
    }
    if let Some((live, feed)) = Live::start(args.virtual_time) {
        sinks.push(Box::new(feed));
        return Some(live);
    }
    sinks.push(Box::new(ProgressLines::new(io::stderr())));
    None
}

fn unwritable(flag: &str, path: &Path, error: &io::Error) -> HostError {
    plan::usage(format!("{flag} {}: cannot be written: {error}", path.display()))
}
