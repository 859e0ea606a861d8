//! The shipped agents as components, built by the commands that their READMEs name, and compiled once for all tests.

use super::{BINARY, Run, repository};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

/// Agents that this test program has built.
static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// The component of `guest-agents/NAME`, as `sandfork build` makes it where the toolchain has been made ready.
pub(crate) fn built(name: &str) -> PathBuf {
    let mut built = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(component) = built.get(name) {
        return component.clone();
    }
    let directory = repository().join("guest-agents").join(name);
    let mut output = build(&directory);
    if let Some(command) = wanted(&output) {
        install(&command, &repository());
        output = build(&directory);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "guest-agents/toolchain sandfork build guest-agents/{name}\n{said}");
    let component = directory.join("build").join(format!("{name}.wasm"));
    assert!(component.is_file(), "{} was not made\n{said}", component.display());
    built.insert(name.to_owned(), component.clone());
    component
}

fn build(directory: &Path) -> Output {
    let rust = std::fs::read_to_string(directory.join("agent.yaml")).expect("a manifest").contains("language: rust");
    let toolchain = repository().join("guest-agents/toolchain");
    let mut command = if rust { Command::new(toolchain) } else { Command::new(BINARY) };
    if rust {
        command.arg(BINARY);
    }
    command.arg("build").arg(directory).stdin(Stdio::null()).output().expect("it starts")
}

/// The one command that `sandfork build` names where a piece of a toolchain is missing.
pub(crate) fn wanted(refused: &Output) -> Option<String> {
    if refused.status.code() != Some(2) {
        return None;
    }
    let said = String::from_utf8_lossy(&refused.stderr);
    said.lines().find_map(|line| line.strip_prefix("hint: run: ")).map(str::to_owned)
}

/// Runs such a command as whoever reads it would.
pub(crate) fn install(command: &str, directory: &Path) {
    let shell = Command::new("/bin/sh").args(["-c", command]).current_dir(directory).stdin(Stdio::null()).output();
    let output = shell.expect("a shell starts");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command}\n{said}");
}

/// Where code of language guests is kept between tests, and between test runs: compiling one takes up to a minute.
pub(crate) fn code_cache() -> PathBuf {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("suites/cache");
    std::fs::create_dir_all(&cache).expect("made");
    cache
}

impl Run {
    /// Finds compiled code where other tests left it. State is still its own.
    #[cfg(unix)]
    pub(crate) fn with_kept_code(self) -> Self {
        std::fs::create_dir_all(self.path("state")).expect("made");
        std::os::unix::fs::symlink(code_cache(), self.path("state/cache")).expect("linked");
        self
    }
}
