//! One outcome as one row of `results`. A refused request has a row of the same shape: nothing is silently missing.

use sandfork_model::event::millis;
use sandfork_model::{AgentError, Outcome};
use serde_json::{Value, json};

/// The row of one fork or one refused request, not yet redacted.
#[must_use]
pub fn result_row(outcome: &Outcome) -> Value {
    let counts = &outcome.counts;
    let output = outcome.output.as_ref();
    json!({
        "task_id": &*outcome.task.task_id,
        "parent_task_id": outcome.task.parent_task_id.as_deref(),
        "agent": &*outcome.task.agent,
        "depth": outcome.task.depth,
        "status": outcome.status.name(),
        "ok": outcome.is_ok(),
        "output": output,
        "error": outcome.error.as_ref().map(error),
        "summary": output.and_then(summary),
        "artifact_refs": references(output, "artifact_refs"),
        "evidence_refs": references(output, "evidence_refs"),
        "unresolved": references(output, "unresolved"),
        "turns": counts.turns,
        "messages": counts.messages,
        "tool_messages": counts.tool_messages,
        "tool_calls": counts.tool_calls,
        "host_calls": counts.host_calls,
        "fuel_used": counts.fuel_used,
        "peak_memory_bytes": counts.peak_memory_bytes,
        "queued_ms": millis(counts.queued_ns),
        "elapsed_ms": millis(counts.elapsed_ns),
        "notes": counts.notes,
    })
}

fn error(error: &AgentError) -> Value {
    json!({ "code": error.code, "message": error.message, "details": error.details })
}

/// What the fork itself says it did: its `summary`, else its `reply`, where these are text.
fn summary(output: &Value) -> Option<&str> {
    ["summary", "reply"].into_iter().find_map(|key| output.get(key)?.as_str())
}

/// A list of references in the output; anything that is no list of strings counts as none.
fn references(output: Option<&Value>, key: &str) -> Vec<String> {
    let list = output.and_then(|output| output.get(key)).and_then(Value::as_array);
    let all: Option<Vec<String>> =
        list.map(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect()).unwrap_or_default();
    all.unwrap_or_default()
}
