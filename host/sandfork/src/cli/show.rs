//! What reaches stdout, and what reaches stderr. Stdout carries the answer and nothing else.

use crate::cli::exit::Exit;
use crate::live::screen::Stderr;
use sandfork::Failure;
use serde_json::Value;
use std::io::{self, Write as _};

/// Prints one document on stdout; `exit` if that succeeds.
pub(crate) fn document(document: &Value, exit: Exit) -> Exit {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_else(|_| document.to_string());
    text.push('\n');
    bytes(text.as_bytes(), exit)
}

/// Prints text on stdout; `exit` if that succeeds.
pub(crate) fn text(text: &str, exit: Exit) -> Exit {
    bytes(text.as_bytes(), exit)
}

/// Prints bytes on stdout; `exit` if that succeeds, or if the reader has had enough.
pub(crate) fn bytes(bytes: &[u8], exit: Exit) -> Exit {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(error) => {
            say(&format!("error: cannot write to stdout: {error}"));
            Exit::Broken
        }
    }
}

/// One message on stderr. Where nobody can be told, the exit code has to do.
pub(crate) fn say(message: &str) {
    let _ = Stderr.write_all(format!("{message}\n").as_bytes());
}

/// Tells a failure on stderr, and as a document on stdout where one was asked for.
pub(crate) fn failure(failure: &Failure, is_json: bool, exit: Exit) -> Exit {
    say(&failure.words());
    if is_json { document(&failure.document(), exit) } else { exit }
}
