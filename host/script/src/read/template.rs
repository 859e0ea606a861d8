//! Reads text with references: `${path}` names a value, `$${` is a literal `${`. Knows how references are written, not what
//! they lead to.

use crate::ast::{Built, Hop, Mode, Piece, Reference};
use sandfork_source::{Node, NodeValue, Place, Problem, Problems, quote};

/// Hops of one path: deeper than any JSON the host reads.
const MAX_HOPS: usize = 128;
const EXPECTED: &str = "a path such as `${task.context.platform}`, `${children[0].output}` or `${x[\"any key\"]}`";

/// Reads a text; `mode` is how references appear in what it becomes.
pub(super) fn text(node: &Node, path: &str, mode: Mode, problems: &mut Problems) -> Built {
    match &node.value {
        NodeValue::Text(text) => template(text, node.place, mode, problems),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::List(_) | NodeValue::Map(_) => {
            let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind())).expected("text");
            problems.push(problem.hint("put it in quotes if it is meant as text"));
            Built::default()
        }
    }
}

/// Reads a text's references. With [`Mode::Quoted`] the result is the inside of a JSON string.
pub(super) fn template(text: &str, place: Place, mode: Mode, problems: &mut Problems) -> Built {
    let mut built = Built::default();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let inside = from.get(2..).unwrap_or_default();
        if let Some(before) = before.strip_suffix('$') {
            push(&mut built, before, mode);
            push(&mut built, "${", mode);
            rest = inside;
            continue;
        }
        push(&mut built, before, mode);
        match reference(inside, place) {
            Ok((reference, after)) => {
                built.pieces.push(Piece::Reference(reference, mode));
                rest = after;
            }
            Err(message) => {
                let problem = problems.at(place, message).expected(EXPECTED);
                problems.push(problem.hint("write `$${` for a literal `${`"));
                return built;
            }
        }
    }
    push(&mut built, rest, mode);
    built
}

/// The reference that a text is, if it is exactly one and nothing else.
pub(super) fn lone(text: &str, place: Place) -> Option<Reference> {
    match reference(text.strip_prefix("${")?, place) {
        Ok((reference, "")) => Some(reference),
        _ => None,
    }
}

/// Reads the path under a key that always names something: with or without `${` and `}`.
pub(super) fn path(node: &Node, key: &str, problems: &mut Problems) -> Option<Reference> {
    let Some(text) = node.as_text() else {
        let problem = problems.at(node.place, format!("{} is {}", quote(key), node.kind()));
        let problem = problem.expected("the name of an answer, or a path such as `children[0]`");
        problems.push(problem.hint("as in `{ ok: source }`"));
        return None;
    };
    let written = if text.starts_with("${") { text.to_owned() } else { format!("${{{text}}}") };
    let read = match written.strip_prefix("${").map(|inside| reference(inside, node.place)) {
        Some(Ok((reference, ""))) => return Some(reference),
        Some(Err(message)) => message,
        _ => format!("{} is more than a path", quote(text)),
    };
    let problem: Problem = problems.at(node.place, read);
    let problem = problem.expected("the name of an answer, or a path such as `children[0]`");
    problems.push(problem.hint("a path names one value; text around it is not possible here"));
    None
}

fn push(built: &mut Built, text: &str, mode: Mode) {
    match mode {
        Mode::Plain | Mode::Whole => built.push(text),
        Mode::Quoted => {
            let quoted = super::value::quoted(text);
            built.push(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
        }
    }
}

/// Reads a path up to its `}`; gives what follows.
fn reference(text: &str, place: Place) -> Result<(Reference, &str), String> {
    let (root, mut rest) = word(text);
    if root.is_empty() {
        return Err(match text.split_once('}') {
            Some((inside, _)) => format!("`${{{inside}}}` does not start with a name"),
            None => format!("{} has no `}}`", quote(&format!("${{{text}"))),
        });
    }
    let mut path = Vec::new();
    loop {
        let written = || text.get(..text.len() - rest.len()).unwrap_or_default();
        if let Some(after) = rest.strip_prefix('}') {
            let reference = Reference { place, text: written().into(), root: root.into(), path };
            return Ok((reference, after));
        }
        if path.len() == MAX_HOPS {
            return Err(format!("{} has more than {MAX_HOPS} parts", quote(&format!("${{{text}"))));
        }
        if let Some(after) = rest.strip_prefix('.') {
            let (key, after) = word(after);
            if key.is_empty() {
                return Err(format!("in {} a name must follow the `.`", quote(&format!("${{{}.", written()))));
            }
            path.push(Hop::Key(key.into()));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (hop, after) = bracket(after).ok_or_else(|| {
                format!("in {} a whole number or a quoted key must follow", quote(&format!("${{{}[", written())))
            })?;
            path.push(hop);
            rest = after;
        } else {
            return Err(match rest.chars().next() {
                Some(c) => format!("{} cannot follow `${{{}`", quote(&c.to_string()), written()),
                None => format!("{} has no `}}`", quote(&format!("${{{text}"))),
            });
        }
    }
}

/// What stands in brackets, up to and with the closing one.
fn bracket(text: &str) -> Option<(Hop, &str)> {
    if let Some(inside) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = inside.find(|c: char| {
            let is_end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        })?;
        let key = serde_json::from_str(text.get(..end + 2)?).ok()?;
        return Some((Hop::Key(key), inside.get(end + 1..)?.strip_prefix(']')?));
    }
    let (number, after) = text.split_once(']')?;
    let digits = number.strip_prefix('-').unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((Hop::Index(number.parse().ok()?), after))
}

/// The name at the start of a text: letters, digits, `_` and `-`.
fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}
