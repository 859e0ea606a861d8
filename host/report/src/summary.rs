//! What a run amounted to, for people: one line on top, a table of forks, and what to do about those that did not end ok.

use crate::hint::hint;
use crate::plain::{duration, grouped, plain};
use sandfork_model::redact::redact;
use sandfork_model::{Outcome, RunRecord, Status};
use serde_json::Value;
use std::fmt::Write as _;

/// The most rows of the table; a run of thousands is read with `--json`.
pub const TABLE_ROWS: usize = 200;
/// The most failures told in words.
pub const FAILURES_TOLD: usize = 10;

const HEAD: [&str; 7] = ["task", "agent", "status", "turns", "tools", "fuel", "time"];
/// Columns of numbers, which stand to the right.
const NUMBERS_FROM: usize = 3;

/// The summary of a run, ending in a line break. `workspace` as the user would write it.
#[must_use]
pub fn summary(record: &RunRecord, run_id: &str, workspace: Option<&str>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        text,
        "run {}: {}{} in {}, {}",
        plain(run_id),
        record.status.name(),
        if record.is_interrupted { " (interrupted)" } else { "" },
        duration(record.elapsed_ns),
        counted(record.tasks_used, "fork", "forks"),
    );
    text.push('\n');
    table(&mut text, &record.outcomes);
    failures(&mut text, record);
    for conflict in &record.conflicts {
        let _ = writeln!(
            text,
            "conflict: `{}` was kept from {}; {} says otherwise",
            plain(&conflict.key),
            plain(&conflict.kept_task_id),
            plain(&conflict.rejected_task_id)
        );
    }
    if let Some(result) = result(&record.merged) {
        let _ = writeln!(text, "result: {result}");
    }
    if let Some(workspace) = workspace {
        let _ = writeln!(text, "workspace: {}", plain(workspace));
    }
    redact(&text).into_owned()
}

fn table(text: &mut String, outcomes: &[Outcome]) {
    let rows: Vec<[String; 7]> = outcomes.iter().take(TABLE_ROWS).map(row).collect();
    let mut widths = HEAD.map(|word| word.chars().count());
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in std::iter::once(&HEAD.map(str::to_owned)).chain(&rows) {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .enumerate()
            .map(
                |(column, (cell, width))| {
                    if column < NUMBERS_FROM { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    if let Some(more @ 1..) = outcomes.len().checked_sub(TABLE_ROWS) {
        let _ = writeln!(text, "  … and {more} more; --json lists them all");
    }
}

fn row(outcome: &Outcome) -> [String; 7] {
    let counts = &outcome.counts;
    let indent = usize::try_from(outcome.task.depth).unwrap_or(0).min(8) * 2;
    [
        format!("{:indent$}{}", "", plain(&outcome.task.task_id)),
        plain(&outcome.task.agent),
        outcome.status.name().into(),
        counts.turns.to_string(),
        counts.tool_calls.to_string(),
        grouped(counts.fuel_used),
        duration(counts.elapsed_ns),
    ]
}

/// What the run came to, on one line; `None` where nothing was returned. A long one is read with `--json`.
fn result(merged: &Value) -> Option<String> {
    match merged {
        Value::Null => None,
        Value::Object(map) if map.is_empty() => None,
        merged => Some(plain(&merged.to_string())),
    }
}

fn failures(text: &mut String, record: &RunRecord) {
    let outcomes = &record.outcomes;
    let bad: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.is_ok() && !outcome.is_loser).collect();
    if bad.is_empty() {
        return;
    }
    text.push('\n');
    // Why a run went wrong is found in what failed by itself, not in what was stopped along with it.
    let (stopped, failed): (Vec<&Outcome>, Vec<&Outcome>) =
        bad.iter().partition(|outcome| outcome.status == Status::Cancelled);
    for outcome in failed.iter().chain(&stopped).take(FAILURES_TOLD) {
        let (code, message) = outcome.error.as_ref().map_or(("", ""), |error| (&error.code, &error.message));
        let who = plain(&outcome.task.task_id);
        let _ = writeln!(text, "{who}: {} [{}]", plain(message), plain(code));
        if let Some(hint) = outcome.error.as_ref().and_then(hint) {
            let _ = writeln!(text, "  hint: {hint}");
        }
    }
    if let Some(more @ 1..) = bad.len().checked_sub(FAILURES_TOLD) {
        let _ = writeln!(text, "… and {more} more");
    }
    let tasks = record.measures.tasks;
    let counted = usize::try_from(tasks.counted.saturating_sub(tasks.counted_ok)).unwrap_or(usize::MAX);
    // Attempts that were done again stand in the table, and a run may be completed with them.
    let void = match bad.len().saturating_sub(counted) {
        0 => String::new(),
        void => format!(" ({void} of them done again, or counted with their task)"),
    };
    let _ = writeln!(
        text,
        "{} of {} did not end ok{void}: --json has every detail, --transcript DIR shows what each fork saw",
        bad.len(),
        outcomes.len()
    );
}

fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
