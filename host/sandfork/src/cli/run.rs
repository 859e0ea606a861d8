//! `sandfork run`: report on stdout, progress on stderr, an exit code for scripts.

use crate::cli::args::RunArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show, signal};
use sandfork::{EventLines, Finished, HostError, Interrupt, ProgressLines, RunOptions, TranscriptDir, summary};
use sandfork_model::EventSink;
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
            let options = options(&args)?;
            signal::watch(options.interrupt.clone());
            host.run(&prepared, options).await
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

fn options(args: &RunArgs) -> Result<RunOptions, HostError> {
    let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(ProgressLines::new(io::stderr()))];
    if let Some(path) = &args.events {
        let file = File::create(path).map_err(|error| unwritable("--events", path, &error))?;
        sinks.push(Box::new(EventLines::new(file)));
    }
    let mut options = RunOptions {
        virtual_time: args.virtual_time,
        serial: args.serial,
        run_id: args.run_id.clone(),
        in_place: args.in_place,
        sinks,
        interrupt: Interrupt::new(),
        transcript: None,
    };
    if let Some(path) = &args.transcript {
        let dir = TranscriptDir::create(path).map_err(|error| unwritable("--transcript", path, &error))?;
        options.transcript = Some(Arc::new(dir));
    }
    Ok(options)
}

fn unwritable(flag: &str, path: &Path, error: &io::Error) -> HostError {
    plan::usage(format!("{flag} {}: cannot be written: {error}", path.display()))
}
