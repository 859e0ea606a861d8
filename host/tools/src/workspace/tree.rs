//! One directory as a capability, with its lock and its limits. Everything here is blocking, and nothing here takes an
//! ambient path but [`Tree::open`].

use crate::workspace::WorkspaceLimits;
use crate::workspace::fault::FileFault;
use crate::workspace::place::{self, Place};
use crate::workspace::watch::Watch;
use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tempfile::TempDir;

/// Names tried for the file that a write prepares; only a guest's own files can stand in the way of one.
const STAGE_NAMES: u32 = 64;

/// What writing has used up so far.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    pub(crate) written_bytes: u64,
    pub(crate) created_entries: u64,
}

/// The directory behind the file tools.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Dir,
    pub(crate) limits: WorkspaceLimits,
    /// Held shared by every look at the tree and alone by every change: two edits of one file follow one another, and
    /// nobody sees a file half prepared.
    spent: RwLock<Spent>,
    /// Keeps a temporary directory alive as long as the tree.
    _temporary: Option<TempDir>,
}

impl Tree {
    /// Opens an existing directory.
    pub(crate) fn open(path: &Path, limits: WorkspaceLimits) -> io::Result<Self> {
        let root = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self { root, limits, spent: RwLock::default(), _temporary: None })
    }

    /// Makes an empty directory that is removed with the tree.
    pub(crate) fn temporary(limits: WorkspaceLimits) -> io::Result<Self> {
        let temporary = TempDir::with_prefix("sandfork-")?;
        let tree = Self::open(temporary.path(), limits)?;
        Ok(Self { _temporary: Some(temporary), ..tree })
    }

    /// The right to look.
    pub(crate) fn shared(&self) -> RwLockReadGuard<'_, Spent> {
        self.spent.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to change.
    pub(crate) fn alone(&self) -> RwLockWriteGuard<'_, Spent> {
        self.spent.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a regular file as text. The caller holds the lock.
    pub(crate) fn text(&self, path: &str) -> Result<String, FileFault> {
        place::check(path)?;
        let fault = |error: io::Error| FileFault::of(&error, "reading", path);
        // Looked at before it is opened, because opening a device can do something; opened without blocking and looked at
        // again through the handle, because what stands there may have changed in between.
        check_regular(&self.root.metadata(path).map_err(fault)?, path)?;
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true);
        let file = self.root.open_with(path, &options).map_err(fault)?;
        let metadata = file.metadata().map_err(fault)?;
        check_regular(&metadata, path)?;
        let limit = self.limits.file_bytes;
        let too_large =
            |asked| FileFault::TooLarge { path: path.to_owned(), what: "bytes of one file", asked, left: limit, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        let count = file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(fault)?;
        match u64::try_from(count) {
            Ok(count) if count <= limit => {}
            _ => return Err(too_large(limit.saturating_add(1))),
        }
        String::from_utf8(bytes).map_err(|_| FileFault::NotText { path: path.to_owned() })
    }

    /// Puts `text` at a place, whole or not at all. The caller holds the lock alone.
    ///
    /// The text goes into a new file beside the old one, which is then renamed over it: a reader sees the old or the new
    /// text, and whatever link is put at the place meanwhile is replaced, never followed.
    pub(crate) fn put(
        &self,
        at: &Place,
        text: &str,
        path: &str,
        spent: &mut Spent,
        watch: &Watch,
    ) -> Result<(), FileFault> {
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.check_written(spent, bytes, path)?;
        if at.standing.is_none() {
            self.make_parents(&at.parent, path, spent)?;
            self.check_created(spent, 1, path)?;
        }
        let fault = |error: io::Error| FileFault::of(&error, "writing", path);
        let parent = self.root.open_dir(&at.parent).map_err(fault)?;
        let (stage, mut file) = stage(&parent).map_err(fault)?;
        spent.written_bytes = spent.written_bytes.saturating_add(bytes);
        let done = file
            .write_all(text.as_bytes())
            .and_then(|()| keep_permissions(&file, at.standing.clone()))
            .map_err(fault)
            .and_then(|()| if watch.is_abandoned() { Err(FileFault::Abandoned) } else { Ok(()) })
            .and_then(|()| parent.rename(&stage, &parent, &at.name).map_err(fault));
        match done {
            Ok(()) if at.standing.is_none() => spent.created_entries = spent.created_entries.saturating_add(1),
            Ok(()) => {}
            // The first error is the one to tell; what cannot be removed either stays behind with its telling name.
            Err(_) => drop(parent.remove_file(&stage)),
        }
        done
    }

    fn check_written(&self, spent: &Spent, bytes: u64, path: &str) -> Result<(), FileFault> {
        let too_large =
            |what, left, limit| FileFault::TooLarge { path: path.to_owned(), what, asked: bytes, left, limit };
        let left = self.limits.written_bytes.saturating_sub(spent.written_bytes);
        if bytes > self.limits.file_bytes {
            return Err(too_large("bytes of one file", self.limits.file_bytes, self.limits.file_bytes));
        }
        if bytes > left {
            return Err(too_large("bytes written in this workspace", left, self.limits.written_bytes));
        }
        Ok(())
    }

    /// Whether `count` more files and directories may be made.
    pub(crate) fn check_created(&self, spent: &Spent, count: u64, path: &str) -> Result<(), FileFault> {
        let limit = self.limits.created_entries;
        let left = limit.saturating_sub(spent.created_entries);
        if count > left {
            let what = "files and directories made in this workspace";
            return Err(FileFault::TooLarge { path: path.to_owned(), what, asked: count, left, limit });
        }
        Ok(())
    }
}

fn check_regular(metadata: &cap_std::fs::Metadata, path: &str) -> Result<(), FileFault> {
    match metadata.is_file() {
        true => Ok(()),
        false => {
            let found = if metadata.is_dir() { "a directory" } else { "neither a file nor a directory" };
            Err(FileFault::NotAFile { path: path.to_owned(), found })
        }
    }
}

/// A new file under a name that is free.
fn stage(parent: &Dir) -> io::Result<(PathBuf, cap_std::fs::File)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..STAGE_NAMES {
        let name = PathBuf::from(format!(".sandfork-write-{number}"));
        match parent.open_with(&name, &options) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

fn keep_permissions(file: &cap_std::fs::File, standing: Option<Permissions>) -> io::Result<()> {
    match standing {
        Some(permissions) => file.set_permissions(permissions),
        None => Ok(()),
    }
}
