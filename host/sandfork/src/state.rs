//! Where runs are kept: one private directory a run, found again by its id. Knows ids and directories; knows nothing of
//! what a run puts there.

use crate::run_dir::{RunDir, private_dir};
use crate::run_id::{IdError, RunName};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most numbered runs of one name.
pub(crate) const RUNS_OF_ONE_NAME: u32 = 1_000_000;

/// The directory of all runs.
const RUNS: &str = "runs";

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
    #[error("cannot use {}: {source}; a run is kept on disk: name a place where that can be, with --state-dir", path.display())]
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
            // What the named place is, or may not be. A disk that is full or broken is the machine's.
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::AlreadyExists
                    | io::ErrorKind::InvalidFilename
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::NotFound
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::ReadOnlyFilesystem
            ),
        }
    }
}

/// The state directory, as the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct StateDir {
    path: PathBuf,
}

impl StateDir {
    /// Names a state directory; nothing is made yet.
    #[must_use]
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where compiled code is kept, with the key that vouches for it. Whoever keeps something there makes it.
    #[must_use]
    pub(crate) fn code_cache(&self) -> PathBuf {
        self.path.join("cache")
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
                let dir = RunDir::take(id.as_str(), path)?;
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
                    match RunDir::take(&id, path) {
                        Err(ClaimError::Busy { .. }) => {}
                        claimed => return claimed,
                    }
                }
                Err(ClaimError::Full { name: name.as_str().into() })
            }
        }
    }

    /// Where the run of this id is kept, if it is; the id must be valid.
    pub(crate) fn run(&self, id: &str) -> PathBuf {
        self.path.join(RUNS).join(id)
    }

    fn prepare(&self) -> Result<PathBuf, ClaimError> {
        self.prepare_beside(RUNS)
    }

    /// Makes the state directory, and one of that name in it.
    ///
    /// # Errors
    /// The file system.
    pub(crate) fn prepare_beside(&self, name: &str) -> Result<PathBuf, ClaimError> {
        make_private_dir(&self.path)?;
        let ignore = self.path.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(|source| ClaimError::Io { path: ignore, source })?;
        }
        let directory = self.path.join(name);
        make_private_dir(&directory)?;
        Ok(directory)
    }
}

fn make_private_dir(path: &Path) -> Result<(), ClaimError> {
    private_dir(true).create(path).map_err(|source| ClaimError::Io { path: path.into(), source })
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
        assert!(!again.workspace().exists() && !path.join("report.json").exists());
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
        assert_eq!(mode(&dir.path.join("report.json")), 0o600);
        assert_eq!(fs::read_to_string(home.path().join("state/.gitignore")).expect("there"), "*\n");
    }

    #[test]
    fn a_place_where_nothing_can_be_kept_is_the_commands_fault_and_a_full_disk_is_not() {
        let (home, _) = state();
        let file = home.path().join("file");
        fs::write(&file, "x").expect("written");
        for place in [file.clone(), file.join("below")] {
            let error = StateDir::new(&place).claim(&exact("demo")).expect_err("no directory");
            assert!(error.is_usage() && error.to_string().contains("--state-dir"), "{error}");
        }
        let of = |kind: io::ErrorKind| ClaimError::Io { path: file.clone(), source: kind.into() }.is_usage();
        assert!(of(io::ErrorKind::ReadOnlyFilesystem) && of(io::ErrorKind::PermissionDenied));
        assert!(!of(io::ErrorKind::StorageFull) && !of(io::ErrorKind::Other));
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
