//! Files of the cache: read only if they are regular and not too large, written whole or not at all. Knows no format.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of files begin that are still being written.
const UNFINISHED: &str = ".unfinished-";

/// Opens a regular file to be read. A link in its place is not followed, nor is anything waited for that is no file.
pub(crate) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let named = fs::symlink_metadata(path)?;
    if !named.is_file() {
        return Err(other("not a regular file"));
    }
    let file = File::open(path)?;
    let opened = file.metadata()?;
    // Between the two looks a link could have come: then this is another file than the one that was named.
    if opened.is_file() && is_same(&named, &opened) {
        return Ok((file, opened));
    }
    Err(other("changed while it was opened"))
}

/// All of an open file of at most `most_bytes`.
pub(crate) fn read(file: &mut File, metadata: &Metadata, most_bytes: u64) -> io::Result<Vec<u8>> {
    if metadata.len() > most_bytes {
        return Err(other("larger than anything that is kept here"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.take(most_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A new file beside others in `dir`, for its owner alone, that `fill` fills and `place` puts in its place. Gone again if either
/// fails.
pub(crate) fn write(
    dir: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
    place: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    private_dir(dir)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = dir.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
    // What another process of this number left behind when it was killed.
    let _ = fs::remove_file(&path);
    let mut file = private_file(&path)?;
    let done = fill(&mut file).and_then(|()| file.flush()).and_then(|()| place(&path));
    if done.is_err() {
        let _ = fs::remove_file(&path);
    }
    done
}

/// Whether a file is one that was never finished.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(UNFINISHED))
}

/// The regular files of a directory with what is known of them; none if there is no directory.
pub(crate) fn list(dir: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    // Another process may take a file away while this one looks.
    let named = entries.filter_map(Result::ok).filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    Ok(named.filter(|(_, metadata)| metadata.is_file()).collect())
}

/// A refusal of this file.
pub(crate) fn other(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

fn private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    // A full disk says so somewhere in the middle: what was there before must still be there, whole.
    #[test]
    fn what_cannot_be_written_whole_is_not_written_at_all() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("entry");
        let put = |unfinished: &Path| fs::rename(unfinished, &path);
        write(home.path(), |file| file.write_all(b"first"), put).expect("written");
        let full = |file: &mut File| {
            file.write_all(b"sec")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert!(write(home.path(), full, put).is_err());
        assert!(write(home.path(), |_| Ok(()), |_| Err(other("no place"))).is_err());
        assert_eq!(fs::read(&path).expect("there"), b"first");
        assert_eq!(list(home.path()).expect("read").len(), 1, "nothing unfinished is left");
    }

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let home = tempfile::tempdir().expect("a directory");
        let (file, link) = (home.path().join("file"), home.path().join("link"));
        fs::write(&file, "12345").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        let (mut opened, metadata) = open(&file).expect("regular");
        assert!(read(&mut opened, &metadata, 4).is_err());
        assert_eq!(read(&mut opened, &metadata, 5).expect("fits"), b"12345");
        for path in [&link, &home.path().to_path_buf(), &"/dev/zero".into(), &home.path().join("none")] {
            assert!(open(path).is_err(), "{}", path.display());
        }
    }
}
