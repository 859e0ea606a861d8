//! A new project: a template with its names filled in, written into a directory that was not there. Knows no language
//! beyond which names it can live with.

use crate::error::NewError;
use crate::language::Language;
use crate::template::{Piece, pieces};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The longest name of a new agent: it becomes a part of names that toolchains make.
const MAX_NAME_CHARS: usize = 50;
/// Names that Rust or its standard crates have already.
const TAKEN_IN_RUST: [&str; 14] = [
    "alloc",
    "core",
    "proc_macro",
    "sandfork_guest",
    "std",
    "test",
    "async",
    "await",
    "dyn",
    "enum",
    "fn",
    "gen",
    "mod",
    "type",
];
/// Names that nobody means as the name of an agent, and that one of the languages trips over.
const TAKEN: [&str; 6] = ["self", "super", "crate", "agent", "sandfork", "node_modules"];

/// What to make.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// In which language.
    pub language: Language,
    /// The agent's name.
    pub name: String,
    /// The project's own directory; it may exist if it is empty.
    pub dir: PathBuf,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where.
    pub dir: PathBuf,
    /// The files, as paths below it, in order.
    pub files: Vec<String>,
}

/// Writes a new project.
///
/// # Errors
/// A name that cannot be, a directory with something in it, or the file system; nothing is left behind then.
pub fn make(new: &NewProject) -> Result<Made, NewError> {
    check_name(new)?;
    let was_there = is_free(&new.dir)?;
    let pieces = pieces(new.language);
    let written = write(&new.dir, &new.name, &pieces);
    if let Err(error) = written {
        // Only what was made here goes: the directory was empty, or was not there. The first error is the one to tell.
        let _ = fs::remove_dir_all(&new.dir);
        if was_there {
            let _ = fs::create_dir(&new.dir);
        }
        return Err(error);
    }
    let mut files: Vec<String> = pieces.into_iter().map(|piece| piece.path).collect();
    files.sort();
    Ok(Made { dir: new.dir.clone(), files })
}

/// A name that every language, file system and registry of packages takes as it is.
fn check_name(new: &NewProject) -> Result<(), NewError> {
    let name = &new.name;
    let wrong = |why| NewError::Name { shown: name.chars().take(MAX_NAME_CHARS).collect(), why };
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= MAX_NAME_CHARS
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
    if !is_word {
        return Err(wrong("expected a small letter, then small letters, digits, `-` or `_`, at most 50 in all"));
    }
    let crate_name = crate_name(name);
    if TAKEN.contains(&name.as_str()) || new.language == Language::Rust && TAKEN_IN_RUST.contains(&crate_name.as_str())
    {
        return Err(wrong("the name has a meaning of its own there; choose another one"));
    }
    Ok(())
}

fn crate_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Whether the directory exists already; an error if there is anything in it.
fn is_free(dir: &Path) -> Result<bool, NewError> {
    let failed = |source| NewError::Io { path: dir.to_owned(), source };
    match fs::read_dir(dir) {
        Ok(mut entries) => match entries.next() {
            None => Ok(true),
            Some(_) => Err(NewError::Taken { path: dir.to_owned() }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(NewError::Taken { path: dir.to_owned() }),
        Err(error) => Err(failed(error)),
    }
}

fn write(dir: &Path, name: &str, pieces: &[Piece]) -> Result<(), NewError> {
    for piece in pieces {
        let path = dir.join(&piece.path);
        let failed = |source| NewError::Io { path: path.clone(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        fs::write(&path, filled(piece, name)).map_err(failed)?;
    }
    Ok(())
}

/// The content with its names filled in; what is no text is copied as it is.
fn filled(piece: &Piece, name: &str) -> Vec<u8> {
    match std::str::from_utf8(piece.content) {
        Ok(text) if piece.is_template => {
            text.replace("{{name}}", name).replace("{{crate}}", &crate_name(name)).into_bytes()
        }
        _ => piece.content.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str, dir: &Path, language: Language) -> Result<Made, NewError> {
        make(&NewProject { language, name: name.into(), dir: dir.into() })
    }

    #[test]
    fn names_are_filled_in_everywhere_and_every_file_is_told() {
        let home = tempfile::tempdir().expect("a directory");
        for language in Language::ALL {
            let dir = home.path().join(language.name());
            let made = new("my-agent", &dir, language).expect("made");
            assert!(!made.files.is_empty());
            for file in &made.files {
                let content = fs::read(dir.join(file)).expect("written");
                let text = String::from_utf8_lossy(&content);
                assert!(!text.contains("{{name}}") && !text.contains("{{crate}}"), "{language:?}: {file}");
            }
            let project = crate::Project::read(&dir).expect("a project");
            assert_eq!((project.manifest.name.as_str(), project.language), ("my-agent", language));
        }
    }

    #[test]
    fn a_directory_with_something_in_it_is_left_as_it_is() {
        let home = tempfile::tempdir().expect("a directory");
        let dir = home.path().join("there");
        fs::create_dir(&dir).expect("made");
        fs::write(dir.join("mine"), "x").expect("written");
        assert!(matches!(new("a", &dir, Language::Js), Err(NewError::Taken { .. })));
        assert_eq!(fs::read_dir(&dir).expect("there").count(), 1);
        fs::remove_file(dir.join("mine")).expect("removed");
        assert!(new("a", &dir, Language::Js).is_ok(), "an empty directory may be there");
        assert!(matches!(new("a", &dir.join("agent.yaml"), Language::Js), Err(NewError::Taken { .. })), "a file");
    }

    #[test]
    fn a_name_that_some_tool_would_trip_over_is_refused_before_anything_is_written() {
        let home = tempfile::tempdir().expect("a directory");
        let long = "a".repeat(51);
        for name in ["", "A", "1a", "-a", "a b", "a.b", "../a", "a/b", "self", "é", "a\n", &long, "{{crate}}"] {
            let dir = home.path().join("x");
            assert!(matches!(new(name, &dir, Language::Python), Err(NewError::Name { .. })), "{name:?}");
            assert!(!dir.exists());
        }
        assert!(matches!(new("proc-macro", &home.path().join("x"), Language::Rust), Err(NewError::Name { .. })));
        assert!(new("test", &home.path().join("y"), Language::Js).is_ok());
    }
}
