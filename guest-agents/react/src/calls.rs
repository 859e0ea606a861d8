//! One call that a model asks for: read, executed, and answered with a text for the thread. A call that cannot be executed
//! is answered too; nothing that a model says reaches the host unread.

use crate::limits::{FIELD_BYTES, MISSING_FIELDS, SAID_BYTES};
use crate::offers::{BLOCKED, Offers};
use crate::thread::size;
use sandfork_guest::{Context, Failure, Json, ModelCall, json, serde_json};

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Called {
    /// For the thread: the answer or the error, as JSON text.
    pub(crate) text: String,
    /// The arguments as they were read; `None` if the call could not be executed.
    pub(crate) arguments: Option<Json>,
    /// The host's word on what to do next, if it said one.
    pub(crate) word: Option<Word>,
}

/// What a host says besides its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Return what there is, and why.
    Converge(String),
    /// The host's own loop detector spoke.
    Loop,
}

/// Executes one call.
///
/// # Errors
/// The end of the fork: `blocked`, or what the model gave up with.
pub(crate) fn execute(call: &ModelCall, offers: &Offers, host: &mut Context) -> Result<Called, Failure> {
    if !offers.is_granted(&call.name) && !offers.is_own(&call.name) {
        let name: String = call.name.chars().take(64).collect();
        let known = offers.names().join(", ");
        return Ok(refused("unknown_tool", format!("there is no tool {name}; there are: {known}")));
    }
    let arguments = match arguments(&call.arguments) {
        Ok(arguments) => arguments,
        Err(why) => return Ok(refused("invalid_arguments", why)),
    };
    if offers.is_own(&call.name) {
        return own(&call.name, &arguments);
    }
    Ok(match host.tool(&call.name, &arguments) {
        Ok(answer) => {
            let word = answer.get("converge").and_then(Json::as_str).map(|word| Word::Converge(word.to_owned()));
            Called { text: answer.to_string(), arguments: Some(arguments), word }
        }
        Err(error) => {
            let word = match error.code.as_str() {
                "budget_converging" => Some(Word::Converge(error.message.clone())),
                "loop_detected" => Some(Word::Loop),
                _ => None,
            };
            let text = json!({ "error": { "code": error.code, "message": error.message, "details": error.details } });
            Called { text: text.to_string(), arguments: Some(arguments), word }
        }
    })
}

fn refused(code: &str, message: String) -> Called {
    let text = json!({ "error": { "code": code, "message": message } }).to_string();
    Called { text, arguments: None, word: None }
}

/// An object, or a text that holds one: some models send their arguments as text.
fn arguments(said: &Json) -> Result<Json, String> {
    if size(said) > SAID_BYTES {
        return Err(format!("arguments are larger than {SAID_BYTES} bytes"));
    }
    let read = match said {
        Json::String(text) if text.trim().is_empty() => json!({}),
        Json::String(text) => serde_json::from_str(text).map_err(|error| format!("arguments are no JSON: {error}"))?,
        Json::Null => json!({}),
        other => other.clone(),
    };
    if read.is_object() { Ok(read) } else { Err("arguments must be a JSON object".to_owned()) }
}

/// The two ways to end that are not an output.
fn own(name: &str, arguments: &Json) -> Result<Called, Failure> {
    if name == BLOCKED {
        let fields = arguments.get("missing").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let names: Vec<&str> = fields.iter().filter_map(Json::as_str).filter(|name| is_field(name)).collect();
        if names.is_empty() || names.len() != fields.len() || names.len() > MISSING_FIELDS {
            let message = format!("`missing` must list 1 to {MISSING_FIELDS} names of at most {FIELD_BYTES} bytes");
            return Ok(refused("invalid_arguments", message));
        }
        return Err(Failure::blocked(names));
    }
    let text = |key: &str| arguments.get(key).and_then(Json::as_str);
    let (Some(code), Some(message)) = (text("code").filter(|code| is_code(code)), text("message")) else {
        return Ok(refused("invalid_arguments", "`code` (snake case) and `message` must be texts".to_owned()));
    };
    let details = arguments.get("details").filter(|details| details.is_object()).cloned();
    Err(Failure::new(code, message).details(details.unwrap_or_else(|| json!({}))))
}

fn is_field(name: &str) -> bool {
    !name.is_empty() && name.len() <= FIELD_BYTES
}

/// A code that a parent can compare; `blocked` has a call of its own.
fn is_code(code: &str) -> bool {
    let is_snake = code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    is_snake && !code.is_empty() && code.len() <= 64 && code != BLOCKED
}
