//! Text on its way into a JSON string: escaped while it is written, its own length counted. What is the same for many forks
//! is escaped once and then only copied.

use serde_json::Value;
use std::fmt::{self, Write};
use std::io;

/// Text, escaped for the inside of a JSON string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prose {
    escaped: String,
    bytes: u64,
}

impl Prose {
    /// Goes on behind JSON text that has opened a string.
    pub(crate) fn behind(json: String) -> Self {
        Self { escaped: json, bytes: 0 }
    }

    /// Appends JSON as it is: no part of the text, and not counted.
    pub(crate) fn push_json(&mut self, json: &str) {
        self.escaped.push_str(json);
    }

    /// All that was written.
    pub(crate) fn into_json(self) -> String {
        self.escaped
    }

    /// Appends text.
    pub(crate) fn push(&mut self, text: &str) {
        escape(&mut self.escaped, text);
        self.bytes = self.bytes.saturating_add(crate::port::length(text));
    }

    /// Appends what was escaped before.
    pub(crate) fn append(&mut self, other: &Self) {
        self.escaped.push_str(&other.escaped);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// Appends a titled list, one item a line; nothing for an empty one.
    pub(crate) fn list<'a>(&mut self, title: &str, items: impl IntoIterator<Item = &'a str>) {
        for (place, item) in items.into_iter().enumerate() {
            if place == 0 {
                self.push(title);
                self.push(":\n");
            }
            self.push("- ");
            self.push(item);
            self.push("\n");
        }
    }

    /// Bytes of the text itself.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Write for Prose {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

/// Appends `text` as a JSON string.
pub(crate) fn quote(json: &mut String, text: &str) {
    json.push('"');
    escape(json, text);
    json.push('"');
}

/// Appends a list of JSON strings.
pub(crate) fn quote_all<'a>(json: &mut String, texts: impl IntoIterator<Item = &'a str>) {
    json.push('[');
    for (place, text) in texts.into_iter().enumerate() {
        if place > 0 {
            json.push(',');
        }
        quote(json, text);
    }
    json.push(']');
}

/// A value as compact JSON text.
pub(crate) fn compact(value: &Value) -> String {
    // Maps with string keys always have a text.
    serde_json::to_string(value).unwrap_or_default()
}

/// Bytes of a value as compact JSON text, which is not made for it.
pub(crate) fn written_bytes(value: &Value) -> u64 {
    let mut counted = Counted(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

/// Takes text and keeps its length.
struct Counted(u64);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Exactly the escapes that `serde_json` writes, so that a text is the same bytes whoever wrote it.
fn escape(json: &mut String, text: &str) {
    let mut rest = text;
    while let Some(place) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        // Every byte looked for is a whole character.
        let (plain, special) = rest.split_at(place);
        json.push_str(plain);
        let mut characters = special.chars();
        match characters.next() {
            Some('"') => json.push_str("\\\""),
            Some('\\') => json.push_str("\\\\"),
            Some('\n') => json.push_str("\\n"),
            Some('\r') => json.push_str("\\r"),
            Some('\t') => json.push_str("\\t"),
            Some('\u{8}') => json.push_str("\\b"),
            Some('\u{c}') => json.push_str("\\f"),
            Some(control) => {
                // Writing to a String cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            None => {}
        }
        rest = characters.as_str();
    }
    json.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without this the fuel of a fork would depend on who wrote its task document.
    #[test]
    fn every_character_is_escaped_as_serde_json_does() {
        let mut all: String = (0..0x250_u32).filter_map(char::from_u32).collect();
        all.push_str("\u{2028}\u{feff}日本\u{10ffff}");
        let mut ours = String::new();
        quote(&mut ours, &all);
        assert_eq!(ours, Value::String(all.clone()).to_string());
        let mut prose = Prose::default();
        prose.push(&all);
        assert_eq!((prose.escaped.as_str(), prose.bytes()), (&ours[1..ours.len() - 1], all.len() as u64));
    }

    #[test]
    fn what_is_counted_is_what_would_be_written() {
        let value = serde_json::json!({ "a": [1.5, null, true], "é\n": "\"x\"\u{1}" });
        assert_eq!(written_bytes(&value), compact(&value).len() as u64);
    }

    #[test]
    fn an_empty_list_is_not_even_titled() {
        let mut prose = Prose::default();
        prose.list("Rules", []);
        assert_eq!(prose, Prose::default());
        prose.list("Rules", ["a", "b"]);
        assert_eq!(prose.escaped, r"Rules:\n- a\n- b\n");
    }
}
