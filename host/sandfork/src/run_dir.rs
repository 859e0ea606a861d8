//! One run's directory, held for the run's life. Two processes never work in one: a lock decides, never the look of a
//! file. Everything in it is for its owner's eyes.

use crate::state::ClaimError;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The longest text read from a lock file to name its holder, in bytes.
const HOLDER_BYTES: u64 = 64;

pub(crate) const LOCK: &str = "lock";
const WORKSPACE: &str = "workspace";
const REPORT: &str = "report.json";
const EVENTS: &str = "events.jsonl";
const ARTIFACTS: &str = "artifacts";

/// One run's directory, held until dropped.
#[derive(Debug)]
pub(crate) struct RunDir {
    /// The run's id.
    pub(crate) id: String,
    /// `STATE/runs/ID`, starting as the user gave the state directory.
    pub(crate) path: PathBuf,
    /// The lock is held as long as this file is open.
    _lock: File,
}

impl RunDir {
    /// Takes the lock of a run directory that exists.
    ///
    /// # Errors
    /// When another holds it, or the file system.
    pub(crate) fn take(id: &str, path: PathBuf) -> Result<Self, ClaimError> {
        let file = path.join(LOCK);
        let io = |source| ClaimError::Io { path: file.clone(), source };
        // Opened without truncating: it may be another's.
        let mut lock =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&file).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ClaimError::Busy { id: id.into(), holder: holder(&lock) }),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        lock.set_len(0).and_then(|()| write!(lock, "process {}", std::process::id())).map_err(io)?;
        Ok(Self { id: id.into(), path, _lock: lock })
    }

    /// Where the run's copy of the workspace goes.
    #[must_use]
    pub(crate) fn workspace(&self) -> PathBuf {
        self.path.join(WORKSPACE)
    }

    /// Where the run's artifacts go.
    #[must_use]
    pub(crate) fn artifacts(&self) -> PathBuf {
        artifacts(&self.path)
    }

    /// Removes the artifacts of an earlier round.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn reset_artifacts(&self) -> io::Result<()> {
        remove(&self.artifacts())
    }

    /// Begins the event log. Whole lines are appended to it; only the last one can be torn, where the process ends.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn begin_events(&self) -> io::Result<File> {
        private_file().create_new(true).append(true).open(self.path.join(EVENTS))
    }

    /// Makes an empty workspace, whatever was there.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn reset_workspace(&self) -> io::Result<PathBuf> {
        let path = self.workspace();
        remove(&path)?;
        private_dir(false).create(&path)?;
        Ok(path)
    }

    /// Stores the report: whole or not at all.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn write_report(&self, text: &str) -> io::Result<()> {
        let unfinished = self.path.join("report.json.tmp");
        let mut file = private_file().write(true).create(true).truncate(true).open(&unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(unfinished, self.path.join(REPORT))?;
        sync_dir(&self.path)
    }

    /// Removes what an earlier run of this id left; the lock stays.
    pub(crate) fn clear(&self) -> Result<(), ClaimError> {
        let io = |source| ClaimError::Io { path: self.path.clone(), source };
        for entry in fs::read_dir(&self.path).map_err(io)? {
            let entry = entry.map_err(io)?;
            if entry.file_name() != LOCK {
                remove(&entry.path()).map_err(io)?;
            }
        }
        Ok(())
    }
}

/// Where the artifacts of a run with this directory are.
pub(crate) fn artifacts(run: &Path) -> PathBuf {
    run.join(ARTIFACTS)
}

/// What a lock file says about who holds it; only ever shown, never acted on.
fn holder(lock: &File) -> String {
    let mut text = String::new();
    match lock.take(HOLDER_BYTES).read_to_string(&mut text) {
        Ok(_) if text.starts_with("process ") => text,
        Ok(_) | Err(_) => "another process".into(),
    }
}

/// Options for a file that its owner alone may read.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A name is on disk once its directory is. Elsewhere than on Unix a directory cannot be opened as a file.
fn sync_dir(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Makes directories for their owner alone.
pub(crate) fn private_dir(is_recursive: bool) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(is_recursive);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Removes a file, a link (not what it points to) or a tree; nothing there is fine.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
