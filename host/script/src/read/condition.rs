//! Reads conditions: a map with one key, or a reference that is true or false.

use super::entries::Entries;
use super::{keys, template, value};
use crate::ast::{Built, Condition, Mode, Order, Piece};
use sandfork_source::{Node, NodeValue, Problems, nearest, quote};

/// Conditions in one `all` or `any`: the code of a condition is one expression.
const MAX_PARTS: usize = 64;

/// Reads a condition.
pub(super) fn condition(node: &Node, path: &str, problems: &mut Problems) -> Option<Condition> {
    let expected = format!("a map with one of {}, or a reference to true or false", keys::CONDITION.join(", "));
    let (key, inner) = match &node.value {
        NodeValue::Text(text) => {
            if let Some(reference) = template::lone(text, node.place) {
                return Some(Condition::Flag(reference));
            }
            let problem = problems.at(node.place, format!("{} is the text {}", quote(path), quote(text)));
            problems
                .push(problem.expected(expected).hint("as in `if: { ok: source }` or `if: \"${task.context.flag}\"`"));
            return None;
        }
        NodeValue::Map(entries) => match entries.as_slice() {
            [(key, inner)] => (key, inner),
            _ => {
                let problem = problems.at(node.place, format!("{} has {} keys", quote(path), entries.len()));
                problems.push(problem.expected(expected).hint("join several conditions with `all: […]` or `any: […]`"));
                return None;
            }
        },
        _ => {
            let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind()));
            problems.push(problem.expected(expected).hint("as in `if: { ok: source }`"));
            return None;
        }
    };
    let path = format!("{path}.{}", key.text);
    match key.text.as_str() {
        "ok" => template::path(inner, &path, problems).map(Condition::Ok),
        "present" => template::path(inner, &path, problems).map(Condition::Present),
        "error" => failed(inner, &path, problems),
        "equal" => pair(inner, &path, problems).map(|(a, b)| Condition::Equal(a, b)),
        "contains" => pair(inner, &path, problems).map(|(a, b)| Condition::Contains(a, b)),
        "less" => numbers(Order::Less, inner, &path, problems),
        "less_equal" => numbers(Order::LessEqual, inner, &path, problems),
        "greater" => numbers(Order::Greater, inner, &path, problems),
        "greater_equal" => numbers(Order::GreaterEqual, inner, &path, problems),
        "not" => condition(inner, &path, problems).map(|inner| Condition::Not(Box::new(inner))),
        "all" => parts(inner, &path, problems).map(Condition::All),
        "any" => parts(inner, &path, problems).map(Condition::Any),
        other => {
            let problem = problems.at(key.place, format!("{} is no condition", quote(other))).expected(expected);
            problems.push(match nearest(other, keys::CONDITION.iter().copied()) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem.hint("as in `if: { ok: source }` or `if: { equal: [\"${x.n}\", 3] }`"),
            });
            None
        }
    }
}

fn failed(node: &Node, path: &str, problems: &mut Problems) -> Option<Condition> {
    let entries = Entries::of(node, path, keys::ERROR, problems)?;
    let of = entries.need("of", "and the name of an answer, or a path such as `children[0]`", problems);
    let is = entries.need("is", "and an error code, as in `is: timeout`", problems);
    let mut code = Built::text("\"");
    code.append(template::text(is?, &entries.path_of("is"), Mode::Quoted, problems));
    code.push("\"");
    Some(Condition::Failed { of: template::path(of?, &entries.path_of("of"), problems)?, code })
}

fn items<'a>(node: &'a Node, path: &str, expected: &str, problems: &mut Problems) -> Option<&'a [Node]> {
    match &node.value {
        NodeValue::List(items) => Some(items),
        _ => {
            let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind()));
            problems.push(problem.expected(expected).hint("a list is written `[a, b]`"));
            None
        }
    }
}

fn sides<'a>(node: &'a Node, path: &str, problems: &mut Problems) -> Option<[&'a Node; 2]> {
    const EXPECTED: &str = "a list of two values, as in `[\"${x.n}\", 3]`";
    match items(node, path, EXPECTED, problems)? {
        [a, b] => Some([a, b]),
        items => {
            let problem = problems.at(node.place, format!("{} has {} values", quote(path), items.len()));
            problems.push(problem.expected(EXPECTED).hint("join several comparisons with `all: […]`"));
            None
        }
    }
}

fn pair(node: &Node, path: &str, problems: &mut Problems) -> Option<(Built, Built)> {
    let [a, b] = sides(node, path, problems)?;
    Some((value::value(a, problems), value::value(b, problems)))
}

/// Two sides that are numbers or references to numbers.
fn numbers(order: Order, node: &Node, path: &str, problems: &mut Problems) -> Option<Condition> {
    let sides = sides(node, path, problems)?;
    let [a, b] = sides.map(|side| {
        let built = value::value(side, problems);
        let is_reference = matches!(built.pieces.as_slice(), [Piece::Reference(_, Mode::Whole)]);
        if !is_reference && !matches!(side.value, NodeValue::Number(_)) {
            let found = side.as_text().map_or_else(|| side.kind().to_owned(), quote);
            let problem = problems.at(side.place, format!("{} compares {found}", quote(path)));
            problems
                .push(problem.expected("numbers, or references to numbers").hint("other values compare with `equal`"));
        }
        built
    });
    Some(Condition::Compare(order, a, b))
}

fn parts(node: &Node, path: &str, problems: &mut Problems) -> Option<Vec<Condition>> {
    let expected = format!("a list of 1 to {MAX_PARTS} conditions");
    let items = items(node, path, &expected, problems)?;
    if items.is_empty() || items.len() > MAX_PARTS {
        let problem = problems.at(node.place, format!("{} has {} conditions", quote(path), items.len()));
        problems.push(problem.expected(expected).hint("remove it, or nest several `all` and `any`"));
        return None;
    }
    let read: Vec<_> =
        items.iter().enumerate().filter_map(|(at, item)| condition(item, &format!("{path}[{at}]"), problems)).collect();
    (read.len() == items.len()).then_some(read)
}
