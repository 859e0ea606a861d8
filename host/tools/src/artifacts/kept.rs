//! The artifacts of a run that is over, or still going on: read, never changed. What the index does not name is not there,
//! whatever lies beside it.

use crate::artifacts::contents::{self, ContentError};
use crate::artifacts::entry::Entry;
use crate::artifacts::index;
use sandfork_model::ArtifactRef;
use std::io;
use std::path::{Path, PathBuf};

/// The artifacts of a kept run.
#[derive(Debug)]
pub struct KeptArtifacts {
    directory: PathBuf,
    entries: Vec<Entry>,
    torn_bytes: u64,
}

impl KeptArtifacts {
    /// Reads the index in a run's directory of artifacts; a directory that is not there has none.
    ///
    /// # Errors
    /// The file system.
    pub fn read(directory: &Path) -> io::Result<Self> {
        let read = index::read(directory)?;
        Ok(Self { directory: directory.into(), entries: read.entries, torn_bytes: read.torn_bytes })
    }

    /// Every version, in the order in which they were made.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Bytes at the end of the index that are no whole line: the run was killed while it wrote them.
    #[must_use]
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// The entry of one version.
    #[must_use]
    pub fn entry(&self, reference: &ArtifactRef) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.reference == *reference)
    }

    /// The text of a version, held against its digest.
    ///
    /// # Errors
    /// [`ContentError::Damaged`] if the bytes are not those that were written, or the file system.
    pub fn text(&self, entry: &Entry) -> Result<String, ContentError> {
        contents::read(&self.directory, &entry.sha256, entry.bytes)
    }
}
