//! Regular files below a directory, in the order of their paths, within limits. Follows no link and opens no file.

use crate::workspace::fault::FileFault;
use crate::workspace::place;
use crate::workspace::tree::Tree;
use crate::workspace::watch::Watch;
use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use std::io;
use std::path::Path;

/// What a walk came to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Path from the workspace's own directory, parts joined by `/`, and size in bytes; sorted by path.
    pub(crate) files: Vec<(String, u64)>,
    /// Whether a limit left something out.
    pub(crate) is_truncated: bool,
    /// Entries whose name is no UTF-8: a guest could not name them.
    pub(crate) skipped: u64,
}

struct Walk<'a> {
    found: Found,
    entries_left: usize,
    most_files: usize,
    watch: &'a Watch,
}

/// The files at and below `path`, at most `most_files` of them. The caller holds the lock.
pub(crate) fn walk(tree: &Tree, path: &str, most_files: usize, watch: &Watch) -> Result<Found, FileFault> {
    place::check(path)?;
    let fault = |error: io::Error| FileFault::of(&error, "listing", path);
    let start = tree.root.canonicalize(path).map_err(fault)?;
    let name = match portable(&start) {
        Some(name) => name,
        None => return Err(FileFault::Refused { path: path.to_owned(), why: "it leads to a name that is not UTF-8" }),
    };
    let mut walk = Walk { found: Found::default(), entries_left: tree.limits.visited_entries, most_files, watch };
    let metadata = tree.root.symlink_metadata(&start).map_err(fault)?;
    if metadata.is_file() {
        walk.found.files.push((name, metadata.len()));
    } else if metadata.is_dir() {
        let dir = tree.root.open_dir(&start).map_err(fault)?;
        let prefix = if name.is_empty() { name } else { format!("{name}/") };
        walk.descend(&dir, &prefix, tree.limits.depth, fault)?;
    } else {
        return Err(FileFault::NotAFile { path: path.to_owned(), found: "neither a file nor a directory" });
    }
    Ok(walk.found)
}

impl Walk<'_> {
    /// Recursion is bounded by `depth`, and so are the handles held.
    fn descend(
        &mut self,
        dir: &Dir,
        prefix: &str,
        depth: usize,
        fault: impl Fn(io::Error) -> FileFault + Copy,
    ) -> Result<(), FileFault> {
        if self.watch.is_abandoned() {
            return Err(FileFault::Abandoned);
        }
        let mut entries = Vec::new();
        for entry in dir.entries().map_err(fault)? {
            let Some(left) = self.entries_left.checked_sub(1) else {
                self.found.is_truncated = true;
                break;
            };
            self.entries_left = left;
            let entry = entry.map_err(fault)?;
            let Ok(name) = entry.file_name().into_string() else {
                self.found.skipped = self.found.skipped.saturating_add(1);
                continue;
            };
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                // Gone since the directory was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(fault(error)),
            };
            // With the `/` in the key, going down in this order is the order of whole paths.
            match (metadata.is_dir(), metadata.is_file()) {
                (true, _) => entries.push((format!("{name}/"), None)),
                (_, true) => entries.push((name, Some(metadata.len()))),
                _ => {}
            }
        }
        entries.sort_unstable();
        for (name, bytes) in entries {
            if self.found.files.len() >= self.most_files {
                self.found.is_truncated = true;
                return Ok(());
            }
            match bytes {
                Some(bytes) => self.found.files.push((format!("{prefix}{name}"), bytes)),
                None if depth == 0 => self.found.is_truncated = true,
                None => match dir.open_dir_nofollow(name.trim_end_matches('/')) {
                    Ok(below) => self.descend(&below, &format!("{prefix}{name}"), depth.saturating_sub(1), fault)?,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(fault(error)),
                },
            }
        }
        Ok(())
    }
}

/// A path inside the workspace with `/` between its parts on every system; empty for the workspace itself.
fn portable(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .filter(|part| matches!(part, std::path::Component::Normal(_)))
        .map(|part| part.as_os_str().to_str())
        .collect();
    parts.map(|parts| parts.join("/"))
}
