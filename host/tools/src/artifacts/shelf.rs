//! The artifacts of one run while it goes on: what there is in memory, contents and index on disk. One writer at a time, a
//! content before its line; readers never wait for a file that another is writing. Knows nothing of tools.

use crate::artifacts::contents::{self, ContentError};
use crate::artifacts::entry::Entry;
use crate::artifacts::index::Appender;
use crate::artifacts::parts::line_count;
use crate::artifacts::reading::Readings;
use sandfork_model::id::is_valid_id;
use sandfork_model::{Artifact, ArtifactFigures, ArtifactRef, MadeBy, NewArtifact, sha256_hex};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a run's artifacts may come to. A name's length is that of ids: 64 characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactLimits {
    /// Bytes of one artifact.
    pub artifact_bytes: u64,
    /// Bytes of all artifacts of a run, each content counted once.
    pub run_bytes: u64,
    /// Artifacts of a run, every version counted.
    pub versions: u64,
}

impl Default for ArtifactLimits {
    fn default() -> Self {
        Self { artifact_bytes: 16 << 20, run_bytes: 256 << 20, versions: 10_000 }
    }
}

/// Why a text was not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unkept {
    #[error("an artifact's name is a letter, then at most 63 letters, digits, `_`, `-` or `.`")]
    Name,
    #[error(
        "`{name}` has {bytes} bytes; an artifact has at most {}, a run {} in {} versions",
        limits.artifact_bytes, limits.run_bytes, limits.versions
    )]
    TooLarge { name: String, bytes: u64, limits: ArtifactLimits },
    #[error("the artifact store failed ({})", .0.kind())]
    Io(#[from] io::Error),
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Shelf {
    directory: PathBuf,
    limits: ArtifactLimits,
    /// Held while files are written: `None` before the first.
    writer: Mutex<Option<Appender>>,
    /// Held for moments only.
    known: Mutex<Known>,
}

/// What there is.
#[derive(Debug, Default)]
struct Known {
    versions: BTreeMap<String, Vec<Place>>,
    digests: HashSet<String>,
    bytes: u64,
    count: u64,
    readings: Readings,
}

/// Where a version's bytes are.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

impl Known {
    /// The version of a name that has these bytes, if one has.
    fn version_of(&self, name: &str, sha256: &str) -> Option<Artifact> {
        let (at, place) = self.versions.get(name)?.iter().enumerate().find(|(_, place)| place.sha256 == sha256)?;
        let reference = ArtifactRef { name: name.to_owned(), version: u64::try_from(at).ok()?.checked_add(1)? };
        Some(Artifact {
            reference,
            sha256: place.sha256.clone(),
            bytes: place.bytes,
            lines: place.lines,
            is_new: false,
        })
    }
}

impl Shelf {
    pub(crate) fn new(directory: PathBuf, limits: ArtifactLimits) -> Self {
        Self { directory, limits, writer: Mutex::default(), known: Mutex::default() }
    }

    /// Keeps a text as the next version of its name: content on disk, line on disk, then known.
    pub(crate) fn keep(&self, new: NewArtifact) -> Result<Artifact, Unkept> {
        if !is_valid_id(&new.name) {
            return Err(Unkept::Name);
        }
        let bytes = u64::try_from(new.text.len()).unwrap_or(u64::MAX);
        let limits = self.limits;
        if bytes > limits.artifact_bytes {
            return Err(Unkept::TooLarge { name: new.name, bytes, limits });
        }
        let (sha256, lines) = (sha256_hex(new.text.as_bytes()), line_count(&new.text));
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a writer adds versions, so what is looked up here stands until this one has written.
        let (is_new, total, version, inputs) = {
            let known = self.known();
            if let (MadeBy::LargeResult, Some(same)) = (new.made_by, known.version_of(&new.name, &sha256)) {
                return Ok(same);
            }
            let is_new = !known.digests.contains(&sha256);
            let total = if is_new { known.bytes.saturating_add(bytes) } else { known.bytes };
            if total > limits.run_bytes || known.count >= limits.versions {
                return Err(Unkept::TooLarge { name: new.name, bytes, limits });
            }
            let latest = known.versions.get(&new.name).map_or(0, Vec::len);
            let version = u64::try_from(latest).unwrap_or(u64::MAX).saturating_add(1);
            (is_new, total, version, known.readings.inputs(&new.task.task_id))
        };
        let reference = ArtifactRef { name: new.name, version };
        let entry = Entry {
            reference: reference.clone(),
            sha256: sha256.clone(),
            bytes,
            lines,
            media_type: new.media_type,
            task_id: new.task.task_id.to_string(),
            agent: new.task.agent.to_string(),
            by_event: new.by_event.as_ref().map(ToString::to_string),
            made_by: new.made_by.name().into(),
            inputs: inputs.references.iter().map(ToString::to_string).collect(),
            inputs_more: inputs.is_more,
        };
        let appender = match &mut *writer {
            Some(appender) => appender,
            none => {
                contents::make_directory(&self.directory)?;
                none.insert(Appender::begin(&self.directory)?)
            }
        };
        if is_new {
            contents::write(&self.directory, &sha256, new.text.as_bytes())?;
        }
        appender.append(&entry)?;
        let mut known = self.known();
        known.digests.insert(sha256.clone());
        known.bytes = total;
        known.count += 1;
        let place = Place { sha256: sha256.clone(), bytes, lines };
        known.versions.entry(reference.name.clone()).or_default().push(place);
        Ok(Artifact { reference, sha256, bytes, lines, is_new: true })
    }

    /// Where a version is, if there is one.
    pub(crate) fn find(&self, reference: &ArtifactRef) -> Option<Place> {
        let at = usize::try_from(reference.version.checked_sub(1)?).ok()?;
        self.known().versions.get(&reference.name)?.get(at).cloned()
    }

    /// The whole text of a version, held against its digest.
    pub(crate) fn text(&self, place: &Place) -> Result<String, ContentError> {
        contents::read(&self.directory, &place.sha256, place.bytes)
    }

    /// Notes that a fork was answered so much of a version.
    pub(crate) fn note_read(&self, task_id: &str, reference: &ArtifactRef, read_bytes: u64, bytes: u64) {
        self.known().readings.note(task_id, reference, read_bytes, bytes);
    }

    pub(crate) fn figures(&self) -> ArtifactFigures {
        let known = self.known();
        ArtifactFigures {
            versions: known.count,
            kept_bytes: known.bytes,
            whole_reads: known.readings.whole_reads,
            partial_reads: known.readings.partial_reads,
            read_bytes: known.readings.read_bytes,
            reachable_bytes: known.readings.reachable_bytes,
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
