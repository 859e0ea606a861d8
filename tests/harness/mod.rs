//! Runs the real binary as a user would: in a directory of its own, with a state directory of its own, and nothing of the
//! caller's environment that could change what it does.
//!
//! ```ignore
//! let run = Run::plan("run: demo\n…").file("alpha.yaml", "…").arg("--virtual-time").json();
//! assert_eq!(run.code, 0);
//! assert_eq!(run.report()["status"], "completed");
//! ```

mod agents;
mod guests;
mod ran;

pub(crate) use agents::{built, code_cache, install, wanted};
pub(crate) use guests::{QUIET, on_one_worker, settled};
pub(crate) use ran::Ran;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_sandfork");

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("two levels up").to_path_buf()
}

/// A file or directory under `fixtures/`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    repository().join("fixtures").join(path)
}

/// Whether the plans of a directory under `fixtures/` name components that are built first: they have a suite of their own.
pub(crate) fn needs_building(directory: &Path) -> bool {
    let plan = std::fs::read_to_string(directory.join("plan.yaml")).unwrap_or_default();
    plan.contains("guest-agents/")
}

/// One invocation, being put together. The directory lives as long as the value (or the [`Ran`] made of it).
pub(crate) struct Run {
    home: TempDir,
    args: Vec<String>,
    env: Vec<(String, String)>,
    events: bool,
}

impl Run {
    /// Any command line, in an empty directory.
    pub(crate) fn args<S: Into<String>>(args: impl IntoIterator<Item = S>) -> Self {
        Self {
            home: tempfile::tempdir().expect("a directory"),
            args: args.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            events: false,
        }
    }

    /// `sandfork run plan.yaml`, with `text` as the plan.
    pub(crate) fn plan(text: &str) -> Self {
        Self::args(["run", "plan.yaml"]).file("plan.yaml", text)
    }

    /// `sandfork run PLAN` with a plan under `fixtures/`, such as `fork-two-modules/plan.yaml`.
    pub(crate) fn fixture(path: &str) -> Self {
        Self::args(["run".to_owned(), fixture(path).display().to_string()])
    }

    /// Writes a file beside the plan; directories are made.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, text).expect("written");
        self
    }

    /// Makes a link beside the plan.
    #[cfg(unix)]
    pub(crate) fn link(self, path: &str, target: &str) -> Self {
        std::os::unix::fs::symlink(target, self.home.path().join(path)).expect("linked");
        self
    }

    /// Adds one argument.
    pub(crate) fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds several arguments.
    pub(crate) fn with<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// A path below the directory it runs in.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// Runs with `--json --events`, so that report and events can be read.
    pub(crate) fn json(mut self) -> Ran {
        self.events = true;
        self.arg("--json").with(["--events", "events.jsonl"]).go()
    }

    /// The command, not started, for tests that drive the process themselves.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(BINARY);
        command
            .args(&self.args)
            .current_dir(self.home.path())
            .env_remove("RUST_LOG")
            .env("SANDFORK_STATE_DIR", "state")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs to the end.
    pub(crate) fn go(self) -> Ran {
        let output = self.command().output().expect("the binary starts");
        Ran::new(self.home, self.args, output, self.events)
    }
}
