//! `sandfork events`: kept logs ingested once more, and what each task amounts to by them.

use crate::cli::args::EventsArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show};
use sandfork::Ingested;
use sandfork_report::plain::plain;
use sandfork_report::publish::publish;
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn events(args: &EventsArgs) -> Exit {
    match sandfork::ingest_files(&args.files, &args.needs) {
        Ok(ingested) => {
            let exit = exit(&ingested);
            if args.json { show::document(&document(&ingested), exit) } else { show::text(&words(&ingested), exit) }
        }
        Err(error) => plan::refuse(&error, args.json),
    }
}

/// What was rejected is a failure; what only waits makes it partial; copies are nothing.
fn exit(ingested: &Ingested) -> Exit {
    if ingested.counts.conflicts + ingested.counts.refused > 0 {
        Exit::Failed
    } else if ingested.held > 0 {
        Exit::Partial
    } else {
        Exit::Completed
    }
}

fn document(ingested: &Ingested) -> Value {
    let counts = &ingested.counts;
    let tasks: Vec<Value> = ingested
        .state
        .tasks()
        .map(|(run_id, task_id, task)| {
            json!({
                "run_id": run_id, "task_id": task_id, "status": task.status(), "events": task.events(),
                "artifact_refs": task.artifact_refs, "refused": task.refused, "join_fired": task.is_join_fired,
            })
        })
        .collect();
    let waiting: Vec<Value> = ingested
        .waiting
        .iter()
        .map(|([run_id, task_id, agent_id], reason)| {
            json!({
                "run_id": run_id, "task_id": task_id, "agent_id": agent_id, "waiting_for": reason.to_string(),
            })
        })
        .collect();
    publish(json!({
        "schema": "sandfork.events.v1",
        "delivered": counts.delivered, "applied": counts.applied, "held": ingested.held,
        "duplicates": counts.duplicates, "conflicts": counts.conflicts, "refused": counts.refused,
        "tasks": tasks,
        "waiting": waiting,
        "missing": ingested.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "rejected": ingested.rejected,
    }))
}

fn words(ingested: &Ingested) -> String {
    let counts = &ingested.counts;
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        text,
        "{} deliveries: {} applied, {} held, {} duplicate, {} conflicting, {} refused",
        counts.delivered, counts.applied, ingested.held, counts.duplicates, counts.conflicts, counts.refused
    );
    for (run, task, state) in ingested.state.tasks() {
        let _ = writeln!(
            text,
            "  {:<40} {:<14} {:>6} events",
            plain(&format!("{run} {task}")),
            plain(state.status()),
            state.events()
        );
    }
    for ([run, task, agent], reason) in &ingested.waiting {
        let _ =
            writeln!(text, "waiting: {} for {}", plain(&format!("{run} {task} ({agent})")), plain(&reason.to_string()));
    }
    for missing in &ingested.missing {
        let _ = writeln!(text, "missing: {}", plain(&missing.to_string()));
    }
    for rejected in &ingested.rejected {
        let _ = writeln!(text, "{}", plain(rejected));
    }
    if counts.refused == counts.delivered && counts.delivered > 0 {
        let log = "`sandfork run PLAN --events FILE` writes one, and a kept run has its own in .sandfork/runs/RUN/events.jsonl";
        let _ = writeln!(text, "hint: this is no event log: {log}");
    }
    sandfork::model::redact::redact(&text).into_owned()
}
