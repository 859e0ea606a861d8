//! Reads a value as the JSON text that it will be: numbers as written, references where they stand.

use super::template;
use crate::ast::{Built, Mode, Piece};
use sandfork_source::{Node, NodeValue, Problems, quote};

/// Reads any value. A scalar that is one reference and nothing else takes the reference's own JSON type.
pub(super) fn value(node: &Node, problems: &mut Problems) -> Built {
    let mut built = Built::default();
    write(node, &mut built, problems);
    built
}

fn write(node: &Node, built: &mut Built, problems: &mut Problems) {
    match &node.value {
        NodeValue::Null => built.push("null"),
        NodeValue::Bool(flag) => built.push(if *flag { "true" } else { "false" }),
        NodeValue::Number(text) => built.push(text),
        NodeValue::Text(text) => match template::lone(text, node.place) {
            Some(reference) => built.pieces.push(Piece::Reference(reference, Mode::Whole)),
            None => {
                built.push("\"");
                built.append(template::template(text, node.place, Mode::Quoted, problems));
                built.push("\"");
            }
        },
        NodeValue::List(items) => {
            built.push("[");
            for (at, item) in items.iter().enumerate() {
                built.push(if at == 0 { "" } else { "," });
                write(item, built, problems);
            }
            built.push("]");
        }
        NodeValue::Map(entries) => {
            built.push("{");
            for (at, (key, item)) in entries.iter().enumerate() {
                if key.text.contains("${") {
                    let problem = problems.at(key.place, format!("the key {} holds a reference", quote(&key.text)));
                    problems.push(problem.expected("keys written out").hint("references are for values only"));
                }
                built.push(if at == 0 { "" } else { "," });
                built.push(&quoted(&key.text));
                built.push(":");
                write(item, built, problems);
            }
            built.push("}");
        }
    }
}

/// Whether nothing in a value waits for the run.
pub(super) fn is_literal(node: &Node) -> bool {
    match &node.value {
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => true,
        NodeValue::Text(text) => !text.contains("${"),
        NodeValue::List(items) => items.iter().all(is_literal),
        NodeValue::Map(entries) => entries.iter().all(|(_, node)| is_literal(node)),
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
