//! What a dependent is told of a task: status, summary, references; never its output, its dialogue or its notes (GV-04,
//! GV-11). Everything is bounded, for one task may wait for many.

use sandfork_model::{Dependency, Failure, Outcome};
use serde_json::Value;

/// Characters of a text that others are shown of a task.
const SHOWN_CHARS: usize = 1000;
/// Entries of one list that are passed on.
const MOST_ENTRIES: usize = 64;
/// Bytes of one entry.
const ENTRY_BYTES: usize = 512;

/// Bytes of all records that one task is handed: about what a single tool result may have.
const HANDED_BYTES: usize = 256 << 10;

/// Keeps what one task is handed within its bound: once that is met, a record has its status, its error and the first
/// reference, and counts what was left out.
pub(crate) fn fit(records: &mut [Dependency]) {
    let mut bytes = 0_usize;
    for record in records {
        let texts = [&record.artifact_refs, &record.evidence_refs, &record.unresolved];
        let lists: usize = texts.into_iter().flatten().map(String::len).sum();
        bytes = bytes.saturating_add(lists).saturating_add(record.summary.as_ref().map_or(0, String::len));
        if bytes <= HANDED_BYTES {
            continue;
        }
        let left_out = texts.map(Vec::len).into_iter().sum::<usize>().saturating_sub(record.artifact_refs.len().min(1));
        record.omitted += u64::try_from(left_out).unwrap_or(u64::MAX) + u64::from(record.summary.take().is_some());
        record.artifact_refs.truncate(1);
        record.evidence_refs.clear();
        record.unresolved.clear();
    }
}

/// The record of an ended task. `stored` is where the host has put its output, or why it could not.
pub(crate) fn record(id: &str, outcome: &Outcome, stored: Option<Result<String, Failure>>) -> Dependency {
    let output = outcome.output.as_ref().filter(|_| outcome.is_ok());
    let mut omitted = 0;
    let mut list = |key: &str| {
        let (kept, left_out) = entries(output, key);
        omitted += left_out;
        kept
    };
    let (mut artifact_refs, evidence_refs, unresolved) =
        (list("artifact_refs"), list("evidence_refs"), list("unresolved"));
    let mut error =
        outcome.error.as_ref().map(|error| Failure { code: shown(&error.code), message: shown(&error.message) });
    match stored {
        Some(Ok(reference)) => artifact_refs.push(reference),
        Some(Err(failure)) => error = error.or(Some(failure)),
        None => {}
    }
    Dependency {
        id: id.to_owned(),
        task_id: outcome.task.task_id.to_string(),
        status: outcome.status,
        summary: output.and_then(summary).map(shown),
        artifact_refs,
        evidence_refs,
        unresolved,
        error,
        omitted,
    }
}

/// Whether an output says by itself where it is.
pub(crate) fn names_artifacts(output: &Value) -> bool {
    !entries(Some(output), "artifact_refs").0.is_empty()
}

/// What an output says of itself: its `summary`, else its `reply`, where these are text.
pub(crate) fn summary(output: &Value) -> Option<&str> {
    ["summary", "reply"].iter().find_map(|key| output.get(key)?.as_str())
}

/// A text, as much of it as others are shown.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS).collect()
}

/// The texts of a list, and how many were left out.
fn entries(output: Option<&Value>, key: &str) -> (Vec<String>, u64) {
    let all = output.and_then(|output| output.get(key)).and_then(Value::as_array);
    let texts = all.into_iter().flatten().filter_map(Value::as_str);
    let kept: Vec<String> =
        texts.filter(|text| text.len() <= ENTRY_BYTES).take(MOST_ENTRIES).map(str::to_owned).collect();
    let left_out = all.map_or(0, Vec::len).saturating_sub(kept.len());
    (kept, u64::try_from(left_out).unwrap_or(u64::MAX))
}
