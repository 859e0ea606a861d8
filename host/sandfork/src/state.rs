//! Where runs are kept: one private directory a run, found again by its id. Two processes never work in one run
//! directory: a lock held for the run's life decides, never the look of a file.

use crate::run_id::{IdError, RunName};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The most numbered runs of one name.
pub(crate) const RUNS_OF_ONE_NAME: u32 = 1_000_000;
/// The longest text read from a lock file to name its holder, in bytes.
const HOLDER_BYTES: u64 = 64;

const LOCK: &str = "lock";
const WORKSPACE: &str = "workspace";
const REPORT: &str = "report.json";

/// Why a run has no directory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClaimError {
    /// The id can name no directory.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Another process works in it.
    #[error("run {id} is still going on ({holder}); name this one with --run-id")]
    Busy {
        /// Which run.
        id: String,
        /// Who holds it, as far as it says.
        holder: String,
    },
    /// All numbers are taken.
    #[error("{name} has {RUNS_OF_ONE_NAME} runs already; remove old ones or use --run-id")]
    Full {
        /// Of which name.
        name: String,
    },
    /// The file system said no.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ClaimError {
    /// Whether the user's command is at fault rather than the machine.
    #[must_use]
    pub(crate) fn is_usage(&self) -> bool {
        match self {
            Self::Id(_) | Self::Busy { .. } | Self::Full { .. } => true,
            Self::Io { .. } => false,
        }
    }
}

/// The state directory, as the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct StateDir {
    path: PathBuf,
}

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

impl StateDir {
    /// Names a state directory; nothing is made yet.
    #[must_use]
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Makes a run's directory, or empties the one of an earlier run with the same id.
    ///
    /// # Errors
    /// A bad id, a live run of that id, or the file system.
    pub(crate) fn claim(&self, name: &RunName) -> Result<RunDir, ClaimError> {
        let runs = self.prepare()?;
        match name {
            RunName::Exact(id) => {
                let path = runs.join(id.as_str());
                make_private_dir(&path)?;
                let dir = lock(id.as_str(), path)?;
                dir.clear()?;
                Ok(dir)
            }
            RunName::Numbered(name) => {
                for n in 1..=RUNS_OF_ONE_NAME {
                    let id = format!("{}-{n}", name.as_str());
                    let path = runs.join(&id);
                    match private_dir(false).create(&path) {
                        Ok(()) => {}
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                        Err(source) => return Err(ClaimError::Io { path, source }),
                    }
                    // Someone may ask for this very id by name between the two steps; the next number is as good.
                    match lock(&id, path) {
                        Err(ClaimError::Busy { .. }) => {}
                        claimed => return claimed,
                    }
                }
                Err(ClaimError::Full { name: name.as_str().into() })
            }
        }
    }

    fn prepare(&self) -> Result<PathBuf, ClaimError> {
        make_private_dir(&self.path)?;
        let ignore = self.path.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(|source| ClaimError::Io { path: ignore, source })?;
        }
        let runs = self.path.join("runs");
        make_private_dir(&runs)?;
        Ok(runs)
    }
}

impl RunDir {
    /// Where the run's copy of the workspace goes.
    #[must_use]
    pub(crate) fn workspace(&self) -> PathBuf {
        self.path.join(WORKSPACE)
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
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(unfinished, self.path.join(REPORT))
    }

    /// Removes what an earlier run of this id left; the lock stays.
    fn clear(&self) -> Result<(), ClaimError> {
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

/// Takes the lock of a run directory that exists.
fn lock(id: &str, path: PathBuf) -> Result<RunDir, ClaimError> {
    let file = path.join(LOCK);
    let io = |source| ClaimError::Io { path: file.clone(), source };
    // Opened without truncating: it may be another's.
    let mut lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&file).map_err(io)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(ClaimError::Busy { id: id.into(), holder: holder(&lock) }),
        Err(TryLockError::Error(source)) => return Err(io(source)),
    }
    lock.set_len(0).and_then(|()| write!(lock, "process {}", std::process::id())).map_err(io)?;
    Ok(RunDir { id: id.into(), path, _lock: lock })
}

/// What a lock file says about who holds it; only ever shown, never acted on.
fn holder(lock: &File) -> String {
    let mut text = String::new();
    match lock.take(HOLDER_BYTES).read_to_string(&mut text) {
        Ok(_) if text.starts_with("process ") => text,
        Ok(_) | Err(_) => "another process".into(),
    }
}

fn private_dir(is_recursive: bool) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(is_recursive);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn make_private_dir(path: &Path) -> Result<(), ClaimError> {
    private_dir(true).create(path).map_err(|source| ClaimError::Io { path: path.into(), source })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (tempfile::TempDir, StateDir) {
        let home = tempfile::tempdir().expect("a directory");
        let state = StateDir::new(home.path().join("state"));
        (home, state)
    }

    fn exact(id: &str) -> RunName {
        RunName::exact(id).expect("valid")
    }

    fn numbered(name: &str) -> RunName {
        RunName::numbered(name).expect("valid")
    }

    #[test]
    fn numbered_runs_take_the_first_free_number() {
        let (_home, state) = state();
        let first = state.claim(&numbered("demo")).expect("claimed");
        let second = state.claim(&numbered("demo")).expect("claimed");
        assert_eq!((first.id.as_str(), second.id.as_str()), ("demo-1", "demo-2"));
        drop(first);
        assert_eq!(state.claim(&numbered("demo")).expect("claimed").id, "demo-3", "an old run is kept");
    }

    #[test]
    fn a_live_run_keeps_its_directory_and_the_error_says_what_to_do() {
        let (_home, state) = state();
        let held = state.claim(&exact("demo")).expect("claimed");
        fs::write(held.path.join("mine"), "x").expect("written");
        let error = state.claim(&exact("demo")).expect_err("busy");
        assert!(error.is_usage());
        let words = error.to_string();
        assert!(words.contains(&format!("process {}", std::process::id())) && words.contains("--run-id"), "{words}");
        assert!(held.path.join("mine").exists(), "nothing of a live run is touched");
    }

    #[test]
    fn a_finished_run_of_the_same_id_is_replaced() {
        let (_home, state) = state();
        let held = state.claim(&exact("demo")).expect("claimed");
        fs::create_dir_all(held.workspace().join("deep")).expect("made");
        held.write_report("{}").expect("written");
        let path = held.path.clone();
        drop(held);
        let again = state.claim(&exact("demo")).expect("claimed");
        assert_eq!(again.path, path);
        assert!(!again.workspace().exists() && !path.join(REPORT).exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_a_run_leaves_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let (home, state) = state();
        let dir = state.claim(&numbered("demo")).expect("claimed");
        dir.write_report("{}").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&dir.path), 0o700);
        assert_eq!(mode(&dir.path.join(REPORT)), 0o600);
        assert_eq!(fs::read_to_string(home.path().join("state/.gitignore")).expect("there"), "*\n");
    }

    #[cfg(unix)]
    #[test]
    fn clearing_a_run_never_follows_a_link_out_of_it() {
        let (home, state) = state();
        let outside = home.path().join("outside");
        fs::create_dir(&outside).expect("made");
        fs::write(outside.join("kept"), "x").expect("written");
        let held = state.claim(&exact("demo")).expect("claimed");
        std::os::unix::fs::symlink(&outside, held.workspace()).expect("linked");
        drop(held);
        let again = state.claim(&exact("demo")).expect("claimed");
        assert!(!again.workspace().exists());
        assert!(outside.join("kept").exists());
    }
}
