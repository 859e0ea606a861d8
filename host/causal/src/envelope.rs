//! One event as it was delivered (GV-17): read strictly where causes are concerned, and otherwise left as it is.

use crate::content::{Mark, canonical, mark};
use crate::limits::{EVENT_REFS, NAME_BYTES};
use serde_json::{Map, Value};

/// The delivery is no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no event: {0}")]
pub struct Malformed(String);

/// An event of some run, with what causality needs and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Names it within its run.
    pub event_id: String,
    /// One user task.
    pub run_id: String,
    /// Which task of it.
    pub task_id: String,
    /// Whose thread.
    pub agent_id: String,
    /// Its place in that thread, from 1. It orders nothing else.
    pub seq_no: u64,
    /// Which event caused it; `None` for one that nothing caused.
    pub parent_event_id: Option<String>,
    /// What it does at most once.
    pub idempotency_key: String,
    /// What happened.
    pub event_type: String,
    /// The numbers that belong to it.
    pub attrs: Map<String, Value>,
    /// Versions it speaks of.
    pub artifact_refs: Vec<String>,
    /// How large it was when it came, in bytes.
    pub(crate) bytes: u64,
    pub(crate) marks: Marks,
}

/// What an envelope is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Run and event id.
    pub(crate) id: Mark,
    /// Run and id of the cause.
    pub(crate) cause: Option<Mark>,
    /// Run and idempotency key.
    pub(crate) key: Mark,
    /// What it says, whoever says it and where.
    pub(crate) effect: Mark,
    /// Everything but arrival and time.
    pub(crate) whole: Mark,
}

/// Event types that end a task, in this project's words and in those of a completion message (GV-12).
const ENDS: [&str; 3] = ["subagent_return", "TASK_COMPLETED", "TASK_FAILED"];

impl Envelope {
    /// Reads one line of an event log.
    ///
    /// # Errors
    /// What is missing or wrong, in one sentence.
    pub fn read(line: &str) -> Result<Self, Malformed> {
        let value: Value = serde_json::from_str(line).map_err(|error| {
            // The line is known; of its own line 1 nobody wants to hear.
            let words = error.to_string().replace(" at line 1 column ", " at column ");
            Malformed(format!("no JSON: {words}"))
        })?;
        Self::from_json(&value, u64::try_from(line.len()).unwrap_or(u64::MAX))
    }

    fn from_json(value: &Value, bytes: u64) -> Result<Self, Malformed> {
        let map = value.as_object().ok_or_else(|| Malformed("expected an object".into()))?;
        let seq_no = map.get("seq_no").and_then(Value::as_u64).filter(|place| (1..u64::MAX).contains(place));
        let seq_no = seq_no.ok_or_else(|| Malformed("`seq_no` expects a whole number from 1".into()))?;
        let parent_event_id = match map.get("parent_event_id") {
            None | Some(Value::Null) => None,
            Some(_) => Some(name(map, "parent_event_id")?),
        };
        let mut attrs = match map.get("attrs") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(attrs)) => attrs.clone(),
            Some(_) => return Err(Malformed("`attrs` expects an object".into())),
        };
        // A completion message carries its status beside the envelope's own fields.
        if let (Some(status), false) = (map.get("status"), attrs.contains_key("status")) {
            attrs.insert("status".into(), status.clone());
        }
        let mut envelope = Self {
            event_id: name(map, "event_id")?,
            run_id: name(map, "run_id")?,
            task_id: name(map, "task_id")?,
            agent_id: name(map, "agent_id")?,
            seq_no,
            parent_event_id,
            idempotency_key: name(map, "idempotency_key")?,
            event_type: name(map, "event_type")?,
            attrs,
            artifact_refs: references(map)?,
            bytes,
            marks: Marks { id: 0, cause: None, key: 0, effect: 0, whole: 0 },
        };
        if envelope.parent_event_id.as_ref() == Some(&envelope.event_id) {
            return Err(Malformed(format!("{} names itself as its cause", envelope.event_id)));
        }
        envelope.marks = envelope.marked();
        Ok(envelope)
    }

    fn marked(&self) -> Marks {
        let run = self.run_id.as_str();
        let cause = self.parent_event_id.as_deref();
        let (attrs, refs) = (canonical(&Value::Object(self.attrs.clone())), self.artifact_refs.join("\n"));
        let says = [run, &self.task_id, &self.event_type, &attrs, &refs];
        let place = self.seq_no.to_string();
        let stands = [&self.event_id, &self.agent_id, &place, cause.unwrap_or_default(), &self.idempotency_key];
        let whole: Vec<&str> = says.into_iter().chain(stands).collect();
        Marks {
            id: mark(&[run, &self.event_id]),
            cause: cause.map(|cause| mark(&[run, cause])),
            key: mark(&[run, &self.idempotency_key]),
            effect: mark(&says),
            whole: mark(&whole),
        }
    }

    /// How its task ended, if this event says so: whether it may be relied on.
    #[must_use]
    pub fn ends_task(&self) -> Option<bool> {
        if !ENDS.contains(&self.event_type.as_str()) {
            return None;
        }
        Some(matches!(self.status(), Some("ok" | "completed")))
    }

    /// The status that the event speaks of.
    #[must_use]
    pub fn status(&self) -> Option<&str> {
        self.attrs.get("status").and_then(Value::as_str)
    }
}

fn name(map: &Map<String, Value>, key: &str) -> Result<String, Malformed> {
    let name = map.get(key).and_then(Value::as_str).unwrap_or_default();
    if name.is_empty() || name.len() > NAME_BYTES {
        return Err(Malformed(format!("`{key}` expects a text of 1 to {NAME_BYTES} bytes")));
    }
    Ok(name.to_owned())
}

fn references(map: &Map<String, Value>) -> Result<Vec<String>, Malformed> {
    let wrong =
        || Malformed(format!("`artifact_refs` expects at most {EVENT_REFS} texts of at most {NAME_BYTES} bytes"));
    let items = match map.get("artifact_refs") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) if items.len() <= EVENT_REFS => items,
        Some(_) => return Err(wrong()),
    };
    let texts = items.iter().map(|item| item.as_str().filter(|text| text.len() <= NAME_BYTES).map(str::to_owned));
    texts.collect::<Option<_>>().ok_or_else(wrong)
}
