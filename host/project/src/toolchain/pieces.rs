//! Finding programs and packages, and saying what to do where one is missing.

use super::{COMPONENT_BYTES, Compiled};
use crate::error::BuildError;
use crate::files::read_bounded;
use crate::language::Language;
use crate::process::Program;
use crate::project::Project;
use crate::watch::Watch;
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};

/// Bytes of a package's own description.
const PACKAGE_BYTES: u64 = 1 << 20;

/// A program on the search path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    // A relative entry of the search path would find what lies in the project.
    env::split_paths(&env::var_os("PATH")?)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&file))
        .find(|p| p.is_file())
}

/// The project's directory as an absolute path: a program runs inside it, whatever relative path the user gave.
pub(crate) fn absolute(project: &Project) -> Result<PathBuf, BuildError> {
    std::path::absolute(&project.dir).map_err(|source| BuildError::Io {
        path: project.dir.clone(),
        doing: "found",
        source,
    })
}

/// A missing piece that the project's own set-up command brings.
pub(crate) fn not_set_up(project: &Project, piece: &str) -> BuildError {
    let command = project.language.set_up().unwrap_or_default();
    let remedy = if project.dir == Path::new(".") || project.dir == Path::new("") {
        command.to_owned()
    } else {
        format!("(cd {} && {command})", for_shell(&project.dir))
    };
    missing(project.language, piece, format!("run: {remedy}"))
}

pub(crate) fn missing(language: Language, piece: &str, remedy: String) -> BuildError {
    BuildError::Missing { piece: piece.to_owned(), language: language.name(), remedy }
}

/// A path as one word of a command that a person may paste.
#[must_use]
pub fn for_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '\\');
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Node's version, once it is found to be there.
pub(crate) fn node(project: &Project, dir: &Path, watch: &dyn Watch) -> Result<String, BuildError> {
    let found = on_path("node").and_then(|path| Program::new("node", path, dir).args(["--version"]).answer(watch));
    let remedy = "install Node.js 20 or newer, with npm".to_owned();
    found.map(|version| format!("node {version}")).ok_or_else(|| missing(project.language, "node", remedy))
}

/// A program that npm has put into the project: its path, and what to call its version.
pub(crate) fn npm_program(
    project: &Project,
    dir: &Path,
    package: &str,
    program: &str,
) -> Result<(PathBuf, String), BuildError> {
    let modules = dir.join("node_modules");
    let path = modules.join(".bin").join(program);
    let version = read_bounded(&modules.join(package).join("package.json"), PACKAGE_BYTES)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        .and_then(|package| package.get("version").and_then(Value::as_str).map(str::to_owned));
    match version {
        Some(version) if path.is_file() => Ok((path, format!("{package} {version}"))),
        _ => Err(not_set_up(project, program)),
    }
}

/// The component that a program was told to write to `scratch`, which is then removed.
pub(crate) fn collect(scratch: &Path, step: &str) -> Result<Compiled, BuildError> {
    let component = read_bounded(scratch, COMPONENT_BYTES).map_err(|error| BuildError::Failed {
        step: step.to_owned(),
        ended: format!("it ended well, but what it should have written cannot be read: {error}"),
        said: Vec::new(),
    });
    // A leftover is overwritten by the next build.
    let _ = std::fs::remove_file(scratch);
    Ok(Compiled { component: component?, outside: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_command_is_one_word() {
        for (path, word) in
            [("a/b-c.d", "a/b-c.d"), ("a b", "'a b'"), ("a'b", r"'a'\''b'"), ("$(x)", "'$(x)'"), ("", "''")]
        {
            assert_eq!(for_shell(Path::new(path)), word);
        }
    }
}
