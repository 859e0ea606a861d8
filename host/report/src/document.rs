//! The report of a run: `sandfork.report.v1`, in the field order of DESIGN section 7. Knows nothing of how a run is made;
//! everything here is copied, counted elsewhere.

use crate::metrics::metrics;
use crate::publish::publish;
use crate::result::result_row;
use sandfork_model::event::millis;
use sandfork_model::{Conflict, Dimension, RunRecord};
use serde_json::{Map, Value, json};

/// The name of the report's shape.
pub const REPORT_SCHEMA: &str = "sandfork.report.v1";

/// What figures of fuel were measured with: they are comparable only under the same engine and prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFacts {
    /// Name and version of each part that has a say in fuel.
    pub versions: Vec<(String, String)>,
    /// sha256 of the price table, lower-case hex.
    pub price_table_digest: String,
}

/// What a report says besides the record itself.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// The run's id.
    pub run_id: &'a str,
    /// The goal, as the plan words it.
    pub goal: &'a str,
    /// Where the run's workspace lies, as the user would write it; `None` where the plan has none.
    pub workspace: Option<&'a str>,
    /// Engine and prices.
    pub engine: &'a EngineFacts,
}

/// Words a record as the one JSON document of `--json`, redacted.
#[must_use]
pub fn report(record: &RunRecord, facts: &RunFacts<'_>) -> Value {
    let results: Vec<Value> = record.outcomes.iter().map(result_row).collect();
    let conflicts: Vec<Value> = record.conflicts.iter().map(conflict).collect();
    let by_type: Map<String, Value> =
        record.events.iter().map(|(kind, count)| ((*kind).to_owned(), json!(count))).collect();
    let total: u64 = record.events.values().sum();
    publish(json!({
        "schema": REPORT_SCHEMA,
        "run_id": facts.run_id,
        "status": record.status.name(),
        "tasks_used": record.tasks_used,
        "max_depth_reached": record.max_depth_reached,
        "elapsed_ms": millis(record.elapsed_ns),
        "workspace": facts.workspace,
        "engine": engine(facts.engine),
        "context": [format!("goal: {}", facts.goal), merged_line(&record.merged)],
        "results": results,
        "merged": record.merged,
        "conflicts": conflicts,
        "events": { "total": total, "by_type": by_type },
        "usage": usage(record),
        "metrics": metrics(record),
    }))
}

fn engine(facts: &EngineFacts) -> Value {
    let versions: Map<String, Value> =
        facts.versions.iter().map(|(part, version)| (part.clone(), json!(version))).collect();
    json!({ "versions": versions, "price_table_digest": facts.price_table_digest })
}

/// The orchestrator's own memory of what came back: names of keys, never a value (OR-14).
fn merged_line(merged: &Value) -> String {
    match merged {
        Value::Object(keys) if !keys.is_empty() => {
            format!("merged: {}", keys.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
        }
        Value::Object(_) | Value::Null => "merged: nothing".into(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => "merged: one value".into(),
    }
}

fn conflict(conflict: &Conflict) -> Value {
    json!({
        "key": conflict.key,
        "kept": conflict.kept,
        "rejected": conflict.rejected,
        "kept_task_id": conflict.kept_task_id,
        "rejected_task_id": conflict.rejected_task_id,
    })
}

fn usage(record: &RunRecord) -> Value {
    let spent = &record.usage.spent;
    json!({
        "model_calls": record.usage.model_calls,
        "tool_calls": record.usage.tool_calls,
        "input_tokens": spent.get(Dimension::InputTokens),
        "output_tokens": spent.get(Dimension::OutputTokens),
        "fuel": spent.get(Dimension::Fuel),
        "ledger_whole": record.usage.is_ledger_whole,
    })
}
