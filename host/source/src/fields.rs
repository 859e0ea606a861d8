//! Typed reading of a map: the keys a reader asks for are the keys there are; what is left over is a problem with the
//! nearest known key as hint. Knows no key by itself.

use crate::near::nearest;
use crate::node::{Key, Node, NodeValue, Place};
use crate::problem::{Problems, quote};

/// A map being read. Call [`Fields::finish`] at the end: only then are unknown keys found.
#[derive(Debug)]
pub struct Fields<'a> {
    /// Path of the map for messages, as in `agents.lead`; empty for the document.
    path: String,
    place: Place,
    entries: &'a [(Key, Node)],
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Starts reading `node`; a problem if it is no map. `path` names it in messages.
    pub fn of(node: &'a Node, path: impl Into<String>, problems: &mut Problems) -> Option<Self> {
        let path = path.into();
        match &node.value {
            NodeValue::Map(entries) => Some(Self { path, place: node.place, entries, asked: Vec::new() }),
            _ => {
                let name = if path.is_empty() { "the document".to_owned() } else { quote(&path) };
                let problem = problems.at(node.place, format!("{name} is {}", node.kind())).expected("a map");
                problems.push(problem);
                None
            }
        }
    }

    /// Where the map starts.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The path of one of its keys.
    #[must_use]
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The key and value of `key`, which is from now on a known one.
    pub fn entry(&mut self, key: &'static str) -> Option<(&'a Key, &'a Node)> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.entries.iter().find(|(have, _)| have.text == key).map(|(key, node)| (key, node))
    }

    /// The value of `key`, which is from now on a known one.
    pub fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// As [`Fields::take`]; a problem if the key is absent.
    pub fn need(&mut self, key: &'static str, problems: &mut Problems) -> Option<&'a Node> {
        let found = self.take(key);
        if found.is_none() {
            let whose = if self.path.is_empty() { String::new() } else { format!(" in {}", quote(&self.path)) };
            let problem = problems.at(self.place, format!("the key `{key}` is missing{whose}"));
            problems.push(problem);
        }
        found
    }

    /// The text of `key`, if it is there and is text.
    pub fn text(&mut self, key: &'static str, problems: &mut Problems) -> Option<&'a str> {
        let node = self.take(key)?;
        expect_text(node, &self.path_of(key), problems)
    }

    /// The text of `key`; a problem if it is absent or no text.
    pub fn need_text(&mut self, key: &'static str, problems: &mut Problems) -> Option<&'a str> {
        let node = self.need(key, problems)?;
        expect_text(node, &self.path_of(key), problems)
    }

    /// The flag of `key`, if it is there and is one.
    pub fn flag(&mut self, key: &'static str, problems: &mut Problems) -> Option<bool> {
        let node = self.take(key)?;
        expect_flag(node, &self.path_of(key), problems)
    }

    /// The list of `key`, if it is there and is one.
    pub fn list(&mut self, key: &'static str, problems: &mut Problems) -> Option<&'a [Node]> {
        let node = self.take(key)?;
        expect_list(node, &self.path_of(key), problems)
    }

    /// The texts of `key` with their places, if it is there and is a list of texts.
    pub fn texts(&mut self, key: &'static str, problems: &mut Problems) -> Option<Vec<(&'a str, Place)>> {
        let node = self.take(key)?;
        expect_texts(node, &self.path_of(key), problems)
    }

    /// Reports every key that was not asked for.
    pub fn finish(self, problems: &mut Problems) {
        for (key, _) in self.entries {
            if self.asked.contains(&key.text.as_str()) {
                continue;
            }
            let whose = if self.path.is_empty() { String::new() } else { format!(" in {}", quote(&self.path)) };
            let mut problem = problems
                .at(key.place, format!("unknown key {}{whose}", quote(&key.text)))
                .expected(format!("one of {}", self.asked.join(", ")));
            if let Some(near) = nearest(&key.text, self.asked.iter().copied()) {
                problem = problem.hint(format!("did you mean `{near}`?"));
            }
            problems.push(problem);
            if problems.is_full() {
                return;
            }
        }
    }
}

/// The text of a node; a problem naming `path` otherwise.
pub fn expect_text<'a>(node: &'a Node, path: &str, problems: &mut Problems) -> Option<&'a str> {
    let found = node.as_text();
    if found.is_none() {
        let mut problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind())).expected("text");
        if matches!(node.value, NodeValue::Number(_) | NodeValue::Bool(_)) {
            problem = problem.hint("put it in quotes if it is meant as text");
        }
        problems.push(problem);
    }
    found
}

/// The flag of a node; a problem naming `path` otherwise.
fn expect_flag(node: &Node, path: &str, problems: &mut Problems) -> Option<bool> {
    if let NodeValue::Bool(flag) = node.value {
        return Some(flag);
    }
    let mut problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind())).expected("true or false");
    if node.as_text().is_some() {
        problem = problem.hint("write true or false without quotes; yes, no, on and off are text");
    }
    problems.push(problem);
    None
}

/// The items of a list; a problem naming `path` otherwise.
pub fn expect_list<'a>(node: &'a Node, path: &str, problems: &mut Problems) -> Option<&'a [Node]> {
    if let NodeValue::List(items) = &node.value {
        return Some(items);
    }
    let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind())).expected("a list");
    problems.push(problem);
    None
}

/// The texts of a list of texts, with their places; problems naming `path` otherwise.
pub fn expect_texts<'a>(node: &'a Node, path: &str, problems: &mut Problems) -> Option<Vec<(&'a str, Place)>> {
    let items = expect_list(node, path, problems)?;
    let texts: Vec<_> = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| {
            expect_text(item, &format!("{path}[{index}]"), problems).map(|text| (text, item.place))
        })
        .collect();
    (texts.len() == items.len()).then_some(texts)
}
