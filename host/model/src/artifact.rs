//! Artifacts as all rooms speak of them: a reference, where one came from, and the port of the store that keeps them.
//! Knows no file.

use crate::event::EventId;
use crate::id::{TaskRef, is_valid_id};
use crate::outcome::AgentError;
use crate::port::BoxFuture;
use std::fmt;
use std::sync::Arc;

/// One fixed version of one artifact, written `artifact://NAME/vN`. It always leads to the same bytes (GV-14).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArtifactRef {
    /// Its name, as [`is_valid_id`] allows it.
    pub name: String,
    /// Its version, from 1.
    pub version: u64,
}

impl ArtifactRef {
    /// Reads a reference; anything that is not written exactly as one is shown is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, version) = text.strip_prefix("artifact://")?.split_once("/v")?;
        // `v01` and `v+1` would be second names of one version.
        let is_plain = version.starts_with(|c: char| ('1'..='9').contains(&c));
        let version = version.parse().ok().filter(|_| is_plain)?;
        is_valid_id(name).then(|| Self { name: name.to_owned(), version })
    }
}

impl fmt::Display for ArtifactRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "artifact://{}/v{}", self.name, self.version)
    }
}

/// On whose initiative an artifact was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeBy {
    /// A fork called `artifact_put`.
    ToolPut,
    /// A tool's result, or a child's output, was too large to travel in a message.
    LargeResult,
    /// A task's output was accepted.
    AcceptedOutput,
}

impl MadeBy {
    /// Every way, in the order of their names' first use.
    pub const ALL: [Self; 3] = [Self::ToolPut, Self::LargeResult, Self::AcceptedOutput];

    /// The word in the index of a kept run.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolPut => "tool_put",
            Self::LargeResult => "large_result",
            Self::AcceptedOutput => "accepted_output",
        }
    }
}

/// A text to be kept as the next version of a name, with where it comes from.
#[derive(Clone, Debug)]
pub struct NewArtifact {
    /// Its name, as [`is_valid_id`] allows it.
    pub name: String,
    /// Its content.
    pub text: String,
    /// What kind of text it is, such as `application/json`; `None` if nobody said.
    pub media_type: Option<String>,
    /// Whose work it is.
    pub task: Arc<TaskRef>,
    /// The event that led to it; `None` if none did.
    pub by_event: Option<EventId>,
    /// On whose initiative.
    pub made_by: MadeBy,
}

/// A version that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// What leads to it.
    pub reference: ArtifactRef,
    /// Digest of its bytes, lower-case hex.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Lines of text; a last one without a line break counts.
    pub lines: u64,
    /// Whether it was made just now. A large result whose bytes are a version of its name already is that version.
    pub is_new: bool,
}

/// What a run's artifacts came to, and how they were read (GV-51).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArtifactFigures {
    /// Versions kept.
    pub versions: u64,
    /// Bytes kept, each content counted once.
    pub kept_bytes: u64,
    /// Reads that answered a whole artifact.
    pub whole_reads: u64,
    /// Reads that answered a part of one.
    pub partial_reads: u64,
    /// Bytes answered by all reads.
    pub read_bytes: u64,
    /// Bytes of the artifacts that were read, each counted once per read: what whole reads would have answered.
    pub reachable_bytes: u64,
}

/// The store of one run. What is kept never changes.
pub trait ArtifactStore: Send + Sync {
    /// Keeps a text as the next version of its name; a large result that is a version of it already stays that one. Once answered, it survives the end of the process at any moment.
    ///
    /// # Errors
    /// `too_large` if it, or the run's artifacts together, would be; `invalid_arguments` for a name that is none;
    /// `io_error` if the file system failed.
    fn keep(&self, new: NewArtifact) -> BoxFuture<'_, Result<Artifact, AgentError>>;

    /// Whether this run has such a version. Waits for no file.
    fn knows(&self, reference: &ArtifactRef) -> bool;

    /// Counts so far.
    fn figures(&self) -> ArtifactFigures;
}

#[cfg(test)]
mod tests {
    use super::*;

    // GV-14, GV-18
    #[test]
    fn a_reference_has_exactly_one_spelling() {
        let read = ArtifactRef::parse("artifact://payment-log-analysis/v3").expect("a reference");
        assert_eq!((read.name.as_str(), read.version), ("payment-log-analysis", 3));
        assert_eq!(read.to_string(), "artifact://payment-log-analysis/v3");
        for none in [
            "payment-log-analysis/v3",
            "artifact://a/v0",
            "artifact://a/v01",
            "artifact://a/v+1",
            "artifact://a/v",
            "artifact://a",
            "artifact:///v1",
            "artifact://../etc/v1",
            "artifact://a/v1/v2",
            "artifact://a/v99999999999999999999",
            " artifact://a/v1",
        ] {
            assert_eq!(ArtifactRef::parse(none), None, "{none}");
        }
    }
}
