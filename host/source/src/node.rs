//! The tree that both formats come to. Knows places, knows nothing of the format it was written in.

use serde_json::{Map, Value};

/// A place in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl Place {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A key of a map, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Where it stands.
    pub place: Place,
    /// Its text; a number used as a key is its source text.
    pub text: String,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it starts.
    pub place: Place,
    /// What it is.
    pub value: NodeValue,
}

/// The values of JSON. Keys of a map are unique and keep their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeValue {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// Valid JSON number text, exactly as written: `1.50` stays `1.50`.
    Number(String),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Keys and values in order.
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// What kind of value this is, for messages: `a list`, `a map`, …
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "true or false",
            NodeValue::Number(_) => "a number",
            NodeValue::Text(_) => "text",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a map",
        }
    }

    /// The value of a key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            NodeValue::Map(entries) => entries.iter().find(|(have, _)| have.text == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The text, if this is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same tree without places. Numbers keep their digits; an exponent is written as serde_json writes it (`1e5`
    /// becomes `1e+5`), so that equal texts of a plan and of a guest stay equal values.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(flag) => Value::Bool(*flag),
            // A reader only ever makes valid number text; a hand-made node that lies becomes text, not a panic.
            NodeValue::Number(text) => match text.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => Value::String(text.clone()),
            },
            NodeValue::Text(text) => Value::String(text.clone()),
            NodeValue::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            NodeValue::Map(entries) => Value::Object(
                entries.iter().map(|(key, node)| (key.text.clone(), node.to_json())).collect::<Map<_, _>>(),
            ),
        }
    }
}
