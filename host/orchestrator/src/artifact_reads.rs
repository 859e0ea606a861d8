//! How artifacts are read: whole, or the part that is needed (GV-51). Knows the names of a range and nothing of what is read.

use crate::fork::Fork;
use serde_json::Value;

/// The arguments of `artifact_get` that ask for a part.
const RANGE: [&str; 4] = ["offset", "length", "line", "lines"];

/// One read of an artifact, before its answer.
pub(crate) struct ArtifactRead {
    is_part: bool,
}

impl ArtifactRead {
    /// `None` for the call of any other tool.
    pub(crate) fn of(tool: &str, arguments: &Value) -> Option<Self> {
        (tool == "artifact_get").then(|| Self { is_part: RANGE.iter().any(|key| arguments.get(key).is_some()) })
    }

    /// Counts it once it was answered; a read that failed read nothing.
    pub(crate) fn count(&self, fork: &Fork, is_ok: bool) {
        if is_ok {
            let counts = &mut fork.state.lock().counts;
            counts.artifact_reads += 1;
            counts.artifact_parts += u64::from(self.is_part);
        }
    }
}
