//! What is kept of a result that is too large for a message: the text that a reader would page through, by lines. Results are
//! JSON, and JSON hides lines inside strings, so the one large member of a result is kept as what it means and the small
//! ones stay in the message. Nothing is lost between the two.

use serde_json::{Map, Value};

/// What is too large to travel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    /// The text to keep.
    pub(crate) text: String,
    /// What kind of text it is.
    pub(crate) media_type: &'static str,
    /// Which member of the result it was; `None` if it is all of it.
    pub(crate) of: Option<String>,
    /// The other members; empty if it is all of it.
    pub(crate) rest: Map<String, Value>,
}

impl Whole {
    /// Takes a result apart; what stays in the message takes at most `rest_bytes`.
    pub(crate) fn of(result: &str, rest_bytes: usize) -> Self {
        let all = |text, media_type| Self { text, media_type, of: None, rest: Map::new() };
        match serde_json::from_str::<Value>(result) {
            Err(_) => all(result.to_owned(), "text/plain"),
            Ok(Value::Object(mut members)) => match largest(&mut members) {
                Some((key, (text, media_type))) if length(&members) <= rest_bytes => {
                    Self { text, media_type, of: Some(key), rest: members }
                }
                _ => all(result.to_owned(), "application/json"),
            },
            Ok(value) => match lines(value) {
                Some((text, media_type)) => all(text, media_type),
                None => all(result.to_owned(), "application/json"),
            },
        }
    }
}

/// Takes the largest member out of an object, if it is a text or a list.
fn largest(members: &mut Map<String, Value>) -> Option<(String, (String, &'static str))> {
    let size = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| item.to_string().len()).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => 0,
    };
    let key = members.iter().max_by_key(|(_, value)| size(value)).map(|(key, _)| key.clone())?;
    let taken = members.shift_remove(&key)?;
    Some((key, lines(taken)?))
}

/// A text as it is; a list as one line an item.
fn lines(value: Value) -> Option<(String, &'static str)> {
    match value {
        Value::String(text) => Some((text, "text/plain")),
        Value::Array(items) => {
            let plain = |item: &Value| item.as_str().filter(|text| !text.contains('\n')).map(str::to_owned);
            let all_plain: Option<Vec<String>> = items.iter().map(plain).collect();
            Some(match all_plain {
                Some(texts) => (texts.join("\n"), "text/plain"),
                None => (items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"), "application/x-ndjson"),
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn length(members: &Map<String, Value>) -> usize {
    // Two brackets, and for each member its key in quotes, a colon and a comma.
    members.iter().map(|(key, value)| key.len() + value.to_string().len() + 4).sum::<usize>() + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // GV-13
    #[test]
    fn the_large_part_is_kept_as_what_it_means_and_the_small_ones_stay() {
        let log: String = (1..=1000).map(|n| format!("line {n}\n")).collect();
        for (result, text, media_type, of, rest) in [
            (json!({ "path": "a.log", "text": log, "lines": 1000 }), log.clone(), "text/plain", Some("text"), 2),
            (json!(log), log.clone(), "text/plain", None, 0),
            (json!(["a", "b"]), "a\nb".into(), "text/plain", None, 0),
            (json!(["a", "b\nc"]), "\"a\"\n\"b\\nc\"".into(), "application/x-ndjson", None, 0),
            (
                json!({ "hits": [{ "n": 1 }, { "n": 2 }] }),
                "{\"n\":1}\n{\"n\":2}".into(),
                "application/x-ndjson",
                Some("hits"),
                0,
            ),
            (json!({ "deep": { "text": "x" } }), "{\"deep\":{\"text\":\"x\"}}".into(), "application/json", None, 0),
            (json!(1.5), "1.5".into(), "application/json", None, 0),
        ] {
            let whole = Whole::of(&result.to_string(), 1024);
            assert_eq!((whole.text, whole.media_type, whole.of.as_deref()), (text, media_type, of), "{result}");
            assert_eq!(whole.rest.len(), rest, "{result}");
        }
        assert_eq!(Whole::of("no JSON", 1024).text, "no JSON");
    }

    #[test]
    fn members_that_are_all_large_are_kept_together() {
        let result = json!({ "a": "x".repeat(2000), "b": "y".repeat(3000) }).to_string();
        let whole = Whole::of(&result, 1024);
        assert_eq!((whole.text, whole.media_type, whole.of), (result, "application/json", None));
    }
}
