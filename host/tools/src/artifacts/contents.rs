//! Contents as files that are named by the digest of their bytes. Written whole, forced to disk and moved into place: whoever
//! reads finds all of it or nothing. Read against their name: other bytes are an error. Knows digests; knows no name of an
//! artifact, so that none becomes a path.

use sandfork_model::sha256_hex;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// Why a content cannot be handed out.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The file has other bytes than its name says, or none.
    #[error("its stored bytes are not those that were written")]
    Damaged,
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Makes the directory, for its owner alone.
pub(crate) fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Writes a content whose digest is `sha256`.
pub(crate) fn write(directory: &Path, sha256: &str, bytes: &[u8]) -> io::Result<()> {
    let part = directory.join(format!(".{sha256}.part"));
    let mut file = private_file().write(true).create(true).truncate(true).open(&part)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written.and_then(|()| std::fs::rename(&part, directory.join(sha256))) {
        // What did not get into place is nobody's; that it could not be removed as well changes nothing.
        let _ = std::fs::remove_file(&part);
        return Err(error);
    }
    // The name itself must be on disk before a line of the index says that it is there.
    sync_directory(directory)
}

/// Reads a content of `bytes` bytes and holds it against its name.
pub(crate) fn read(directory: &Path, sha256: &str, bytes: u64) -> Result<String, ContentError> {
    let path = directory.join(sha256);
    // Looked at before it is opened: opening a pipe waits for a writer that may never come.
    let file = match std::fs::metadata(&path)
        .and_then(|is| if is.is_file() { File::open(&path).map(Some) } else { Ok(None) })
    {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ContentError::Damaged),
        opened => opened?.ok_or(ContentError::Damaged)?,
    };
    if file.metadata()?.len() != bytes {
        return Err(ContentError::Damaged);
    }
    let mut text = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
    file.take(bytes).read_to_end(&mut text)?;
    if sha256_hex(&text) != sha256 {
        return Err(ContentError::Damaged);
    }
    String::from_utf8(text).map_err(|_| ContentError::Damaged)
}

/// Options for a file that its owner alone may read.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Elsewhere a directory cannot be opened as a file, and the file system orders renames itself.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}
