//! Making nodes: a document that is put together from read parts and of values of our own, each with a place in the source
//! that it stands for.

use sandfork_source::{Key, Node, NodeValue, Place};

/// A map being made; every key of ours stands at one place.
pub(super) struct Making {
    place: Place,
    entries: Vec<(Key, Node)>,
}

impl Making {
    pub(super) fn at(place: Place) -> Self {
        Self { place, entries: Vec::new() }
    }

    pub(super) fn with(mut self, key: &str, value: Node) -> Self {
        self.entries.push((Key { place: self.place, text: key.to_owned() }, value));
        self
    }

    pub(super) fn with_some(self, key: &str, value: Option<Node>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(super) fn text(self, key: &str, text: &str) -> Self {
        let value = text_node(self.place, text);
        self.with(key, value)
    }

    pub(super) fn names<'n>(self, key: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        let place = self.place;
        let items = names.into_iter().map(|name| text_node(place, name)).collect();
        self.with(key, Node { place, value: NodeValue::List(items) })
    }

    pub(super) fn done(self) -> Node {
        Node { place: self.place, value: NodeValue::Map(self.entries) }
    }
}

pub(super) fn text_node(place: Place, text: &str) -> Node {
    Node { place, value: NodeValue::Text(text.to_owned()) }
}

/// A JSON value as nodes, all at one place.
pub(super) fn value_node(place: Place, value: &serde_json::Value) -> Node {
    use serde_json::Value;
    let value = match value {
        Value::Null => NodeValue::Null,
        Value::Bool(flag) => NodeValue::Bool(*flag),
        Value::Number(number) => NodeValue::Number(number.to_string()),
        Value::String(text) => NodeValue::Text(text.clone()),
        Value::Array(items) => NodeValue::List(items.iter().map(|item| value_node(place, item)).collect()),
        Value::Object(map) => NodeValue::Map(
            map.iter().map(|(key, value)| (Key { place, text: key.clone() }, value_node(place, value))).collect(),
        ),
    };
    Node { place, value }
}
