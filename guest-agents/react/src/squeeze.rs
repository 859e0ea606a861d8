//! A tool result, replaced by a line that says so and by what must never be dropped (GV-35): order numbers, file paths,
//! error codes, acceptance criteria, evidence references. Pure: text in, text out.

use crate::keep::{self, Pieces};
use crate::limits::WORTH_BYTES;
use crate::thread::size;
use sandfork_guest::{Json, ModelCall, json, serde_json};

/// Keys whose values are kept whole, whatever they look like.
const NAMING_KEYS: [&str; 20] = [
    "acceptance_criteria",
    "code",
    "criteria",
    "criterion",
    "errno",
    "error",
    "error_code",
    "evidence",
    "file",
    "file_name",
    "filename",
    "id",
    "order",
    "order_id",
    "order_number",
    "path",
    "ref",
    "refs",
    "status",
    "url",
];

/// What of a tool result must survive, in the order in which it stands there. JSON is looked through string by string, so
/// that a path is kept as it is and not as JSON escapes it.
pub(crate) fn kept(text: &str, criteria: &[String]) -> Vec<String> {
    let mut pieces = Pieces::default();
    match serde_json::from_str::<Json>(text) {
        Ok(value) => walk(&value, criteria, &mut pieces),
        Err(_) => plain(text, criteria, &mut pieces),
    }
    pieces.into_vec()
}

/// The text that stands in a result's place.
pub(crate) fn replaced(tool: &str, text: &str, kept: &[String], reference: Option<&str>) -> String {
    let place = match reference {
        Some(reference) => format!("read it again from {reference}"),
        None => "call the tool again if you need the rest".to_owned(),
    };
    let mut short = format!("[replaced: a result of {tool}, {} bytes; {place}; it named:]", text.len());
    for piece in kept {
        short.push('\n');
        short.push_str(piece);
    }
    short
}

/// Large arguments of an old call, replaced in the same way; `None` where that saves nothing.
pub(crate) fn arguments(call: &ModelCall, criteria: &[String]) -> Option<Json> {
    let bytes = size(&call.arguments);
    if bytes < 2 * WORTH_BYTES {
        return None;
    }
    let mut pieces = Pieces::default();
    walk(&call.arguments, criteria, &mut pieces);
    let short = json!({ "replaced_bytes": bytes, "named": pieces.into_vec() });
    (size(&short) < bytes).then_some(short)
}

fn plain(text: &str, criteria: &[String], pieces: &mut Pieces) {
    for criterion in criteria.iter().filter(|criterion| !criterion.is_empty() && text.contains(criterion.as_str())) {
        pieces.push(criterion);
    }
    keep::collect(text, pieces);
}

fn walk(value: &Json, criteria: &[String], pieces: &mut Pieces) {
    match value {
        Json::String(text) => match serde_json::from_str::<Json>(text) {
            // Tools answer JSON in JSON: a log line, a file.
            Ok(inner @ (Json::Object(_) | Json::Array(_))) => walk(&inner, criteria, pieces),
            _ => plain(text, criteria, pieces),
        },
        Json::Number(number) => keep::collect(&number.to_string(), pieces),
        Json::Array(items) => items.iter().for_each(|item| walk(item, criteria, pieces)),
        Json::Object(map) => {
            for (key, value) in map {
                keep::collect(key, pieces);
                if is_naming(key) {
                    whole(value, pieces);
                }
                walk(value, criteria, pieces);
            }
        }
        Json::Null | Json::Bool(_) => {}
    }
}

fn is_naming(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    NAMING_KEYS.contains(&key.as_str())
        || ["_ref", "_refs", "_path", "_file", "_code", "_id"].iter().any(|ending| key.ends_with(ending))
}

/// A naming key's value, or each of its items.
fn whole(value: &Json, pieces: &mut Pieces) {
    match value {
        Json::String(text) => pieces.push(text),
        Json::Number(number) => pieces.push(&number.to_string()),
        Json::Array(items) => items.iter().filter(|item| !item.is_array()).for_each(|item| whole(item, pieces)),
        Json::Object(_) | Json::Null | Json::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests;
