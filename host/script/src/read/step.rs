//! Reads what stands under `do`: which of the eight things a step does, and its keys.

use super::entries::Entries;
use super::{condition, keys, spawn, template, turn, value};
use crate::ast::{Act, Body, Built, Mode, Name, Step};
use sandfork_source::{Node, NodeValue, Problems, nearest, quote};

/// Rounds of one `repeat`: a bound that a person can mean; fuel and time limits end a loop long before.
const MAX_ROUNDS: u32 = 10_000;

/// Reads a list of steps; those that are none are left out, with a problem each.
pub(super) fn steps(nodes: &[Node], path: &str, problems: &mut Problems) -> Vec<Step> {
    nodes
        .iter()
        .enumerate()
        .map_while(|(at, node)| (!problems.is_full()).then(|| step(node, &format!("{path}[{at}]"), problems)))
        .flatten()
        .collect()
}

fn step(node: &Node, path: &str, problems: &mut Problems) -> Option<Step> {
    let act = match kind(node, path, problems)? {
        "tool" => tool(node, path, problems),
        "spawn" => spawn::spawn(node, path, problems),
        "note" => {
            let entries = Entries::of(node, path, keys::NOTE, problems)?;
            let text = entries.need("note", "and a text", problems)?;
            Some(Act::Note(template::text(text, &entries.path_of("note"), Mode::Plain, problems)))
        }
        "if" => choice(node, path, problems),
        "for_each" => for_each(node, path, problems),
        "repeat" => repeat(node, path, problems),
        "fail" => {
            let entries = Entries::of(node, path, keys::FAIL, problems)?;
            failure(entries.need("fail", "and a code and a message", problems)?, &entries.path_of("fail"), problems)
        }
        _ => {
            let entries = Entries::of(node, path, keys::RETURN, problems)?;
            Some(Act::Return(value::value(entries.need("return", "and a value", problems)?, problems)))
        }
    };
    act.map(|act| Step { place: node.place, act })
}

/// The one key that says what a step does.
fn kind(node: &Node, path: &str, problems: &mut Problems) -> Option<&'static str> {
    let expected = format!("a map with one of {}", keys::ACTS.join(", "));
    let NodeValue::Map(entries) = &node.value else {
        let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind()));
        problems.push(problem.expected(expected).hint("a step looks like `{ tool: read_file, with: { path: a.py } }`"));
        return None;
    };
    let acts: Vec<_> = keys::ACTS.iter().copied().filter(|act| node.get(act).is_some()).collect();
    match acts.as_slice() {
        [act] => return Some(act),
        [] => {
            let slip = entries
                .iter()
                .find_map(|(key, _)| nearest(&key.text, keys::ACTS.iter().copied()).map(|near| (key, near)));
            let (place, message, hint) = match slip {
                Some((key, near)) => (
                    key.place,
                    format!("unknown key {} in {}", quote(&key.text), quote(path)),
                    format!("did you mean `{near}`?"),
                ),
                None if ["say", "think", "do"].iter().any(|key| node.get(key).is_some()) => (
                    node.place,
                    format!("{} is a turn where a step is expected", quote(path)),
                    "turns stand under `turns`".into(),
                ),
                None => (node.place, format!("{} does nothing", quote(path)), "say what it does, or remove it".into()),
            };
            let problem = problems.at(place, message).expected(expected);
            problems.push(problem.hint(hint));
        }
        [first, second, ..] => {
            let problem = problems.at(node.place, format!("{} does two things: `{first}` and `{second}`", quote(path)));
            problems.push(problem.expected(expected).hint("make a step of each"));
        }
    }
    None
}

fn tool(node: &Node, path: &str, problems: &mut Problems) -> Option<Act> {
    let entries = Entries::of(node, path, keys::TOOL, problems)?;
    let name = literal(entries.get("tool")?, &entries.path_of("tool"), "the name of a tool", problems);
    let with = match entries.get("with") {
        None => Built::text("{}"),
        Some(with) => match &with.value {
            NodeValue::Map(_) => value::value(with, problems),
            NodeValue::Text(text) if template::lone(text, with.place).is_some() => value::value(with, problems),
            _ => {
                let problem =
                    problems.at(with.place, format!("{} is {}", quote(&entries.path_of("with")), with.kind()));
                let problem = problem.expected("a map of arguments, or one reference to such a map");
                problems.push(problem.hint("as in `with: { path: a.py }` or `with: \"${task.context.arguments}\"`"));
                Built::default()
            }
        },
    };
    let bind = binding(&entries, "as", problems);
    Some(Act::Tool { name: name?, with, bind })
}

fn choice(node: &Node, path: &str, problems: &mut Problems) -> Option<Act> {
    let entries = Entries::of(node, path, keys::IF, problems)?;
    let condition = condition::condition(entries.get("if")?, &entries.path_of("if"), problems);
    let then = match entries.need("then", "and a list of steps", problems) {
        Some(_) => branch(&entries, "then", problems),
        None => Vec::new(),
    };
    let otherwise = branch(&entries, "else", problems);
    Some(Act::If { condition: condition?, then, otherwise })
}

fn branch(entries: &Entries<'_>, key: &str, problems: &mut Problems) -> Vec<Step> {
    match entries.list(key, "steps", problems) {
        Some(nodes) => steps(nodes, &entries.path_of(key), problems),
        None => Vec::new(),
    }
}

fn for_each(node: &Node, path: &str, problems: &mut Problems) -> Option<Act> {
    let entries = Entries::of(node, path, keys::FOR_EACH, problems)?;
    let list = entries.get("for_each")?;
    let is_list = match &list.value {
        NodeValue::List(_) => true,
        NodeValue::Text(text) => template::lone(text, list.place).is_some(),
        _ => false,
    };
    let value = value::value(list, problems);
    if !is_list {
        let problem = problems.at(list.place, format!("{} is {}", quote(&entries.path_of("for_each")), list.kind()));
        let problem = problem.expected("a list, or one reference to a list, as in `${task.context.items}`");
        problems.push(problem.hint("a reference stands in quotes, with `${` and `}`"));
    }
    let item = match entries.get("as") {
        Some(_) => binding(&entries, "as", problems),
        None => Some(Name { place: list.place, text: "item".into() }),
    };
    let index = binding(&entries, "index", problems);
    if let (Some(item), Some(index)) = (&item, &index)
        && item.text == index.text
    {
        let problem = problems.at(index.place, format!("item and index are both called {}", quote(&item.text)));
        problems.push(problem.expected("two names").hint("give the index another name"));
    }
    let body = body(&entries, problems);
    Some(Act::ForEach { list: value, item: item?, index, body: body? })
}

fn repeat(node: &Node, path: &str, problems: &mut Problems) -> Option<Act> {
    let entries = Entries::of(node, path, keys::REPEAT, problems)?;
    let times = entries.get("repeat")?;
    let bound = match &times.value {
        NodeValue::Number(text) => text.parse().ok().filter(|bound| (1..=MAX_ROUNDS).contains(bound)),
        _ => None,
    };
    if bound.is_none() {
        let found = match &times.value {
            NodeValue::Number(text) => quote(text),
            NodeValue::Text(text) => format!("the text {}", quote(text)),
            _ => times.kind().into(),
        };
        let problem = problems.at(times.place, format!("{} is {found}", quote(&entries.path_of("repeat"))));
        problems.push(
            problem
                .expected(format!("a whole number from 1 to {MAX_ROUNDS}"))
                .hint("the number bounds the loop; `until` ends it earlier"),
        );
    }
    let until = entries.get("until").map(|node| condition::condition(node, &entries.path_of("until"), problems));
    let body = body(&entries, problems);
    let until = match until {
        None => None,
        Some(condition) => Some(condition?),
    };
    Some(Act::Repeat { bound: bound?, until, body: body? })
}

/// What a loop repeats: `do` or `turns`, one of them, not empty.
fn body(entries: &Entries<'_>, problems: &mut Problems) -> Option<Body> {
    let expected = "`do` with steps, or `turns`";
    let body = match (entries.entry("do"), entries.entry("turns")) {
        (Some(_), Some((key, _))) => {
            let problem = problems.at(key.place, "a loop has both `do` and `turns`");
            problems.push(problem.expected(expected).hint("move the steps into a turn's `do`"));
            return None;
        }
        (None, None) => {
            let problem = problems.at(entries.place, "a loop has nothing to repeat");
            problems.push(problem.expected(expected).hint("add `do: [steps]`"));
            return None;
        }
        (Some(_), None) => Body::Steps(branch(entries, "do", problems)),
        (None, Some(_)) => {
            let nodes = entries.list("turns", "turns", problems)?;
            Body::Turns(turn::turns(nodes, &entries.path_of("turns"), problems))
        }
    };
    let (key, node) = entries.entry("do").or_else(|| entries.entry("turns"))?;
    if matches!(&node.value, NodeValue::List(items) if items.is_empty()) {
        let problem = problems.at(key.place, format!("a loop's `{}` is empty", key.text));
        problems.push(problem.expected("at least one entry").hint("remove the loop"));
    }
    Some(body)
}

/// Reads what `fail` holds.
pub(super) fn failure(node: &Node, path: &str, problems: &mut Problems) -> Option<Act> {
    let entries = Entries::of(node, path, keys::FAILURE, problems)?;
    let code = entries.need("code", "and a word for programs, as in `code: blocked`", problems);
    let message = entries.need("message", "and a sentence for people", problems);
    let code = template::text(code?, &entries.path_of("code"), Mode::Plain, problems);
    if code.as_text().is_some_and(|code| code.trim().is_empty()) {
        let problem = problems.at(entries.place, format!("{} is empty", quote(&entries.path_of("code"))));
        let problem = problem.expected("a word for programs, as in `code: blocked`");
        problems.push(problem.hint("whoever gets the error tells it from others by its code"));
    }
    let message = template::text(message?, &entries.path_of("message"), Mode::Plain, problems);
    let details = entries.get("details").map_or_else(|| Built::text("{}"), |node| value::value(node, problems));
    Some(Act::Fail { code, message, details })
}

/// A name given with `as` or `index`.
pub(super) fn binding(entries: &Entries<'_>, key: &str, problems: &mut Problems) -> Option<Name> {
    let node = entries.get(key)?;
    let expected = "a name of at most 64 letters, digits, `_` and `-`, a letter or `_` first";
    let text = node.as_text().unwrap_or_default();
    if text == "task" {
        let problem = problems.at(node.place, "the name `task` is taken by the task itself");
        problems.push(problem.expected(expected).hint("choose another name"));
        return None;
    }
    let is_name = text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'));
    if is_name {
        return Some(Name { place: node.place, text: text.into() });
    }
    let found = node.as_text().map_or_else(|| node.kind().to_owned(), quote);
    let problem = problems.at(node.place, format!("{found} is no name for an answer"));
    problems.push(problem.expected(expected).hint("as in `as: source`"));
    None
}

/// A name that must be written out.
fn literal(node: &Node, path: &str, expected: &str, problems: &mut Problems) -> Option<Name> {
    let message = match node.as_text() {
        Some(text) if text.contains("${") => format!("{} holds a reference", quote(path)),
        Some(text) if text.trim().is_empty() => format!("{} is empty", quote(path)),
        Some(text) => return Some(Name { place: node.place, text: text.into() }),
        None => format!("{} is {}", quote(path), node.kind()),
    };
    let problem = problems.at(node.place, message).expected(expected);
    problems.push(problem.hint("names of tools are written out, so that a script's needs can be read off it"));
    None
}
