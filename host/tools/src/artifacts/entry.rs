//! One line of the index: a version with where it comes from. A line carries the digest of its own entry, so that a torn or
//! changed one is known as such. Knows text; opens no file.

use sandfork_model::id::is_valid_id;
use sandfork_model::{ArtifactRef, sha256_hex};
use serde_json::{Map, Value, json};

/// Hex digits of a sha256.
const DIGEST_CHARS: usize = 64;
const BEFORE_CHECK: &str = "{\"check\":\"";
const BEFORE_ENTRY: &str = "\",\"entry\":";

/// One version of one artifact, with its provenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What leads to it.
    pub reference: ArtifactRef,
    /// Digest of its bytes, lower-case hex; also the name of the file that has them.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// What kind of text it is, if somebody said.
    pub media_type: Option<String>,
    /// Whose work it is.
    pub task_id: String,
    /// The agent at work.
    pub agent: String,
    /// The event that led to it, if one did.
    pub by_event: Option<String>,
    /// [`sandfork_model::MadeBy::name`].
    pub made_by: String,
    /// What its maker had read of this run's artifacts before, in order of first reading.
    pub inputs: Vec<String>,
    /// Whether it had read more than are listed.
    pub inputs_more: bool,
}

impl Entry {
    /// The entry as a document, for whoever shows it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "ref": self.reference.to_string(), "name": self.reference.name, "version": self.reference.version,
            "sha256": self.sha256, "bytes": self.bytes, "lines": self.lines, "media_type": self.media_type,
            "task_id": self.task_id, "agent": self.agent, "by_event": self.by_event, "made_by": self.made_by,
            "inputs": self.inputs, "inputs_more": self.inputs_more,
        })
    }

    /// Reads what [`Self::to_json`] writes; `None` if it is anything else.
    fn from_json(value: &Value) -> Option<Self> {
        let map = value.as_object()?;
        let text = |key: &str| map.get(key)?.as_str().map(str::to_owned);
        let number = |key: &str| map.get(key)?.as_u64();
        let reference = ArtifactRef::parse(map.get("ref")?.as_str()?)?;
        let sha256 = text("sha256")?;
        // The digest becomes a file's name: nothing else may.
        let is_digest = sha256.len() == DIGEST_CHARS && sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let inputs: Option<Vec<String>> =
            map.get("inputs")?.as_array()?.iter().map(|input| input.as_str().map(str::to_owned)).collect();
        (is_digest && is_valid_id(&reference.name)).then_some(())?;
        Some(Self {
            reference,
            sha256,
            bytes: number("bytes")?,
            lines: number("lines")?,
            media_type: optional(map, "media_type")?,
            task_id: text("task_id")?,
            agent: text("agent")?,
            by_event: optional(map, "by_event")?,
            made_by: text("made_by")?,
            inputs: inputs?,
            inputs_more: map.get("inputs_more")?.as_bool()?,
        })
    }

    /// Its line, with the line break: one JSON document.
    pub(crate) fn to_line(&self) -> String {
        let entry = self.to_json().to_string();
        format!("{BEFORE_CHECK}{}{BEFORE_ENTRY}{entry}}}\n", sha256_hex(entry.as_bytes()))
    }

    /// Reads a line without its line break; `None` if a single byte of it is not as it was written.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let (check, rest) = line.strip_prefix(BEFORE_CHECK)?.split_at_checked(DIGEST_CHARS)?;
        let entry = rest.strip_prefix(BEFORE_ENTRY)?.strip_suffix('}')?;
        if sha256_hex(entry.as_bytes()) != check {
            return None;
        }
        Self::from_json(&serde_json::from_str(entry).ok()?)
    }
}

/// A text, or null; the outer `None` is anything else.
#[allow(clippy::option_option, reason = "absent and wrong are two answers")]
fn optional(map: &Map<String, Value>, key: &str) -> Option<Option<String>> {
    match map.get(key)? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
