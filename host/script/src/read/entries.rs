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
            problems.push(problem.expected(format!("a map with the keys {}", known.join(", "))));
            return None;
        };
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            let whose = if path.is_empty() { String::new() } else { format!(" in {}", quote(path)) };
            let problem = problems.at(key.place, format!("unknown key {}{whose}", quote(&key.text)));
            let problem = problem.expected(format!("one of {}", known.join(", ")));
            problems.push(match hint(&key.text, known) {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
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
            problems.push(problem.expected(format!("`{key}:` {expected}")));
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
        problems.push(problem.expected(format!("a list of {of}")));
        None
    }
}

/// What an unknown key may have been meant to be.
fn hint(key: &str, known: &[&str]) -> Option<String> {
    if let Some(near) = nearest(key, known.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    if known == keys::TURN && keys::ACTS.contains(&key) {
        return Some(format!("a turn's steps stand under `do`: write `do: [{{ {key}: … }}]`"));
    }
    match key {
        "else" | "then" | "elif" | "elseif" => Some("`then` and `else` belong to a step that starts with `if`".into()),
        "until" => Some("`until` belongs to a step that starts with `repeat`".into()),
        "args" | "arguments" | "input" | "params" => Some("a tool's arguments stand under `with`".into()),
        "name" if known == keys::SCRIPT => Some("the agent's name stands under `agent`".into()),
        "steps" if known == keys::SCRIPT => Some("a script is a list of `turns`, each with its steps under `do`".into()),
        "save" | "bind" | "store" | "result" => Some("an answer is given a name with `as`".into()),
        "delay" | "wait" => Some("simulated inference time stands under `think`".into()),
        _ => None,
    }
}
