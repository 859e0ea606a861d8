//! From what a model said last to an output: its structured one, or its text. Where a schema stands, the text must be JSON.

use crate::fits::{self, Mismatch};
use sandfork_guest::{Failure, Json, ModelAnswer, Task, json, serde_json};

/// The output that an answer stands for.
///
/// # Errors
/// Where and why it does not meet the task's schema.
pub(crate) fn output(answer: &ModelAnswer, task: &Task) -> Result<Json, Mismatch> {
    let output = match (&answer.output, &task.output_schema) {
        (Some(output), _) => output.clone(),
        (None, None) => json!({ "reply": answer.text }),
        (None, Some(_)) => serde_json::from_str(unfenced(&answer.text))
            .map_err(|error| (String::new(), format!("the answer is no JSON: {error}")))?,
    };
    match &task.output_schema {
        Some(schema) => fits::check(schema, &output).map(|()| output),
        None => Ok(output),
    }
}

/// Models like to put JSON into a fence.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}

/// What is there when nothing more can be asked for: the last words, and why they are the last.
///
/// # Errors
/// `converged` where that does not meet the task's schema.
pub(crate) fn partial(said: Option<&str>, why: &str, task: &Task) -> Result<Json, Failure> {
    let output = json!({ "reply": said.unwrap_or_default(), "partial": true, "unresolved": [why] });
    let mismatch = task.output_schema.as_ref().and_then(|schema| fits::check(schema, &output).err());
    match mismatch {
        None => Ok(output),
        Some((path, mismatch)) => Err(Failure::new("converged", format!("there is no complete output: {why}"))
            .details(json!({ "why": why, "reply": said, "path": path, "mismatch": mismatch }))),
    }
}

/// The failure of an output that stayed wrong after it was asked for again.
pub(crate) fn unmet((path, why): Mismatch) -> Failure {
    let place = if path.is_empty() { "/" } else { path.as_str() };
    Failure::new("output_unmet", format!("the output does not meet its schema at {place}: {why}"))
        .details(json!({ "path": place, "why": why }))
}
