//! One outcome as one row of `results`. A refused request has a row of the same shape: nothing is silently missing.

use sandfork_model::event::millis;
use sandfork_model::{AgentError, Completion, Outcome};
use serde_json::{Value, json};

/// The row of one fork or one refused request, not yet redacted.
#[must_use]
pub fn result_row(outcome: &Outcome) -> Value {
    let counts = &outcome.counts;
    let output = outcome.output.as_ref();
    let said = Completion::of(outcome);
    json!({
        "task_id": &*outcome.task.task_id,
        "parent_task_id": outcome.task.parent_task_id.as_deref(),
        "agent": &*outcome.task.agent,
        "depth": outcome.task.depth,
        "status": outcome.status.name(),
        "ok": outcome.is_ok(),
        "output": output,
        "error": outcome.error.as_ref().map(error),
        "summary": said.summary,
        "artifact_refs": said.artifact_refs,
        "evidence_refs": said.evidence_refs,
        "unresolved": said.unresolved,
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
