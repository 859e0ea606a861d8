//! A plan's workspace to a run's own copy. Trusts neither what stands in the source nor its size: what is not a regular
//! file, a directory or a link that stays inside is refused by name. Knows nothing of runs.

use cap_fs_ext::{DirExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Limits of one copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyLimits {
    /// Files, directories and links together.
    pub entries: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Directories below the copied one.
    pub depth: usize,
}

impl Default for CopyLimits {
    fn default() -> Self {
        Self { entries: 100_000, bytes: 1 << 30, depth: 64 }
    }
}

/// What a copy came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopySummary {
    /// Regular files.
    pub files: u64,
    /// Directories below the copied one.
    pub directories: u64,
    /// Links.
    pub links: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Copies the tree at `source` to `target`, which must be absent or an empty directory, and not inside `source`.
///
/// Files keep their permission bits (not set-user-id and the like), directories too, but the owner may always write in
/// them, so that a copy can be removed again. Links are copied as links.
///
/// # Errors
/// Names the entry by its path in the tree: a link that leads out, a pipe, socket or device, a limit that was met, or what
/// the file system said. Nothing is left of a target that was made here.
pub fn copy_tree(source: &Path, target: &Path, limits: CopyLimits) -> io::Result<CopySummary> {
    let from = Dir::open_ambient_dir(source, ambient_authority())?;
    let is_new = match std::fs::create_dir(target) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
        Err(error) => return Err(error),
    };
    let copied = copy_into(source, &from, target, limits);
    if copied.is_err() && is_new {
        // The first error is the one to tell.
        drop(std::fs::remove_dir_all(target));
    }
    copied
}

fn copy_into(source: &Path, from: &Dir, target: &Path, limits: CopyLimits) -> io::Result<CopySummary> {
    if target.canonicalize()?.starts_with(source.canonicalize()?) {
        return Err(wrong("the copy of a workspace cannot lie inside the workspace itself".into()));
    }
    let to = Dir::open_ambient_dir(target, ambient_authority())?;
    if to.entries()?.next().is_some() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the target of a copy must be an empty directory"));
    }
    let mut copy = Copy { from, limits, summary: CopySummary::default() };
    copy.directory(&from.try_clone()?, &to, Path::new(""), limits.depth)?;
    Ok(copy.summary)
}

struct Copy<'a> {
    from: &'a Dir,
    limits: CopyLimits,
    summary: CopySummary,
}

impl Copy<'_> {
    /// Recursion is bounded by `depth`, and so are the handles held.
    fn directory(&mut self, from: &Dir, to: &Dir, at: &Path, depth: usize) -> io::Result<()> {
        for entry in from.entries().map_err(|error| named(error, at))? {
            let entry = entry.map_err(|error| named(error, at))?;
            let name = PathBuf::from(entry.file_name());
            let path = at.join(&name);
            let metadata = entry.metadata().map_err(|error| named(error, &path))?;
            self.count(&path)?;
            let copied = if metadata.is_dir() {
                let Some(depth) = depth.checked_sub(1) else {
                    return Err(wrong(format!("`{}` is nested deeper than {}", path.display(), self.limits.depth)));
                };
                self.summary.directories = self.summary.directories.saturating_add(1);
                self.subdirectory(from, to, &name, &path, &metadata, depth)
            } else if metadata.is_symlink() {
                self.summary.links = self.summary.links.saturating_add(1);
                self.link(to, &name, &path)
            } else if metadata.is_file() {
                self.summary.files = self.summary.files.saturating_add(1);
                self.file(from, to, &name, &path)
            } else {
                Err(wrong(format!("`{}` is neither a file nor a directory nor a link", path.display())))
            };
            copied.map_err(|error| named(error, &path))?;
        }
        Ok(())
    }

    fn subdirectory(
        &mut self,
        from: &Dir,
        to: &Dir,
        name: &Path,
        path: &Path,
        metadata: &Metadata,
        depth: usize,
    ) -> io::Result<()> {
        let inner_from = from.open_dir_nofollow(name)?;
        to.create_dir(name)?;
        let inner_to = to.open_dir_nofollow(name)?;
        self.directory(&inner_from, &inner_to, path, depth)?;
        to.set_permissions(name, kept(metadata, 0o700))
    }

    /// A link is asked of the source's own capability: if following it leads out, the capability says so.
    fn link(&self, to: &Dir, name: &Path, path: &Path) -> io::Result<()> {
        match self.from.canonicalize(path) {
            Ok(_) => {}
            // It leads nowhere as yet, but not out.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() => {
                return Err(wrong(format!("`{}` is a link that leads outside the workspace", path.display())));
            }
            Err(error) => return Err(error),
        }
        to.symlink(self.from.read_link(path)?, name)
    }

    fn file(&mut self, from: &Dir, to: &Dir, name: &Path, path: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        // What stands there may have changed since it was looked at: never wait for the other end of a pipe.
        options.read(true).nonblock(true);
        let source = from.open_with(name, &options)?;
        let metadata = source.metadata()?;
        if !metadata.is_file() {
            return Err(wrong(format!("`{}` changed while it was copied", path.display())));
        }
        let mut target = to.open_with(name, OpenOptions::new().write(true).create_new(true))?;
        let left = self.limits.bytes.saturating_sub(self.summary.bytes);
        let bytes = io::copy(&mut source.take(left.saturating_add(1)), &mut target)?;
        if bytes > left {
            return Err(wrong(format!("`{}`: the tree has more than {} bytes", path.display(), self.limits.bytes)));
        }
        self.summary.bytes = self.summary.bytes.saturating_add(bytes);
        target.set_permissions(kept(&metadata, 0))
    }

    fn count(&self, path: &Path) -> io::Result<()> {
        let so_far = self.summary.files.saturating_add(self.summary.directories).saturating_add(self.summary.links);
        if so_far >= self.limits.entries {
            return Err(wrong(format!("`{}`: the tree has more than {} entries", path.display(), self.limits.entries)));
        }
        Ok(())
    }
}

/// The permission bits that a copy keeps, and those it always has.
#[cfg(unix)]
fn kept(metadata: &Metadata, always: u32) -> Permissions {
    use cap_std::fs::PermissionsExt as _;
    Permissions::from_mode((metadata.permissions().mode() & 0o777) | always)
}

#[cfg(not(unix))]
fn kept(metadata: &Metadata, _always: u32) -> Permissions {
    metadata.permissions()
}

fn wrong(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Says where, if the error does not say it itself: only errors of the system lack a place.
fn named(error: io::Error, path: &Path) -> io::Error {
    match error.raw_os_error() {
        Some(_) => io::Error::new(error.kind(), format!("`{}`: {error}", path.display())),
        None => error,
    }
}

#[cfg(test)]
mod tests;
