//! Values and references of the plain interpreter.

use super::{Ended, decimal, limits};
use sandfork_source::{Node, NodeValue};

/// One part of a path.
pub enum Hop {
    Key(String),
    Index(i64),
}

impl Hop {
    pub fn follow(&self, node: &Node) -> Option<Node> {
        match (self, &node.value) {
            (Self::Key(key), NodeValue::Map(_)) => node.get(key).cloned(),
            (Self::Index(at), NodeValue::List(items)) => {
                let at = if *at < 0 { *at + items.len() as i64 } else { *at };
                usize::try_from(at).ok().and_then(|at| items.get(at)).cloned()
            }
            _ => None,
        }
    }
}

/// Reads JSON.
pub fn node(text: &str) -> Node {
    sandfork_source::parse("x.json", text.as_bytes(), &limits()).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

/// A text as JSON.
pub fn text(text: &str) -> String {
    serde_json::to_string(text).expect("text is JSON")
}

/// A value as compact JSON, numbers as written.
pub fn json(node: &Node) -> String {
    match &node.value {
        NodeValue::Null => "null".into(),
        NodeValue::Bool(flag) => flag.to_string(),
        NodeValue::Number(text) => text.clone(),
        NodeValue::Text(written) => text(written),
        NodeValue::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        NodeValue::Map(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|(key, item)| format!("{}:{}", text(&key.text), json(item))).collect();
            format!("{{{}}}", entries.join(","))
        }
    }
}

/// A value inside text.
pub fn render(node: &Node) -> String {
    match &node.value {
        NodeValue::Text(text) => text.clone(),
        _ => json(node),
    }
}

/// The path of a text that is one reference and nothing else.
pub fn alone(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("${")?.strip_suffix('}')?;
    (!inside.contains(['{', '}'])).then_some(inside)
}

/// Text and paths in turn.
pub fn pieces(written: &str) -> Vec<Result<String, String>> {
    let mut pieces = Vec::new();
    let mut rest = written;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("$${") {
            pieces.push(Ok("${".into()));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("${") {
            let (path, after) = after.split_once('}').expect("a reference ends");
            pieces.push(Err(path.into()));
            rest = after;
        } else {
            let first = rest.chars().next().expect("not empty");
            pieces.push(Ok(first.into()));
            rest = &rest[first.len_utf8()..];
        }
    }
    pieces
}

/// A path's name and hops.
pub fn reference(path: &str) -> (String, Vec<Hop>) {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (root, mut rest) = path.split_at(end);
    let mut hops = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[\"") {
            let (key, after) = after.split_once("\"]").expect("a key ends");
            hops.push(Hop::Key(key.into()));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (at, after) = after.split_once(']').expect("an index ends");
            hops.push(Hop::Index(at.parse().expect("an index is a number")));
            rest = after;
        } else {
            let after = &rest[1..];
            let end = after.find(['.', '[']).unwrap_or(after.len());
            hops.push(Hop::Key(after[..end].into()));
            rest = &after[end..];
        }
    }
    (root.into(), hops)
}

pub fn equal(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (NodeValue::Number(a), NodeValue::Number(b)) => decimal::order(a, b).is_eq(),
        (NodeValue::List(a), NodeValue::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (NodeValue::Map(entries), NodeValue::Map(others)) => {
            entries.len() == others.len()
                && entries.iter().all(|(key, a)| b.get(&key.text).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

pub fn contains(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (NodeValue::List(items), _) => items.iter().any(|item| equal(item, b)),
        (NodeValue::Text(whole), NodeValue::Text(part)) => whole.contains(part),
        (NodeValue::Map(_), NodeValue::Text(key)) => a.get(key).is_some(),
        _ => false,
    }
}

pub fn absent(path: &str) -> Ended {
    Err(("reference_absent".into(), format!("reference {path} is absent"), format!("{{\"path\":{}}}", text(path))))
}

pub fn mistaken(path: &str, expected: &str) -> Ended {
    let details = format!("{{\"path\":{},\"expected\":{}}}", text(path), text(expected));
    Err(("reference_type".into(), format!("reference {path} is not {expected}"), details))
}
