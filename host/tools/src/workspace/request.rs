//! One file call, read from its arguments. Touches no file.

use crate::arguments::{Arguments, Misread};
use crate::workspace::fault::FileFault;
use crate::workspace::tree::Tree;
use crate::workspace::watch::Watch;
use crate::workspace::{edit, list, read, search, write};
use serde_json::Value;

/// What is asked of the workspace.
#[derive(Debug)]
pub(crate) enum FileRequest {
    Read { path: String },
    Write { path: String, text: String },
    Edit { path: String, old: String, new: String },
    List { path: String },
    Search { pattern: String, path: String },
}

impl FileRequest {
    /// Reads the arguments of the tool `name`.
    pub(crate) fn read(name: &str, arguments: &Value) -> Result<Self, Misread> {
        match name {
            "read_file" => {
                let read = Arguments::read(arguments, &["path"])?;
                Ok(Self::Read { path: read.text("path")?.to_owned() })
            }
            "write_file" => {
                let read = Arguments::read(arguments, &["path", "text"])?;
                Ok(Self::Write { path: read.text("path")?.to_owned(), text: read.text("text")?.to_owned() })
            }
            "edit_file" => {
                let read = Arguments::read(arguments, &["path", "old", "new"])?;
                let old = read.text("old")?;
                if old.is_empty() {
                    return Err(Misread("argument `old` is empty; it expects the text to replace".into()));
                }
                Ok(Self::Edit {
                    path: read.text("path")?.to_owned(),
                    old: old.to_owned(),
                    new: read.text("new")?.to_owned(),
                })
            }
            "list_files" => {
                let read = Arguments::read(arguments, &["path"])?;
                Ok(Self::List { path: read.optional_text("path")?.unwrap_or(".").to_owned() })
            }
            "search_files" => {
                let read = Arguments::read(arguments, &["pattern", "path"])?;
                let pattern = read.text("pattern")?;
                if pattern.is_empty() {
                    return Err(Misread("argument `pattern` is empty; it expects a regular expression".into()));
                }
                let path = read.optional_text("path")?.unwrap_or(".");
                Ok(Self::Search { pattern: pattern.to_owned(), path: path.to_owned() })
            }
            _ => Err(Misread("this is no file tool".into())),
        }
    }

    /// Whether it may take long.
    pub(crate) fn is_search(&self) -> bool {
        matches!(self, Self::Search { .. })
    }

    /// Does it. Blocking.
    pub(crate) fn run(self, tree: &Tree, watch: &Watch) -> Result<Value, FileFault> {
        if watch.is_abandoned() {
            return Err(FileFault::Abandoned);
        }
        match self {
            Self::Read { path } => read::read(tree, &path),
            Self::Write { path, text } => write::write(tree, &path, &text, watch),
            Self::Edit { path, old, new } => edit::edit(tree, &path, &old, &new, watch),
            Self::List { path } => list::list(tree, &path, watch),
            Self::Search { pattern, path } => search::search(tree, &pattern, &path, watch),
        }
    }
}
