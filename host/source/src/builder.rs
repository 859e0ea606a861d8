//! Builds the tree for both formats: the one place where depth, node count and duplicate keys are judged.

use crate::limits::ParseLimits;
use crate::node::{Key, Node, NodeValue, Place};
use crate::problem::{Problem, quote};
use std::collections::HashMap;

/// Characters of a single number: more is no measurement but an attack on whoever calculates with it.
const MAX_NUMBER_CHARS: usize = 1024;

/// A list or map that is still open.
enum Open {
    List { place: Place, items: Vec<Node> },
    Map { place: Place, entries: Vec<(Key, Node)>, seen: HashMap<String, Place>, key: Option<Key> },
}

/// Takes a flat sequence of pieces, keeps the limits, returns the tree.
pub(crate) struct Builder<'a> {
    file: &'a str,
    limits: &'a ParseLimits,
    nodes: usize,
    open: Vec<Open>,
    root: Option<Node>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(file: &'a str, limits: &'a ParseLimits) -> Self {
        Self { file, limits, nodes: 0, open: Vec::new(), root: None }
    }

    pub(crate) fn problem(&self, place: Place, message: impl Into<String>) -> Problem {
        Problem::new(self.file, place, message)
    }

    /// Whether the next piece of the open map is a key.
    pub(crate) fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Map { key: None, .. }))
    }

    /// The tree, once the outermost value is complete.
    pub(crate) fn into_root(self) -> Option<Node> {
        self.root
    }

    pub(crate) fn open_list(&mut self, place: Place) -> Result<(), Problem> {
        self.descend(place)?;
        self.open.push(Open::List { place, items: Vec::new() });
        Ok(())
    }

    pub(crate) fn open_map(&mut self, place: Place) -> Result<(), Problem> {
        self.descend(place)?;
        self.open.push(Open::Map { place, entries: Vec::new(), seen: HashMap::new(), key: None });
        Ok(())
    }

    /// Closes the innermost list or map. A reader that closes more than it opened changes nothing.
    pub(crate) fn close(&mut self) {
        let node = match self.open.pop() {
            Some(Open::List { place, items }) => Node { place, value: NodeValue::List(items) },
            Some(Open::Map { place, entries, .. }) => Node { place, value: NodeValue::Map(entries) },
            None => return,
        };
        self.attach(node);
    }

    /// The next key of the open map.
    pub(crate) fn key(&mut self, place: Place, text: String) -> Result<(), Problem> {
        self.count(place)?;
        let file = self.file;
        let Some(Open::Map { seen, key, .. }) = self.open.last_mut() else { return Ok(()) };
        if let Some(first) = seen.get(&text) {
            return Err(Problem::new(file, place, format!("the key {} is written twice", quote(&text)))
                .hint(format!("it is first written in line {}; keep one of them", first.line)));
        }
        seen.insert(text.clone(), place);
        *key = Some(Key { place, text });
        Ok(())
    }

    pub(crate) fn scalar(&mut self, place: Place, value: NodeValue) -> Result<(), Problem> {
        self.count(place)?;
        if let NodeValue::Number(text) = &value
            && text.len() > MAX_NUMBER_CHARS
        {
            return Err(self
                .problem(place, format!("a number of {} characters is too long", text.len()))
                .expected(format!("at most {MAX_NUMBER_CHARS} characters")));
        }
        self.attach(Node { place, value });
        Ok(())
    }

    fn attach(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => {
                if let Some(key) = key.take() {
                    entries.push((key, node));
                }
            }
            None => self.root = Some(node),
        }
    }

    fn descend(&mut self, place: Place) -> Result<(), Problem> {
        self.count(place)?;
        if self.open.len() >= self.limits.max_depth {
            return Err(self
                .problem(place, "lists and maps are nested too deeply")
                .expected(format!("at most {} inside one another", self.limits.max_depth)));
        }
        Ok(())
    }

    fn count(&mut self, place: Place) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > self.limits.max_nodes {
            return Err(self
                .problem(place, "the text holds too many values")
                .expected(format!("at most {} keys and values", self.limits.max_nodes)));
        }
        Ok(())
    }
}
