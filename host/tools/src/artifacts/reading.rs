//! Who has read what: the inputs that stand in an artifact's provenance, and the figures of GV-51. Bounded, for forks read as
//! often as their budget allows.

use sandfork_model::ArtifactRef;
use std::collections::HashMap;

/// Inputs listed in one version's provenance.
const INPUTS: usize = 64;
/// Inputs remembered in a run, over all its forks.
const RUN_INPUTS: usize = 65_536;

/// What the forks of one run have read.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    by_task: HashMap<String, Inputs>,
    remembered: usize,
    pub(crate) whole_reads: u64,
    pub(crate) partial_reads: u64,
    pub(crate) read_bytes: u64,
    pub(crate) reachable_bytes: u64,
}

/// What one fork has read, in order of first reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) references: Vec<ArtifactRef>,
    /// It has read more than are listed.
    pub(crate) is_more: bool,
}

impl Readings {
    /// Notes one answered read of `read_bytes` out of `bytes`.
    pub(crate) fn note(&mut self, task_id: &str, reference: &ArtifactRef, read_bytes: u64, bytes: u64) {
        let is_whole = read_bytes == bytes;
        self.whole_reads += u64::from(is_whole);
        self.partial_reads += u64::from(!is_whole);
        self.read_bytes = self.read_bytes.saturating_add(read_bytes);
        self.reachable_bytes = self.reachable_bytes.saturating_add(bytes);
        let is_full = self.remembered >= RUN_INPUTS;
        if !is_full && !self.by_task.contains_key(task_id) {
            self.by_task.insert(task_id.to_owned(), Inputs::default());
        }
        let Some(inputs) = self.by_task.get_mut(task_id) else { return };
        if inputs.references.contains(reference) {
            return;
        }
        if is_full || inputs.references.len() >= INPUTS {
            inputs.is_more = true;
            return;
        }
        inputs.references.push(reference.clone());
        self.remembered += 1;
    }

    /// What a fork has read so far. Of a fork that began to read when the run's memory for this was full, nothing is known.
    pub(crate) fn inputs(&self, task_id: &str) -> Inputs {
        let unknown = || Inputs { references: Vec::new(), is_more: self.remembered >= RUN_INPUTS };
        self.by_task.get(task_id).cloned().unwrap_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(name: &str, version: u64) -> ArtifactRef {
        ArtifactRef { name: name.into(), version }
    }

    // GV-51
    #[test]
    fn whole_and_partial_reads_are_counted_with_their_bytes() {
        let mut readings = Readings::default();
        readings.note("root", &reference("a", 1), 10, 10);
        readings.note("root", &reference("a", 1), 3, 10);
        readings.note("root/1", &reference("b", 2), 0, 10);
        assert_eq!((readings.whole_reads, readings.partial_reads), (1, 2));
        assert_eq!((readings.read_bytes, readings.reachable_bytes), (13, 30));
        assert_eq!(readings.inputs("root").references, [reference("a", 1)], "each input once");
        assert!(readings.inputs("root/2").references.is_empty());
    }

    #[test]
    fn what_is_remembered_is_bounded_and_says_so() {
        let mut readings = Readings::default();
        for task in 0..2000 {
            for version in 1..=70 {
                readings.note(&format!("root/{task}"), &reference("a", version), 1, 1);
            }
        }
        assert_eq!(readings.remembered, RUN_INPUTS);
        let first = readings.inputs("root/0");
        assert_eq!((first.references.len(), first.is_more), (INPUTS, true));
        let late = readings.inputs("root/1999");
        assert_eq!((late.references.len(), late.is_more), (0, true));
        assert_eq!(readings.whole_reads, 140_000);
    }
}
