//! The messages of one fork, as they are sent to a model. Knows their shape and their size; not what they mean.

use crate::limits::WORTH_BYTES;
use crate::{instructions, squeeze};
use sandfork_guest::{Json, ModelCall, Task, json};

/// One message after the two opening ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// What the model said, and what it asked for.
    Said { text: String, calls: Vec<ModelCall> },
    /// What a tool answered.
    Result { id: String, tool: String, text: String },
    /// What this loop told the model.
    Told(String),
}

/// What a replacement saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    pub(crate) results: usize,
    pub(crate) from_bytes: usize,
    pub(crate) to_bytes: usize,
    /// What the replaced results named.
    pub(crate) kept: Vec<String>,
}

/// All messages.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    opening: Vec<Json>,
    opening_bytes: usize,
    criteria: Vec<String>,
    entries: Vec<Entry>,
    /// Entries that replacing has gone through already: what it left whole would not get shorter the next time.
    gone_through: usize,
}

impl Thread {
    /// The opening messages of a task; this loop's own instructions follow the identity.
    pub(crate) fn of(task: &Task) -> Self {
        let mut opening: Vec<Json> = Vec::with_capacity(2);
        let mut opening_bytes = 0;
        for (place, message) in task.messages.iter().enumerate() {
            let mut content = message.content.clone();
            if place == 0 {
                content.push_str(&instructions::text(task));
            }
            opening_bytes += content.len();
            opening.push(json!({ "role": message.role, "content": content }));
        }
        Self {
            opening,
            opening_bytes,
            criteria: task.acceptance_criteria.clone(),
            entries: Vec::new(),
            gone_through: 0,
        }
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// How many messages would be sent.
    pub(crate) fn len(&self) -> usize {
        self.opening.len() + self.entries.len()
    }

    /// Bytes of what would be sent, without the frame around it.
    pub(crate) fn bytes(&self) -> usize {
        self.opening_bytes + self.entries.iter().map(Entry::bytes).sum::<usize>()
    }

    /// What was said last with any words.
    pub(crate) fn last_said(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Said { text, .. } if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        })
    }

    /// The messages for a model call.
    pub(crate) fn messages(&self) -> Vec<Json> {
        self.opening.iter().cloned().chain(self.entries.iter().map(Entry::message)).collect()
    }

    /// Replaces tool results by references: all before the last answer, or all where `is_urgent`. `store` is asked for a place
    /// where the whole result can be read again. What has to survive does (GV-35); a result that would not get shorter stays.
    pub(crate) fn replace_old(
        &mut self,
        is_urgent: bool,
        mut store: impl FnMut(&str, &str) -> Option<String>,
    ) -> Saved {
        let last_said = self.entries.iter().rposition(|entry| matches!(entry, Entry::Said { .. }));
        let end = if is_urgent { self.entries.len() } else { last_said.unwrap_or(0) };
        let mut saved = Saved::default();
        let start = self.gone_through;
        self.gone_through = end.max(start);
        for entry in self.entries.iter_mut().take(end).skip(start) {
            match entry {
                Entry::Result { id, tool, text } if text.len() >= WORTH_BYTES => {
                    let kept = squeeze::kept(text, &self.criteria);
                    if squeeze::replaced(tool, text, &kept, None).len() >= text.len() {
                        continue;
                    }
                    let reference = store(id, text);
                    let short = squeeze::replaced(tool, text, &kept, reference.as_deref());
                    saved.results += 1;
                    saved.from_bytes += text.len();
                    saved.to_bytes += short.len();
                    saved.kept.extend(kept);
                    *text = short;
                }
                Entry::Said { calls, .. } => {
                    for call in calls.iter_mut() {
                        if let Some(short) = squeeze::arguments(call, &self.criteria) {
                            call.arguments = short;
                        }
                    }
                }
                Entry::Result { .. } | Entry::Told(_) => {}
            }
        }
        saved
    }
}

impl Entry {
    fn bytes(&self) -> usize {
        match self {
            Self::Said { text, calls } => {
                text.len() + calls.iter().map(|call| call.name.len() + size(&call.arguments)).sum::<usize>()
            }
            Self::Result { text, .. } | Self::Told(text) => text.len(),
        }
    }

    fn message(&self) -> Json {
        match self {
            Self::Said { text, calls } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
            Self::Said { text, calls } => {
                let calls: Vec<Json> = calls
                    .iter()
                    .map(|call| json!({ "id": call.id, "name": call.name, "arguments": call.arguments }))
                    .collect();
                json!({ "role": "assistant", "content": text, "tool_calls": calls })
            }
            Self::Result { id, tool, text, .. } => {
                json!({ "role": "tool", "tool_call_id": id, "name": tool, "content": text })
            }
            Self::Told(text) => json!({ "role": "user", "content": text }),
        }
    }
}

/// Bytes of a value's texts, roughly: good enough to bound a thread without writing it out.
pub(crate) fn size(value: &Json) -> usize {
    match value {
        Json::String(text) => text.len() + 2,
        Json::Array(items) => items.iter().map(size).sum::<usize>() + items.len() + 2,
        Json::Object(map) => map.iter().map(|(key, value)| key.len() + size(value) + 4).sum::<usize>() + 2,
        Json::Null | Json::Bool(_) | Json::Number(_) => 8,
    }
}
