//! Reads the keys of one map against the list of known ones. Knows how to say what is wrong with a key, no key itself.

use super::keys;
use sandfork_source::{Key, Node, NodeValue, Place, Problems, nearest, quote};

/// A map whose keys are all known.
pub(super) struct Entries<'a> {
    pub(super) place: Place,
    path: String,
    entries: &'a [(Key, Node)],
}

impl<'a> Entries<'a> {
    /// Reads `node` as a map with `known` keys and reports every other key. `path` names the map in messages; it is empty
    /// for the document.
    pub(super) fn of(node: &'a Node, path: &str, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let NodeValue::Map(entries) = &node.value else {
            let name = if path.is_empty() { "the script".to_owned() } else { quote(path) };
            let problem = problems.at(node.place, format!("{name} is {}", node.kind()));
            let problem = problem.expected(format!("a map with the keys {}", known.join(", ")));
            problems.push(problem.hint(example(known)));
            return None;
        };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            let whose = if path.is_empty() { String::new() } else { format!(" in {}", quote(path)) };
            let problem = problems.at(key.place, format!("unknown key {}{whose}", quote(&key.text)));
            let problem = problem.expected(format!("one of {}", known.join(", ")));
            problems.push(problem.hint(hint(&key.text, known)));
        }
        Some(Self { place: node.place, path: path.into(), entries })
    }

    /// The path of one of its keys, for messages.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|(have, _)| have.text == key).map(|(_, node)| node)
    }

    /// The key itself with its value.
    pub(super) fn entry(&self, key: &str) -> Option<(&'a Key, &'a Node)> {
        self.entries.iter().find(|(have, _)| have.text == key).map(|(key, node)| (key, node))
    }

    /// The value of a key; a problem that says what was `expected` if it is absent.
    pub(super) fn need(&self, key: &str, expected: &str, problems: &mut Problems) -> Option<&'a Node> {
        let found = self.get(key);
        if found.is_none() {
            let whose = if self.path.is_empty() { String::new() } else { format!(" in {}", quote(&self.path)) };
            let problem = problems.at(self.place, format!("the key `{key}` is missing{whose}"));
            let problem = problem.expected(format!("`{key}:` {expected}"));
            problems.push(problem.hint(format!("add the key `{key}` to this map")));
        }
        found
    }

    /// The items of a list under a key; a problem if it is no list.
    pub(super) fn list(&self, key: &str, of: &str, problems: &mut Problems) -> Option<&'a [Node]> {
        let node = self.get(key)?;
        if let NodeValue::List(items) = &node.value {
            return Some(items);
        }
        let problem = problems.at(node.place, format!("{} is {}", quote(&self.path_of(key)), node.kind()));
        problems.push(
            problem.expected(format!("a list of {of}")).hint("a list is written `[a, b]`, also if it has one entry"),
        );
        None
    }
}

/// What an unknown key may have been meant to be.
fn hint(key: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(key, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if known == keys::TURN && keys::ACTS.contains(&key) {
        return format!("a turn's steps stand under `do`: write `do: [{{ {key}: … }}]`");
    }
    let hint = match key {
        "else" | "then" | "elif" | "elseif" => "`then` and `else` belong to a step that starts with `if`",
        "until" => "`until` belongs to a step that starts with `repeat`",
        "args" | "arguments" | "input" | "params" => "a tool's arguments stand under `with`",
        "name" if known == keys::SCRIPT => "the agent's name stands under `agent`",
        "steps" if known == keys::SCRIPT => "a script is a list of `turns`, each with its steps under `do`",
        "save" | "bind" | "store" | "result" => "an answer is given a name with `as`",
        "delay" | "wait" => "simulated inference time stands under `think`",
        _ => "remove it; a script holds no keys of its own",
    };
    hint.into()
}

/// What a map with these keys looks like.
fn example(known: &[&str]) -> &'static str {
    match known {
        known if known == keys::SCRIPT => "the smallest script is `agent: name` and `turns: []`",
        known if known == keys::TURN => "a turn looks like `{ think: 80ms, say: \"…\", do: [steps] }`",
        known if known == keys::FAILURE => "it looks like `fail: { code: not_found, message: \"…\" }`",
        known if known == keys::REQUEST => "a request looks like `{ agent: alpha, goal: \"…\" }`",
        known if known == keys::ERROR => "it looks like `error: { of: answer, is: not_found }`",
        _ => "a map is written `{ key: value }`",
    }
}
