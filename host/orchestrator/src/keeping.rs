//! What is too large to travel in a message is kept as an artifact, and the message carries its reference (GV-13). A run
//! without a store, or with a full one, cuts all the same. Decides nothing about sizes.

use crate::checkpoint;
use crate::cutting::Over;
use crate::fork::Fork;
use crate::port::length;
use crate::prose::written_bytes;
use crate::whole::Whole;
use sandfork_model::{ArtifactRef, Completion, EventBody, EventId, MadeBy, NewArtifact, Outcome, TaskRef};
use serde_json::Value;
use std::sync::Arc;

/// Characters of a tool's name in the name of an artifact: with the rest of it a name still has 64.
const TOOL_CHARS: usize = 32;

/// A result of a tool, cut to its limit if it is over it; with the version that it speaks of, if there is one.
pub(crate) async fn tool_result(fork: &Fork, tool: &str, text: String, call: &EventId) -> (String, Vec<String>) {
    let limits = &fork.run.plan.limits;
    let tokens = limits.policy.tools.get(tool).and_then(|caps| caps.result_tokens);
    let Some(over) = Over::of(length(&text), limits.fork.tool_result, tokens) else {
        return (text, Vec::new());
    };
    let whole = Whole::of(&text, over.rest_bytes());
    let truncated = EventBody::Truncated { what: "tool_result", bytes: length(&text), limit: over.limit };
    // A part of an artifact is one already: what is cut from it stays where it was.
    let stored = if tool == "artifact_get" { answered(&text) } else { None };
    fork.emit(truncated, Some(call.clone()));
    let reference = match stored {
        Some(reference) => Some(reference),
        None => {
            let tool: String = tool.chars().take(TOOL_CHARS).map(fit).collect();
            keep(fork, &fork.task, format!("result.{}.{tool}", fork.task.agent_id()), &whole, call).await
        }
    };
    let references = reference.iter().cloned().collect();
    (over.cut(&whole, reference.as_deref(), may_read(fork)).to_string(), references)
}

/// The outputs of children as their parent's message carries them: one over the limit of a single result travels as a
/// reference. The children's own results are left as they are.
pub(crate) async fn outputs(fork: &Fork, outcomes: &mut [Arc<Outcome>]) {
    let limit = fork.run.plan.limits.fork.tool_result;
    for outcome in outcomes {
        // Most are small, and need not be written down to be known as such.
        let Some(output) = &outcome.output else { continue };
        let Some(over) = Over::of(written_bytes(output), limit, None) else { continue };
        let text = output.to_string();
        let whole = Whole::of(&text, over.rest_bytes());
        let truncated = EventBody::Truncated { what: "output", bytes: length(&text), limit: over.limit };
        let cause = fork.emit(truncated, None);
        let name = format!("output.{}", outcome.task.agent_id());
        let reference = keep(fork, &outcome.task, name, &whole, &cause).await;
        let mut cut = over.cut(&whole, reference.as_deref(), may_read(fork));
        // What the child says in short is read under the same keys as in an output that is small.
        let message = Completion::of(outcome).message();
        for key in ["summary", "artifact_refs", "evidence_refs", "unresolved"] {
            let said = message.get(key).filter(|said| !matches!(said, Value::Null)).cloned();
            if let (Some(cut), Some(said)) = (cut.as_object_mut(), said) {
                cut.insert(key.into(), said);
            }
        }
        Arc::make_mut(outcome).output = Some(cut);
    }
}

/// Keeps a text; `None` if there is no store or no room. Why it was not kept is the host's to know: the answer says that it
/// was cut, and where nothing is.
async fn keep(fork: &Fork, task: &Arc<TaskRef>, name: String, whole: &Whole, cause: &EventId) -> Option<String> {
    let store = fork.run.artifacts.as_ref()?;
    let new = NewArtifact {
        name,
        text: whole.text.clone(),
        media_type: Some(whole.media_type.into()),
        task: Arc::clone(task),
        by_event: Some(cause.clone()),
        made_by: MadeBy::LargeResult,
    };
    match store.keep(new).await {
        Ok(artifact) => {
            let reference = artifact.reference.to_string();
            checkpoint::wrote(fork, &reference);
            if artifact.is_new {
                let (ArtifactRef { name, version }, bytes, sha256) =
                    (artifact.reference, artifact.bytes, artifact.sha256);
                let body = EventBody::ArtifactPut { name, version, bytes, sha256 };
                fork.emit_about(body, Some(cause.clone()), vec![reference.clone()]);
            }
            Some(reference)
        }
        Err(error) => {
            tracing::warn!(task = &*task.task_id, "a large result was not kept: {}", error.message);
            None
        }
    }
}

/// The reference that an answer of an artifact tool speaks of.
pub(crate) fn answered(text: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(text).ok()?;
    ArtifactRef::parse(answer.get("ref")?.as_str()?).map(|reference| reference.to_string())
}

fn may_read(fork: &Fork) -> bool {
    fork.grant.tools.contains("artifact_get")
}

/// A character that a name may have.
fn fit(character: char) -> char {
    if character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.') { character } else { '_' }
}
