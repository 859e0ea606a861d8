//! JSON as block YAML, indented like the block it replaces. Whatever a YAML reader could take for something else is quoted.

use sandfork_source::{NodeValue, resolve};
use serde_json::Value;
use std::fmt::Write as _;

/// `key: value`, over as many lines as it takes, the first without indentation; ends with a line feed.
pub(super) fn entry(key: &str, value: &Value, indent: usize, into: &mut String) {
    let key = scalar(key);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let _ = writeln!(into, "{key}:");
            for (key, value) in map {
                spaces(indent + 2, into);
                entry(key, value, indent + 2, into);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let _ = writeln!(into, "{key}:");
            for value in items {
                spaces(indent + 2, into);
                item(value, indent + 2, into);
            }
        }
        value => {
            let _ = writeln!(into, "{key}: {}", inline(value));
        }
    }
}

fn item(value: &Value, indent: usize, into: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            into.push_str("- ");
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    spaces(indent + 2, into);
                }
                entry(key, value, indent + 2, into);
            }
        }
        // A list inside a list reads best on one line.
        value => {
            let _ = writeln!(into, "- {}", inline(value));
        }
    }
}

/// A value on one line. JSON is YAML, apart from what JSON leaves unescaped and YAML does not take.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        value => escaped(&value.to_string()),
    }
}

/// A text without quotes where nobody could read it as anything else.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | ',' | '(' | ')'))
        && !text.ends_with(' ')
        && text.len() <= 100
        // Words that one YAML reader or another takes for a truth value.
        && !matches!(text.to_ascii_lowercase().as_str(), "y" | "n" | "yes" | "no" | "on" | "off")
        && resolve(text) == NodeValue::Text(text.to_owned());
    if is_plain { text.to_owned() } else { escaped(&Value::from(text).to_string()) }
}

/// JSON text in which every character is one that a YAML reader takes as it is.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            // Only inside a text can there be such a character.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

fn spaces(count: usize, into: &mut String) {
    into.extend(std::iter::repeat_n(' ', count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_source::{ParseLimits, parse_yaml};
    use serde_json::json;

    #[test]
    fn whatever_is_written_is_read_back_as_it_was() {
        let values = [
            json!({ "status": "ok", "output": { "reply": "Read the list: 19 bytes", "n": 1.50, "list": [1, [2, []], {}] } }),
            json!({ "a": "yes", "b": "true", "c": "null", "d": "1e5", "e": "- x", "f": "#", "g": " x ", "h": "" }),
            json!({ "t": "line\nline\t\u{1}\u{85}\u{2028}\u{7f}😀 \"q\" \\ 'x'", "a: b": [{ "x": [{}], "y": null }] }),
            json!({ "list": [{ "a": { "b": [1] }, "c": "d" }, "plain text", true] }),
            json!({ "Norway": "NO", "k": "x: y", "z": "{}", "colon": "a:", "at": "@x", "percent": "%x", "long": "x".repeat(300) }),
        ];
        for value in values {
            for indent in [0, 4] {
                let mut text = " ".repeat(indent);
                entry("expect", &value, indent, &mut text);
                let tree = parse_yaml("emitted", text.as_bytes(), &ParseLimits::default())
                    .unwrap_or_else(|problem| panic!("{problem}\n{text}"));
                assert_eq!(tree.to_json(), json!({ "expect": value }), "{text}");
            }
        }
    }
}
