//! The digest of everything that a build depends on. Two equal digests build the same component, as far as a toolchain is
//! a function of its sources and its version.

use crate::error::BuildError;
use crate::files::read_bounded;
use crate::project::{PROJECT_FILE, Project};
use sandfork_model::sha256_hex;
use sandfork_source::{Place, Problem};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What toolchains make, wherever it lies.
const MADE: [&str; 5] = ["target", "node_modules", ".venv", "__pycache__", ".git"];
/// What does not go into the component, at the top of a project.
const BESIDE: [&str; 7] = ["build", "cases", "workspace", ".sandfork", "README.md", "plan.yaml", ".gitignore"];
/// Far above any agent; below what a mistaken directory holds.
const MOST_FILES: usize = 20_000;
/// Bytes of all inputs together.
const MOST_BYTES: u64 = 256 << 20;
/// A link in a circle ends here.
const MAX_DEPTH: usize = 24;

/// What cargo writes beside the sources at the first build.
const LOCK: &str = "Cargo.lock";

/// The digest of a project's own sources without what a build itself writes among them: for seeing whether somebody edited
/// them meanwhile.
///
/// # Errors
/// As [`digest`].
pub(crate) fn of_sources(project: &Project) -> Result<String, BuildError> {
    let mut reading = Reading { project, text: String::new(), files: 0, bytes: 0, has_lock: false };
    reading.directory(&project.dir, "", 0)?;
    Ok(sha256_hex(reading.text.as_bytes()))
}

/// The digest of a project's sources, of sources outside it, and of what builds them.
///
/// # Errors
/// A file that cannot be read, or more of them than an agent has.
pub(crate) fn digest(project: &Project, outside: &[PathBuf], versions: &[String]) -> Result<String, BuildError> {
    let mut reading = Reading { project, text: String::new(), files: 0, bytes: 0, has_lock: true };
    for version in versions {
        reading.line("tool", version);
    }
    reading.line("manifest", &project.manifest.to_json().to_string());
    reading.directory(&project.dir, "", 0)?;
    for path in outside {
        // What was removed since is a change too.
        if path.is_file() {
            reading.file(path, &path.display().to_string())?;
        } else {
            reading.line("gone", &path.display().to_string());
        }
    }
    Ok(sha256_hex(reading.text.as_bytes()))
}

struct Reading<'a> {
    project: &'a Project,
    text: String,
    files: usize,
    bytes: u64,
    has_lock: bool,
}

impl Reading<'_> {
    fn directory(&mut self, dir: &Path, below: &str, depth: usize) -> Result<(), BuildError> {
        let failed = |source| unreadable(dir, source);
        if depth > MAX_DEPTH {
            return Err(self.too_much(&format!("{} nests deeper than {MAX_DEPTH} directories", dir.display())));
        }
        let mut entries: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(dir).map_err(failed)? {
            entries.push(entry.map_err(failed)?.path());
            if entries.len() > MOST_FILES {
                return Err(self.too_much(&format!("{} holds more than {MOST_FILES} files", dir.display())));
            }
        }
        entries.sort();
        for path in entries {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_beside = BESIDE.contains(&name.as_str()) || name == LOCK && !self.has_lock;
            if MADE.contains(&name.as_str()) || below.is_empty() && is_beside {
                continue;
            }
            let inside = if below.is_empty() { name } else { format!("{below}/{name}") };
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() && is_none_of_ours(&path) => {}
                Ok(metadata) if metadata.is_dir() => self.directory(&path, &inside, depth + 1)?,
                Ok(metadata) if metadata.is_file() => self.file(&path, &inside)?,
                // A socket, a pipe, a link to nowhere: no toolchain reads it.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unreadable(&path, error)),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: &str) -> Result<(), BuildError> {
        let content = read_bounded(path, MOST_BYTES).map_err(|source| unreadable(path, source))?;
        self.files += 1;
        self.bytes = self.bytes.saturating_add(u64::try_from(content.len()).unwrap_or(u64::MAX));
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return Err(self.too_much(&format!(
                "the project holds more than {MOST_FILES} files or {} MiB of sources",
                MOST_BYTES >> 20
            )));
        }
        self.line(name, &sha256_hex(&content));
        Ok(())
    }

    /// A line feed in a name is written as an escape, so that one list of files is one text.
    fn line(&mut self, name: &str, what: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{name:?} {what:?}");
    }

    fn too_much(&self, message: &str) -> BuildError {
        let file = self.project.dir.join(PROJECT_FILE).display().to_string();
        let problem = Problem::new(&file, Place::START, message);
        BuildError::Wrong(problem.hint("is this the agent's own directory? keep data elsewhere, or under workspace/"))
    }
}

/// Whether a directory says of itself that nothing in it is a source, as a state directory of any name does.
fn is_none_of_ours(dir: &Path) -> bool {
    read_bounded(&dir.join(".gitignore"), 64).is_ok_and(|text| text.trim_ascii() == b"*")
}

fn unreadable(path: &Path, source: io::Error) -> BuildError {
    BuildError::Io { path: path.to_owned(), doing: "read", source }
}
