//! The message that a task's end sends upward (GV-11, GV-12): status, a short summary, references. Content stays behind the
//! references; what the fork did on its way is nowhere in it.

use crate::artifact::ArtifactRef;
use crate::outcome::{Outcome, Status};
use serde_json::{Map, Value, json};

/// Entries of one list in a message: a message coordinates, it does not carry content.
const MESSAGE_REFS: usize = 64;
/// Characters of one text in a message.
const MESSAGE_CHARS: usize = 400;

/// What an outcome says of itself, read from its output in one place for results, events and messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion<'a> {
    task_id: &'a str,
    status: Status,
    code: Option<&'a str>,
    /// What the fork itself says it did: its `summary`, else its `reply`, where these are text.
    pub summary: Option<&'a str>,
    /// Artifacts it refers to, as it wrote them.
    pub artifact_refs: Vec<&'a str>,
    /// Evidence it refers to.
    pub evidence_refs: Vec<&'a str>,
    /// What it leaves open.
    pub unresolved: Vec<&'a str>,
}

impl<'a> Completion<'a> {
    /// Reads an outcome.
    #[must_use]
    pub fn of(outcome: &'a Outcome) -> Self {
        let code = outcome.error.as_ref().map(|error| error.code.as_str());
        Self::read(&outcome.task.task_id, outcome.status, code, outcome.output.as_ref())
    }

    /// The same, before there is an outcome.
    #[must_use]
    pub fn read(task_id: &'a str, status: Status, code: Option<&'a str>, output: Option<&'a Value>) -> Self {
        Self {
            task_id,
            status,
            code,
            summary: output.and_then(summary),
            artifact_refs: texts(output, "artifact_refs"),
            evidence_refs: texts(output, "evidence_refs"),
            unresolved: texts(output, "unresolved"),
        }
    }

    /// Whether it refers to anything: what has no references is told whole by its output.
    #[must_use]
    pub fn refers(&self) -> bool {
        !(self.artifact_refs.is_empty() && self.evidence_refs.is_empty() && self.unresolved.is_empty())
    }

    /// `completed`, or the status as results word it.
    #[must_use]
    pub fn status_word(&self) -> &'static str {
        if self.status == Status::Ok { "completed" } else { self.status.name() }
    }

    /// The artifact versions among what it refers to, in order, each once, as many as a message carries.
    #[must_use]
    pub fn versions(&self) -> Vec<ArtifactRef> {
        let mut versions = Vec::new();
        for reference in self.artifact_refs.iter().filter_map(|text| ArtifactRef::parse(text)) {
            if versions.len() < MESSAGE_REFS && !versions.contains(&reference) {
                versions.push(reference);
            }
        }
        versions
    }

    /// The message of GV-12: `{event_type, task_id, status, summary, artifact_refs, evidence_refs, unresolved}`, and the
    /// `reason` of what is not completed. Every text and list in it is short; the output and its artifacts have all of it.
    #[must_use]
    pub fn message(&self) -> Value {
        let event_type = match self.status {
            Status::Ok => "TASK_COMPLETED",
            Status::Blocked => "TASK_BLOCKED",
            Status::Failed
            | Status::Timeout
            | Status::OutOfFuel
            | Status::OutOfBudget
            | Status::Refused
            | Status::Cancelled => "TASK_FAILED",
        };
        let mut message = Map::new();
        message.insert("event_type".into(), event_type.into());
        message.insert("task_id".into(), self.task_id.into());
        message.insert("status".into(), self.status_word().into());
        message.insert("summary".into(), json!(self.summary.map(short)));
        for (key, list) in [
            ("artifact_refs", &self.artifact_refs),
            ("evidence_refs", &self.evidence_refs),
            ("unresolved", &self.unresolved),
        ] {
            let list: Vec<String> = list.iter().take(MESSAGE_REFS).map(|text| short(text)).collect();
            message.insert(key.into(), list.into());
        }
        if let Some(code) = self.code {
            message.insert("reason".into(), code.into());
        }
        Value::Object(message)
    }
}

fn summary(output: &Value) -> Option<&str> {
    ["summary", "reply"].into_iter().find_map(|key| output.get(key)?.as_str())
}

/// A list of texts in the output; anything that is no list of texts counts as none.
fn texts<'a>(output: Option<&'a Value>, key: &str) -> Vec<&'a str> {
    let list = output.and_then(|output| output.get(key)).and_then(Value::as_array);
    list.and_then(|list| list.iter().map(Value::as_str).collect()).unwrap_or_default()
}

/// A text as a message carries it: whole if it is short, else its start and a mark.
fn short(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // GV-11, GV-12
    #[test]
    fn a_completed_task_sends_the_message_of_the_document() {
        let output = json!({
            "summary": "The pool ran dry.", "text": "x".repeat(10_000),
            "artifact_refs": ["artifact://payment-log-analysis/v3"],
            "evidence_refs": ["trace://log-query/8841"], "unresolved": ["why"],
        });
        let completion = Completion::read("inspect-payment-logs", Status::Ok, None, Some(&output));
        assert_eq!(
            completion.message(),
            json!({
                "event_type": "TASK_COMPLETED", "task_id": "inspect-payment-logs", "status": "completed",
                "summary": "The pool ran dry.", "artifact_refs": ["artifact://payment-log-analysis/v3"],
                "evidence_refs": ["trace://log-query/8841"], "unresolved": ["why"],
            })
        );
        assert_eq!(completion.versions().iter().map(ToString::to_string).collect::<Vec<_>>(), completion.artifact_refs);
    }

    // GV-12, GV-13: a message is small whatever the output is
    #[test]
    fn what_a_message_carries_is_bounded() {
        let long = "已".repeat(100_000);
        let refs: Vec<String> = (1..=1000).map(|n| format!("artifact://a/v{n}")).collect();
        let output = json!({ "summary": long, "artifact_refs": refs, "unresolved": vec![long.clone(); 100] });
        let completion = Completion::read("t", Status::Ok, None, Some(&output));
        assert!(completion.message().to_string().len() < 100_000);
        assert_eq!(completion.versions().len(), 64);
    }

    #[test]
    fn an_end_that_is_no_completion_says_so_and_why() {
        for (status, event_type) in [(Status::Timeout, "TASK_FAILED"), (Status::Blocked, "TASK_BLOCKED")] {
            let message = Completion::read("t", status, Some("a_code"), None).message();
            assert_eq!((&message["event_type"], &message["reason"]), (&json!(event_type), &json!("a_code")));
            assert_eq!(message["status"], status.name());
            assert!(!Completion::read("t", status, None, None).refers());
        }
        let odd = json!({ "artifact_refs": ["artifact://a/v1", 2], "evidence_refs": "x" });
        assert!(!Completion::read("t", Status::Ok, None, Some(&odd)).refers(), "no list of texts counts as none");
    }
}
