//! Which version of an artifact each task was handed, and who must be told of a newer one (GV-48). Knows names and numbers,
//! never bytes.

use std::collections::{HashMap, HashSet};

/// The artifacts that tasks of a list hand to each other.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    /// The newest accepted version of each name.
    newest: HashMap<String, u64>,
    /// Who was handed which version.
    readers: HashMap<String, HashMap<usize, u64>>,
    /// Who has made a version of a name: the next one is no news for them.
    makers: HashMap<String, HashSet<usize>>,
}

impl Versions {
    /// The reference with the newest accepted version of its name.
    pub(crate) fn renewed(&self, reference: &str) -> String {
        match parts(reference) {
            Some((name, version)) => match self.newest.get(name) {
                Some(newest) if *newest > version => format!("artifact://{name}/v{newest}"),
                _ => reference.to_owned(),
            },
            None => reference.to_owned(),
        }
    }

    /// A task is handed this reference.
    pub(crate) fn hand(&mut self, task: usize, reference: &str) {
        if let Some((name, version)) = parts(reference) {
            self.readers.entry(name.to_owned()).or_default().insert(task, version);
        }
    }

    /// A task's references were accepted. Those that were handed an older version and have not made one themselves, in plan
    /// order.
    pub(crate) fn accept<'a>(&mut self, task: usize, references: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let mut outdated = Vec::new();
        for (name, version) in references.filter_map(parts) {
            let makers = self.makers.entry(name.to_owned()).or_default();
            makers.insert(task);
            let newest = self.newest.entry(name.to_owned()).or_insert(version);
            *newest = (*newest).max(version);
            let readers = self.readers.get(name).into_iter().flatten();
            let older = readers.filter(|(reader, handed)| **handed < version && !makers.contains(reader));
            outdated.extend(older.map(|(reader, _)| *reader));
        }
        outdated.sort_unstable();
        outdated.dedup();
        outdated
    }
}

/// Name and version of `artifact://NAME/vN`.
fn parts(reference: &str) -> Option<(&str, u64)> {
    let (name, version) = reference.strip_prefix("artifact://")?.rsplit_once("/v")?;
    Some((name, version.parse().ok()?))
}
