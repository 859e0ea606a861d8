//! Where a path leads inside the workspace. Whether it leads out is decided by the directory capability alone; what is
//! checked here on the text is only what no file system takes.

use crate::workspace::fault::FileFault;
use crate::workspace::tree::{Spent, Tree};
use cap_std::fs::Permissions;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Bytes of a path, the terminating NUL of the file system included.
pub(crate) const MAX_PATH_BYTES: usize = 4096;

/// A place for a regular file: a directory of the workspace, and a name in it that is no link.
pub(crate) struct Place {
    pub(crate) parent: PathBuf,
    pub(crate) name: PathBuf,
    /// The permissions of the file that stands there; `None` if there is none yet.
    pub(crate) standing: Option<Permissions>,
}

/// Refuses what is no path anywhere.
pub(crate) fn check(path: &str) -> Result<(), FileFault> {
    let why = if path.is_empty() {
        "it is empty"
    } else if path.len() >= MAX_PATH_BYTES {
        "it is longer than 4095 bytes"
    } else if path.contains('\0') {
        "it contains a NUL character"
    } else {
        return Ok(());
    };
    Err(FileFault::Refused { path: path.to_owned(), why })
}

impl Tree {
    /// Finds where `path` leads, through links that stay inside. Nothing is made.
    pub(crate) fn place(&self, path: &str) -> Result<Place, FileFault> {
        check(path)?;
        let fault = |error: io::Error| FileFault::of(&error, "finding", path);
        let refused = |why| FileFault::Refused { path: path.to_owned(), why };
        match self.root.canonicalize(path) {
            Ok(found) => {
                let metadata = self.root.symlink_metadata(&found).map_err(fault)?;
                let (Some(parent), Some(name), true) = (found.parent(), found.file_name(), metadata.is_file()) else {
                    let found = if metadata.is_dir() { "a directory" } else { "neither a file nor a directory" };
                    return Err(FileFault::NotAFile { path: path.to_owned(), found });
                };
                if metadata.permissions().readonly() {
                    return Err(refused("it is read-only"));
                }
                Ok(Place { parent: or_here(parent), name: name.into(), standing: Some(metadata.permissions()) })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.root.symlink_metadata(path).is_ok() {
                    return Err(refused("it is a symbolic link that leads nowhere"));
                }
                let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
                match Path::new(name).components().next() {
                    Some(Component::Normal(_)) => {
                        Ok(Place { parent: or_here(Path::new(parent)), name: name.into(), standing: None })
                    }
                    _ => Err(refused("it names a directory")),
                }
            }
            Err(error) => Err(fault(error)),
        }
    }

    /// Makes the directories that are missing on the way to `parent`, counting each.
    pub(crate) fn make_parents(&self, parent: &Path, path: &str, spent: &mut Spent) -> Result<(), FileFault> {
        let fault = |error: io::Error| FileFault::of(&error, "making the directory of", path);
        match self.root.metadata(parent) {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(_) => {
                return Err(FileFault::Refused {
                    path: path.to_owned(),
                    why: "a part of it is a file, not a directory",
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(fault(error)),
        }
        // A missing directory is made only where its name is plain: `new/..` would leave litter behind.
        if parent.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(FileFault::NotFound { path: path.to_owned() });
        }
        if parent.components().count() > self.limits.depth {
            return Err(FileFault::Refused { path: path.to_owned(), why: "it is nested too deeply" });
        }
        let mut missing = Vec::new();
        for at in parent.ancestors().filter(|at| !at.as_os_str().is_empty()) {
            match self.root.metadata(at) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(at),
                Err(error) => return Err(fault(error)),
            }
        }
        // The file itself is counted with its directories, so that a call that cannot end well makes none of them.
        self.check_created(spent, u64::try_from(missing.len()).unwrap_or(u64::MAX).saturating_add(1), path)?;
        for at in missing.into_iter().rev() {
            match self.root.create_dir(at) {
                Ok(()) => spent.created_entries = spent.created_entries.saturating_add(1),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fault(error)),
            }
        }
        Ok(())
    }
}

fn or_here(parent: &Path) -> PathBuf {
    if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_path_buf() }
}
