//! Why a file tool did not do what it was asked. Names the path as the guest gave it, never a path of the host.

use crate::workspace::place::MAX_PATH_BYTES;
use sandfork_model::AgentError;
use serde_json::{Value, json};
use std::io;

/// Characters of a path that are shown in an error.
const SHOWN_CHARS: usize = 200;

/// A file tool's no: data for the guest, which can act on it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileFault {
    /// The path is not to be used, whatever stands there.
    Refused { path: String, why: &'static str },
    /// Nothing stands there.
    NotFound { path: String },
    /// Something stands there that is no regular file.
    NotAFile { path: String, found: &'static str },
    /// A limit in bytes or entries; nothing was changed.
    TooLarge { path: String, what: &'static str, asked: u64, left: u64, limit: u64 },
    /// The file is no UTF-8.
    NotText { path: String },
    /// `old` is not in the file.
    TextNotFound { path: String },
    /// `old` is in the file more than once.
    TextAmbiguous { path: String, count: usize },
    /// The pattern is no regular expression, or too large a one.
    PatternInvalid { why: String },
    /// The one who asked has gone; nobody reads this.
    Abandoned,
    /// The disk said no.
    Io { path: String, doing: &'static str, kind: io::ErrorKind },
}

impl FileFault {
    /// Sorts an error of the file system. `doing` says what failed, as in "reading".
    pub(crate) fn of(error: &io::Error, doing: &'static str, path: &str) -> Self {
        let refused = |why| Self::Refused { path: path.to_owned(), why };
        match error.kind() {
            // The capability's own no carries no error number; a real EACCES does.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                refused("it leads outside the workspace")
            }
            io::ErrorKind::NotFound => Self::NotFound { path: path.to_owned() },
            io::ErrorKind::IsADirectory => Self::NotAFile { path: path.to_owned(), found: "a directory" },
            io::ErrorKind::NotADirectory => refused("a part of it is a file, not a directory"),
            io::ErrorKind::InvalidFilename => refused("a part of it is too long for a file name"),
            io::ErrorKind::InvalidInput => refused("it cannot be a file name"),
            kind => Self::Io { path: path.to_owned(), doing, kind },
        }
    }

    /// The error a guest gets.
    pub(crate) fn to_error(&self) -> AgentError {
        let (code, message, details) = match self {
            Self::Refused { path, why } => {
                ("path_refused", format!("{}: {why}; use a path inside the workspace", shown(path)), about(path))
            }
            Self::NotFound { path } => {
                ("not_found", format!("{}: no such file; list_files shows what there is", shown(path)), about(path))
            }
            Self::NotAFile { path, found } => {
                ("not_a_file", format!("{} is {found}; only regular files can be used", shown(path)), about(path))
            }
            Self::TooLarge { path, what, asked, left, limit } => (
                "too_large",
                format!("{}: {what}: {asked} asked, {left} left of {limit}; nothing was changed", shown(path)),
                json!({ "path": cut(path), "dimension": what, "asked": asked, "left": left, "limit": limit }),
            ),
            Self::NotText { path } => {
                ("not_text", format!("{} is not UTF-8 text; the file tools handle text only", shown(path)), about(path))
            }
            Self::TextNotFound { path } => (
                "text_not_found",
                format!("{}: `old` does not occur in it; read the file and give the text as it stands", shown(path)),
                about(path),
            ),
            Self::TextAmbiguous { path, count } => (
                "text_ambiguous",
                format!("{}: `old` occurs {count} times; give more of its surroundings", shown(path)),
                json!({ "path": cut(path), "count": count }),
            ),
            Self::PatternInvalid { why } => ("pattern_invalid", format!("`pattern` cannot be used: {why}"), json!({})),
            Self::Abandoned => ("io_error", "the call was given up before it was done".to_owned(), json!({})),
            Self::Io { path, doing, kind } => {
                ("io_error", format!("{doing} {} failed: {kind}", shown(path)), about(path))
            }
        };
        AgentError { code: code.into(), message, details }
    }
}

fn about(path: &str) -> Value {
    json!({ "path": cut(path) })
}

fn shown(path: &str) -> String {
    match path {
        "" => "the workspace".to_owned(),
        _ => format!("`{}`", cut(path).escape_debug()),
    }
}

/// A path of reasonable length as it is, a longer one cut with a mark.
fn cut(path: &str) -> String {
    match path.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", path.get(..at.min(MAX_PATH_BYTES)).unwrap_or_default()),
        None => path.to_owned(),
    }
}
