//! What an attempt that ended badly leaves behind: the artifacts it has stored and the last event of its thread (GV-46). Kept
//! by the run until the task's next attempt takes it.

use crate::fork::Fork;
use crate::run::Run;
use sandfork_model::{Checkpoint, Outcome, RetryChange};

/// Artifacts of one attempt that are remembered; the store itself keeps all.
const MOST_REFS: usize = 1024;

/// What is remembered of an attempt.
#[derive(Debug, Default)]
pub(crate) struct Left {
    artifact_refs: Vec<String>,
    last_seq_no: u64,
}

/// A fork has stored an artifact: it counts for the run's own task that it works for.
pub(crate) fn wrote(fork: &Fork, reference: &str) {
    let mut top = fork;
    while let Some(parent) = &top.parent {
        top = parent;
    }
    fork.run.stored.lock().note(reference, top.task.path.top_ordinal());
    let mut state = top.state.lock();
    if state.artifact_refs.len() < MOST_REFS {
        state.artifact_refs.push(reference.to_owned());
    }
}

/// A fork of the run's own ends badly: what it leaves is kept, for its task may be done again.
pub(crate) fn keep(fork: &Fork) {
    if fork.parent.is_some() {
        return;
    }
    let left = {
        let mut state = fork.state.lock();
        Left { artifact_refs: std::mem::take(&mut state.artifact_refs), last_seq_no: state.seq_no }
    };
    fork.run.left.lock().insert(fork.task.path.top_ordinal(), left);
}

/// What the next attempt is told of this one.
pub(crate) fn take(run: &Run, ended: &Outcome, change: &RetryChange) -> Checkpoint {
    let left = run.left.lock().remove(&ended.task.path.top_ordinal()).unwrap_or_default();
    Checkpoint {
        task_id: ended.task.task_id.to_string(),
        status: ended.status,
        code: ended.error.as_ref().map(|error| error.code.clone()).unwrap_or_default(),
        artifact_refs: left.artifact_refs,
        last_seq_no: left.last_seq_no,
        change: change.name(),
    }
}
