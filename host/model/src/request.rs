//! What is asked for: one fork, and how its outcomes come back. A plan's task and a guest's request are the same thing.

use crate::budget::Dimension;
use crate::cap::Cap;
use crate::dependency::Handed;
use crate::id::is_valid_id;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What a failure does to the run's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The run fails with it.
    Propagate,
    /// The result is dropped, the run is at best `partial`.
    Skip,
}

/// How many children a `spawn` waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnMode {
    /// All of them.
    #[default]
    All,
    /// The first that is ok; the rest are cancelled.
    FirstOk,
    /// The first `n` that are ok; the rest are cancelled.
    Quorum(u32),
}

/// Options of a whole `spawn` call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpawnOptions {
    /// When the call is answered.
    pub returns: ReturnMode,
}

impl SpawnOptions {
    /// Reads `{"return": "all" | "first_ok" | {"quorum": n}}`; `{}` is `all`.
    ///
    /// # Errors
    /// A sentence that names the key and what was expected.
    pub fn from_json(options: &Value) -> Result<Self, String> {
        let Some(map) = options.as_object() else {
            return Err(format!("spawn options must be an object, found {}", kind(options)));
        };
        let mut read = Self::default();
        for (key, value) in map {
            if key != "return" {
                return Err(format!("unknown spawn option `{key}`; known: return"));
            }
            read.returns = match value {
                Value::String(text) if text == "all" => ReturnMode::All,
                Value::String(text) if text == "first_ok" => ReturnMode::FirstOk,
                Value::Object(inner) if inner.len() == 1 => match inner.get("quorum").and_then(Value::as_u64) {
                    Some(n) if n >= 1 => ReturnMode::Quorum(u32::try_from(n).unwrap_or(u32::MAX)),
                    _ => return Err("`return` expects {\"quorum\": n} with n of at least 1".into()),
                },
                _ => return Err("`return` expects \"all\", \"first_ok\" or {\"quorum\": n}".into()),
            };
        }
        Ok(read)
    }
}

/// A wish for a part of the parent's budget; what is absent gets a share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Units of fuel.
    pub fuel: Option<Cap>,
    /// Turns; where no fuel is written, also steps × `fuel_per_step` of fuel.
    pub steps: Option<Cap>,
    /// Host calls.
    pub host_calls: Option<Cap>,
    /// Tokens sent to models.
    pub input_tokens: Option<Cap>,
    /// Tokens received from models.
    pub output_tokens: Option<Cap>,
    /// Bytes of tool results.
    pub result_bytes: Option<Cap>,
    /// Bytes of output.
    pub output_bytes: Option<Cap>,
    /// Bytes of notes.
    pub note_bytes: Option<Cap>,
    /// Second attempts.
    pub retries: Option<Cap>,
    /// Bytes of memory: a ceiling, not divided.
    pub memory: Option<Cap>,
}

impl Ask {
    /// The keys `budget` understands, with the names of GV-05 beside our own.
    pub const KEYS: [&'static str; 14] = [
        "fuel",
        "steps",
        "turns",
        "max_steps",
        "host_calls",
        "input_tokens",
        "max_input_tokens",
        "output_tokens",
        "max_output_tokens",
        "result_bytes",
        "output_bytes",
        "note_bytes",
        "retries",
        "memory",
    ];

    /// The slot that a key of `budget` names.
    pub fn slot(&mut self, key: &str) -> Option<&mut Option<Cap>> {
        Some(match key {
            "fuel" => &mut self.fuel,
            "steps" | "turns" | "max_steps" => &mut self.steps,
            "host_calls" => &mut self.host_calls,
            "input_tokens" | "max_input_tokens" => &mut self.input_tokens,
            "output_tokens" | "max_output_tokens" => &mut self.output_tokens,
            "result_bytes" => &mut self.result_bytes,
            "output_bytes" => &mut self.output_bytes,
            "note_bytes" => &mut self.note_bytes,
            "retries" => &mut self.retries,
            "memory" => &mut self.memory,
            _ => return None,
        })
    }

    /// What is explicitly asked of each dimension; steps bring their fuel where no fuel is written.
    pub fn amounts(&self, fuel_per_step: u64) -> impl Fn(Dimension) -> Option<u64> {
        let steps_fuel = self.steps.map(|steps| steps.times(fuel_per_step));
        let asks = self.clone();
        move |dimension| {
            let cap = match dimension {
                Dimension::Fuel => asks.fuel.or(steps_fuel),
                Dimension::Turns => asks.steps,
                Dimension::HostCalls => asks.host_calls,
                Dimension::InputTokens => asks.input_tokens,
                Dimension::OutputTokens => asks.output_tokens,
                Dimension::ResultBytes => asks.result_bytes,
                Dimension::OutputBytes => asks.output_bytes,
                Dimension::NoteBytes => asks.note_bytes,
                Dimension::Retries => asks.retries,
            };
            cap.map(Cap::ceiling)
        }
    }

    /// This ask where it speaks, `other` where it is silent. Fuel follows the side whose steps or fuel were written.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            fuel: if self.fuel.is_none() && self.steps.is_some() { None } else { self.fuel.or(other.fuel) },
            steps: self.steps.or(other.steps),
            host_calls: self.host_calls.or(other.host_calls),
            input_tokens: self.input_tokens.or(other.input_tokens),
            output_tokens: self.output_tokens.or(other.output_tokens),
            result_bytes: self.result_bytes.or(other.result_bytes),
            output_bytes: self.output_bytes.or(other.output_bytes),
            note_bytes: self.note_bytes.or(other.note_bytes),
            retries: self.retries.or(other.retries),
            memory: self.memory.or(other.memory),
        }
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let Some(map) = value.as_object() else {
            return Err(format!("`budget` must be an object, found {}", kind(value)));
        };
        let mut ask = Self::default();
        for (key, value) in map {
            let cap = match value {
                Value::String(text) if text == "unlimited" => Cap::Unlimited,
                other => match other.as_u64() {
                    Some(n) => Cap::Finite(n),
                    None => return Err(format!("`budget.{key}` expects a whole number or \"unlimited\"")),
                },
            };
            match ask.slot(key) {
                Some(slot) => *slot = Some(cap),
                None => return Err(format!("unknown key `budget.{key}`; known: {}", Self::KEYS.join(", "))),
            }
        }
        Ok(ask)
    }
}

/// Options of one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestOptions {
    /// The last part of the task id; an ordinal where absent.
    pub id: Option<String>,
    /// The tools to grant; the entry's where absent.
    pub tools: Option<Vec<String>>,
    /// The part of the parent's budget to move.
    pub budget: Ask,
    /// The least of it that is still of use, where the plan shrinks instead of refusing.
    pub budget_min: Ask,
    /// Wall-clock limit; clamped to the parent's remainder.
    pub timeout: Option<Duration>,
    /// What a failure does; a spawned child's outcome goes to its parent whatever this says.
    pub on_failure: Option<OnFailure>,
    /// Kept when the run converges or fuses.
    pub critical: bool,
    /// The first to be refused when the run must save.
    pub low_value: bool,
    /// Drawn from the acceptance floor: set by the orchestrator for reviewers, never by a guest.
    pub is_acceptance: bool,
    /// Its output must be a list of tasks: set by the orchestrator for planners, never by a guest.
    pub is_planning: bool,
    /// What other tasks and earlier attempts left for it: set by the orchestrator, never by a guest.
    pub handed: Option<Arc<Handed>>,
    /// The model tier of a retry that changes it: set by the orchestrator, never by a guest.
    pub tier: Option<String>,
    /// JSON Schema of the output, in place of the entry's.
    pub output_schema: Option<Value>,
    /// What the result must meet, for the packet.
    pub acceptance_criteria: Vec<String>,
    /// Artifacts the task rests on.
    pub context_refs: Vec<String>,
}

impl RequestOptions {
    /// Reads the `options` of a request; unknown keys are errors, `{}` is all defaults.
    ///
    /// # Errors
    /// A sentence that names the key and what was expected.
    pub fn from_json(options: &Value) -> Result<Self, String> {
        let Some(map) = options.as_object() else {
            return Err(format!("request options must be an object, found {}", kind(options)));
        };
        let mut read = Self::default();
        for (key, value) in map {
            match key.as_str() {
                "id" => match value.as_str() {
                    Some(id) if is_valid_id(id) => read.id = Some(id.into()),
                    _ => return Err("`id` expects a letter, then at most 63 letters, digits, `_`, `-` or `.`".into()),
                },
                // GV-05's names stand beside ours; both at once would hide one of them.
                "tools" | "allowed_tools" => {
                    if read.tools.replace(strings(key, value)?).is_some() {
                        return Err("`tools` and `allowed_tools` say the same; keep one of them".into());
                    }
                }
                "budget" => read.budget = Ask::from_json(value)?,
                "budget_min" => read.budget_min = Ask::from_json(value)?,
                "timeout_ms" | "deadline_ms" => match value.as_u64() {
                    Some(ms) if ms >= 1 => read.timeout = Some(Duration::from_millis(ms)),
                    _ => return Err(format!("`{key}` expects a whole number of milliseconds, at least 1")),
                },
                "on_failure" => match value.as_str() {
                    Some("propagate") => read.on_failure = Some(OnFailure::Propagate),
                    Some("skip") => read.on_failure = Some(OnFailure::Skip),
                    _ => return Err("`on_failure` expects \"propagate\" or \"skip\"".into()),
                },
                "critical" => match value.as_bool() {
                    Some(critical) => read.critical = critical,
                    None => return Err("`critical` expects true or false".into()),
                },
                "low_value" => match value.as_bool() {
                    Some(low_value) => read.low_value = low_value,
                    None => return Err("`low_value` expects true or false".into()),
                },
                "output_schema" => read.output_schema = Some(value.clone()),
                "acceptance_criteria" => read.acceptance_criteria = strings(key, value)?,
                "context_refs" => read.context_refs = strings(key, value)?,
                _ => {
                    return Err(format!(
                        "unknown option `{key}`; known: id, tools, budget, budget_min, timeout_ms, on_failure, critical, \
                         low_value, output_schema, acceptance_criteria, context_refs"
                    ));
                }
            }
        }
        Ok(read)
    }
}

/// One fork, asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Which agent, by the name the plan gives it.
    pub agent: String,
    /// What for.
    pub goal: String,
    /// The whole input besides the run's shared one.
    pub context: Value,
    /// Options, or what is wrong with them: a bad option refuses this request alone, not its siblings.
    pub options: Result<Arc<RequestOptions>, String>,
    /// Added by the host so that a batch covers all it must (HF-13).
    pub is_added: bool,
}

fn strings(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` expects a list of strings");
    value.as_array().ok_or_else(wrong)?.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // GV-05
    #[test]
    fn the_packets_own_names_are_accepted_once() {
        let options = RequestOptions::from_json(&json!({
            "allowed_tools": ["search_logs"], "deadline_ms": 45_000,
            "budget": { "max_input_tokens": 12_000, "max_output_tokens": 2_000, "max_steps": 8 },
        }))
        .expect("GV-05's names");
        assert_eq!(options.tools, Some(vec!["search_logs".to_owned()]));
        assert_eq!(options.timeout, Some(Duration::from_secs(45)));
        assert_eq!(options.budget.steps, Some(Cap::Finite(8)));
        let twice = RequestOptions::from_json(&json!({ "tools": [], "allowed_tools": [] }));
        assert!(twice.expect_err("twice").contains("keep one"));
    }
}
