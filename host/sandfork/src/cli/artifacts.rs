//! `sandfork artifacts`: what a kept run produced, listed with where each comes from, or one of them printed as it is.

use crate::cli::args::ArtifactsArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show};
use sandfork::{ArtifactEntry, ContentError, Failure, HostError, KeptArtifacts};
use sandfork_model::ArtifactRef;
use sandfork_report::plain::{page, plain};
use sandfork_report::publish::publish;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

pub(crate) fn artifacts(args: &ArtifactsArgs) -> Exit {
    let kept = match sandfork::kept_artifacts(&args.state_dir, &args.run) {
        Ok(kept) => kept,
        Err(error) => return plan::refuse(&error, args.json),
    };
    if kept.torn_bytes() > 0 {
        show::say(&format!(
            "note: the run was killed while it wrote its index; {} bytes are dropped",
            kept.torn_bytes()
        ));
    }
    match &args.artifact {
        None if args.json => show::document(&publish(list(&args.run, &kept)), Exit::Completed),
        None => show::text(&words(&kept), Exit::Completed),
        Some(text) => one(args, &kept, text),
    }
}

/// One artifact: its text alone, or a document with its provenance.
fn one(args: &ArtifactsArgs, kept: &KeptArtifacts, text: &str) -> Exit {
    let full = if text.starts_with("artifact://") { text.to_owned() } else { format!("artifact://{text}") };
    let Some(entry) = ArtifactRef::parse(&full).and_then(|reference| kept.entry(&reference)) else {
        let of_name: Vec<String> =
            kept.entries().iter().filter(|entry| entry.reference.name == text).map(short).collect();
        let message = if of_name.is_empty() {
            format!("run {} has no artifact {text}; `sandfork artifacts {}` lists them", args.run, args.run)
        } else {
            format!("say which version of {text}: {}", of_name.join(", "))
        };
        return plan::refuse(&plan::usage(message), args.json);
    };
    match kept.text(entry) {
        Ok(text) if args.json => {
            let mut document = entry.to_json();
            if let Some(map) = document.as_object_mut() {
                map.insert("schema".into(), "sandfork.artifact.v1".into());
                map.insert("text".into(), text.into());
            }
            show::document(&document, Exit::Completed)
        }
        // A terminal obeys what it is sent, and an agent wrote this; a file or a pipe gets the very bytes.
        Ok(text) if io::stdout().is_terminal() => show::text(&page(&text), Exit::Completed),
        Ok(text) => show::text(&text, Exit::Completed),
        Err(ContentError::Damaged) => {
            let message = format!("{}: its file was changed or removed since it was written", entry.reference);
            let failure = Failure { code: "artifact_damaged", message, problems: Vec::new() };
            show::failure(&failure, args.json, Exit::Failed)
        }
        Err(ContentError::Io(error)) => plan::refuse(
            &HostError::from(sandfork::Broken { message: format!("{}: {error}", entry.reference) }),
            args.json,
        ),
    }
}

fn list(run: &str, kept: &KeptArtifacts) -> Value {
    let entries: Vec<Value> = kept.entries().iter().map(ArtifactEntry::to_json).collect();
    json!({ "schema": "sandfork.artifacts.v1", "run": run, "artifacts": entries, "torn_bytes": kept.torn_bytes() })
}

fn words(kept: &KeptArtifacts) -> String {
    if kept.entries().is_empty() {
        return "no artifacts\n".into();
    }
    let width = kept.entries().iter().map(|entry| short(entry).len()).max().unwrap_or_default();
    let mut text = String::new();
    for entry in kept.entries() {
        let digest = entry.sha256.get(..12).unwrap_or_default();
        let (name, made_by, task) = (short(entry), plain(&entry.made_by), plain(&entry.task_id));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{name:<width$}  {:>9} bytes  {:>7} {:<5}  {digest}  {made_by} by {task} ({})",
            entry.bytes,
            entry.lines,
            if entry.lines == 1 { "line" } else { "lines" },
            plain(&entry.agent)
        );
    }
    text
}

/// As it is typed: NAME/vN.
fn short(entry: &ArtifactEntry) -> String {
    format!("{}/v{}", entry.reference.name, entry.reference.version)
}
