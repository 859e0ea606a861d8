//! Which versions of artifacts there are, which of them each task was handed, and who must be told of a newer one (GV-48).
//! Knows names and numbers, never bytes.

use sandfork_model::ArtifactRef;
use std::collections::HashMap;

/// The versions that were stored in this run, each with the top ordinal of the fork it was stored for. What an output only
/// claims is not among them.
#[derive(Debug, Default)]
pub(crate) struct Stored(HashMap<String, HashMap<u64, u32>>);

impl Stored {
    /// A version was stored.
    pub(crate) fn note(&mut self, reference: &str, top_ordinal: u32) {
        if let Some(ArtifactRef { name, version }) = ArtifactRef::parse(reference) {
            self.0.entry(name).or_default().insert(version, top_ordinal);
        }
    }

    fn has(&self, name: &str, version: u64) -> bool {
        self.0.get(name).is_some_and(|versions| versions.contains_key(&version))
    }

    fn is_made_by(&self, name: &str, top_ordinals: &[u32]) -> bool {
        self.0.get(name).is_some_and(|versions| versions.values().any(|ordinal| top_ordinals.contains(ordinal)))
    }
}

/// The artifacts that tasks of a list hand to each other.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    /// The newest accepted version of each name.
    newest: HashMap<String, u64>,
    /// Who was handed which version.
    readers: HashMap<String, HashMap<usize, u64>>,
}

impl Versions {
    /// The reference with the newest accepted version of its name.
    pub(crate) fn renewed(&self, reference: &str) -> String {
        let newer = ArtifactRef::parse(reference).and_then(|ArtifactRef { name, version }| {
            let newest = self.newest.get(&name).copied().filter(|newest| *newest > version)?;
            Some(ArtifactRef { name, version: newest })
        });
        newer.map_or_else(|| reference.to_owned(), |newer| newer.to_string())
    }

    /// A task is handed this reference.
    pub(crate) fn hand(&mut self, task: usize, reference: &str) {
        if let Some(ArtifactRef { name, version }) = ArtifactRef::parse(reference) {
            self.readers.entry(name).or_default().insert(task, version);
        }
    }

    /// An accepted output names these versions. Those that were handed an older one and have not stored one of that name
    /// themselves, in plan order; `ordinals_of` are a task's own top forks.
    pub(crate) fn accept<'a>(
        &mut self,
        references: impl Iterator<Item = &'a str>,
        stored: &Stored,
        ordinals_of: impl Fn(usize) -> &'a [u32],
    ) -> Vec<usize> {
        let mut outdated = Vec::new();
        let there = references.filter_map(ArtifactRef::parse).filter(|one| stored.has(&one.name, one.version));
        for ArtifactRef { name, version } in there {
            let newest = self.newest.entry(name.clone()).or_insert(version);
            *newest = (*newest).max(version);
            let older = self.readers.get(&name).into_iter().flatten().filter(|(_, handed)| **handed < version);
            outdated.extend(
                older.map(|(reader, _)| *reader).filter(|reader| !stored.is_made_by(&name, ordinals_of(*reader))),
            );
        }
        outdated.sort_unstable();
        outdated.dedup();
        outdated
    }
}
