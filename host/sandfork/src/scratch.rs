//! A private directory for what is needed only for a moment; gone with its value.

use crate::error::HostError;
use crate::run_dir::private_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers the directories of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A directory of this value alone.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes one below `parent`, which is made where it is not there.
    pub(crate) fn below(parent: &Path) -> Result<Self, HostError> {
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::path::absolute(parent.join(name)).unwrap_or_else(|_| parent.to_owned());
        // What a process of the same number left when it was killed.
        let _ = fs::remove_dir_all(&path);
        let failed = |error| HostError::broken(format!("{} cannot be made: {error}", path.display()));
        private_dir(true).create(&path).map_err(failed)?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, HostError> {
        let path = self.path.join(name);
        fs::write(&path, bytes)
            .map_err(|error| HostError::broken(format!("{} cannot be written: {error}", path.display())))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left: it is private, and below the state directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}
