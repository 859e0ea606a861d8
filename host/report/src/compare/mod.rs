//! Two reports side by side, and what the difference says about how the work was split (GV-57). Reads reports of any age:
//! what one of them lacks is shown as missing, and nothing is judged by it.

mod judgement;
mod rows;
mod shape;

pub use judgement::Judgement;
pub use rows::{Row, Unit};

use crate::plain::plain;
use crate::publish::publish;
use sandfork_model::redact::redact;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The name of the document's shape.
pub const COMPARE_SCHEMA: &str = "sandfork.compare.v1";

/// Two reports, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    names: [String; 2],
    runs: [String; 2],
    /// Figure by figure.
    pub rows: Vec<Row>,
    /// What they say together; empty where nothing stands out.
    pub judgements: Vec<Judgement>,
    notes: Vec<String>,
}

impl Comparison {
    /// Compares two reports, each under the name that the user gave it.
    ///
    /// # Errors
    /// The name of the one that is no report, and what is wrong with it.
    pub fn of(a: (&str, &Value), b: (&str, &Value)) -> Result<Self, (String, String)> {
        for (name, report) in [a, b] {
            shape::check(report).map_err(|why| (name.to_owned(), why))?;
        }
        let (names, reports) = ([a.0, b.0].map(plain), [a.1, b.1]);
        let run = |report: &Value| plain(report.get("run_id").and_then(Value::as_str).unwrap_or_default());
        let mut notes = Vec::new();
        if reports[0].get("engine") != reports[1].get("engine") {
            notes.push("the engines or prices differ: figures of fuel are not comparable".to_owned());
        }
        for (name, report) in names.iter().zip(reports) {
            if report.pointer("/metrics/business").is_none() {
                notes.push(format!("{name} has no metrics (an older report): nothing is judged by them"));
            }
        }
        let judgements = judgement::judge([&names[0], &names[1]], reports);
        Ok(Self { runs: reports.map(run), rows: rows::rows(reports), judgements, notes, names })
    }

    /// The comparison as one document, redacted.
    #[must_use]
    pub fn document(&self) -> Value {
        let side = |place: usize| json!({ "file": self.names.get(place), "run_id": self.runs.get(place) });
        let rows: Vec<Value> = self.rows.iter().map(Row::document).collect();
        let judgements: Vec<Value> =
            self.judgements.iter().map(|one| json!({ "code": one.code, "message": one.message })).collect();
        publish(json!({
            "schema": COMPARE_SCHEMA, "a": side(0), "b": side(1),
            "rows": rows, "judgements": judgements, "notes": self.notes,
        }))
    }

    /// The same for people, ending in a line break.
    #[must_use]
    pub fn words(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail, here and below.
        for ((letter, name), run) in ["A", "B"].iter().zip(&self.names).zip(&self.runs) {
            let _ = writeln!(text, "{letter}: {name} (run {run})");
        }
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                group = row.group;
                let _ = writeln!(text, "\n{group:<34} {:>14} {:>14} {:>10}", "A", "B", "change");
            }
            let [a, b] = row.cells();
            let _ = writeln!(text, "  {:<32} {a:>14} {b:>14} {:>10}", row.name, row.change());
        }
        text.push('\n');
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        for judgement in &self.judgements {
            let _ = writeln!(text, "{}", judgement.message);
        }
        if self.judgements.is_empty() {
            text.push_str("Nothing stands out.\n");
        }
        redact(&text).into_owned()
    }
}
