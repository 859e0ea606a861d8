//! Files of a project: read with a bound, written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// At most `most_bytes` of a regular file; a larger one is an error. Anything else could be without end.
pub(crate) fn read_bounded(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read <= most_bytes) {
        return Ok(bytes);
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {most_bytes} bytes")))
}

/// Beside its place first, so that what is there is never half of something new.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    };
    let unfinished = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    })
}

/// An I/O error in words that do not depend on the operating system, where they need not.
pub(crate) fn cause(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}
