//! Compiled code kept between processes, in files that only this host's key vouches for. Whatever is wrong with one is a miss:
//! the component is compiled again. Knows no component and no pool.

mod entry;
mod file;
mod key;
mod mac;
mod thaw;

pub(crate) use entry::{Entry, Facts, Made};
pub(crate) use mac::{Taking, hash};
pub(crate) use thaw::thaw;

use crate::engine::Profile;
use key::HostKey;
use sandfork_model::Digest;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// What the cache may hold.
#[derive(Clone, Copy, Debug)]
pub struct CacheLimits {
    /// Bytes of all entries together. Whoever was not used for longest goes first.
    pub total_bytes: u64,
    /// Bytes of one entry. The largest language guests known compile to about 40 MiB.
    pub entry_bytes: u64,
    /// Entries: looking through them all must stay quick.
    pub entries: usize,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { total_bytes: 2 << 30, entry_bytes: 512 << 20, entries: 8_192 }
    }
}

/// After how many stored entries all are looked at again: other processes store there too.
const LOOK_ENTRIES: u64 = 32;
/// After what part of the total bytes all are looked at again.
const LOOK_PART: u64 = 16;
/// How old an unfinished file is when nobody can still be writing it.
const UNFINISHED_AGE: Duration = Duration::from_secs(60 * 60);

/// What one entry tells of itself, by its first bytes: nothing that anybody vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    /// Bytes of its file.
    pub size_bytes: u64,
    /// sha256 of the component.
    pub digest: Digest,
    /// `script` or `language guest`: which engine it was compiled for.
    pub profile: &'static str,
    /// When it was last loaded, or made.
    pub last_used: SystemTime,
}

/// The cache of one directory. Any number of processes may share it.
#[derive(Debug)]
pub struct CodeCache {
    code: PathBuf,
    key: PathBuf,
    limits: CacheLimits,
    /// The key of this process, once it was read or made.
    known: Mutex<Option<HostKey>>,
    /// Bytes and entries stored since all were looked at; `None` before the first look.
    unlooked: Mutex<Option<(u64, u64)>>,
    has_warned: AtomicBool,
}

impl std::fmt::Debug for HostKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HostKey")
    }
}

impl CodeCache {
    /// Names the directory: the key is `key` in it, entries are below `code`. Nothing is made before something is kept.
    #[must_use]
    pub fn open(dir: impl AsRef<Path>) -> Self {
        Self::with_limits(dir, CacheLimits::default())
    }

    /// As [`Self::open`], with other limits.
    #[must_use]
    pub fn with_limits(dir: impl AsRef<Path>, limits: CacheLimits) -> Self {
        let dir = dir.as_ref();
        Self {
            code: dir.join("code"),
            key: dir.join("key"),
            limits,
            known: Mutex::default(),
            unlooked: Mutex::default(),
            has_warned: AtomicBool::new(false),
        }
    }

    /// What is in it, the one used last first. An entry that cannot be read as one is left out.
    ///
    /// # Errors
    /// When the directory cannot be read; one that is not there is empty.
    pub fn entries(&self) -> io::Result<Vec<CacheEntry>> {
        let mut entries: Vec<CacheEntry> = file::list(&self.code)?
            .into_iter()
            .filter(|(path, _)| !file::is_unfinished(path))
            .filter_map(|(path, metadata)| entry_of(&path, &metadata).ok().flatten())
            .collect();
        entries.sort_by(|a, b| b.last_used.cmp(&a.last_used).then_with(|| a.digest.cmp(&b.digest)));
        Ok(entries)
    }

    /// Removes every entry, and whatever was left unfinished. Answers how many files that were.
    ///
    /// # Errors
    /// The first file that could not be removed; the others are gone.
    pub fn clear(&self) -> io::Result<usize> {
        let files = file::list(&self.code)?;
        let removed: Vec<io::Result<()>> = files.iter().map(|(path, _)| fs::remove_file(path)).collect();
        let count = removed.iter().filter(|removed| removed.is_ok()).count();
        let lost = |error: &io::Error| error.kind() != io::ErrorKind::NotFound;
        match removed.into_iter().filter_map(Result::err).find(lost) {
            Some(error) => Err(error),
            None => Ok(count),
        }
    }

    /// The entry of this name, not believed yet; `None` if there is none that could be.
    pub(crate) fn find(&self, name: &[u8; 32]) -> Option<Entry> {
        let path = self.path(name);
        let read = || {
            let (mut file, metadata) = file::open(&path)?;
            let bytes = file::read(&mut file, &metadata, self.limits.entry_bytes)?;
            // Where this cannot be set it only goes earlier than it should.
            let _ = file.set_modified(SystemTime::now());
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Some(Entry::new(bytes)),
            Err(error) => {
                self.missed(&path, &error);
                None
            }
        }
    }

    /// The key, as long as it is there and private.
    pub(crate) fn key(&self, make: bool) -> Option<HostKey> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            match HostKey::of(&self.key, make) {
                Ok(key) => *known = Some(key),
                Err(error) => self.missed(&self.key, &error),
            }
        }
        known.clone()
    }

    /// Keeps code that the engine has just given for a component.
    pub(crate) fn keep(&self, made: Made<'_>, component: &[u8; 32], facts: Facts, code: &[u8]) {
        let Some(key) = self.key(true) else { return };
        let Some(bytes) = entry::sealed(&key, made, component, facts, code) else { return };
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > self.limits.entry_bytes.min(self.limits.total_bytes) {
            return;
        }
        let path = self.path(made.name);
        let put = |unfinished: &Path| fs::rename(unfinished, &path);
        let kept = file::write(&self.code, |file| file.write_all(&bytes), put);
        if let Err(error) = kept {
            self.missed(&path, &error);
        }
        if self.is_look_due(size) {
            self.make_room();
        }
    }

    /// Whether so much was stored that all entries are to be looked at again; says so once.
    fn is_look_due(&self, size: u64) -> bool {
        let mut unlooked = self.unlooked.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = unlooked.map(|(bytes, entries)| (bytes.saturating_add(size), entries.saturating_add(1)));
        let is_due = sum.is_none_or(|(bytes, entries)| {
            bytes >= self.limits.total_bytes / LOOK_PART || entries >= LOOK_ENTRIES.min(self.limits.entries as u64)
        });
        *unlooked = if is_due { Some((0, 0)) } else { sum };
        is_due
    }

    /// Removes what was used longest ago until the rest keeps to the limits. What another process removes meanwhile is gone too.
    pub(crate) fn make_room(&self) {
        let Ok(mut files) = file::list(&self.code) else { return };
        let age = |modified: SystemTime| SystemTime::now().duration_since(modified).unwrap_or_default();
        let used = |metadata: &fs::Metadata| metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.sort_by_key(|(_, metadata)| std::cmp::Reverse(used(metadata)));
        let (mut bytes, mut count) = (0_u64, 0_usize);
        for (path, metadata) in files {
            bytes = bytes.saturating_add(metadata.len());
            count = count.saturating_add(1);
            let is_left_over = file::is_unfinished(&path) && age(used(&metadata)) > UNFINISHED_AGE;
            if is_left_over || bytes > self.limits.total_bytes || count > self.limits.entries {
                let _ = fs::remove_file(&path);
                bytes = bytes.saturating_sub(metadata.len());
                count = count.saturating_sub(1);
            }
        }
    }

    fn path(&self, name: &[u8; 32]) -> PathBuf {
        self.code.join(hex(name))
    }

    /// A miss is never worth more than a word; one that will happen again every time is worth a louder one, once.
    fn missed(&self, path: &Path, error: &io::Error) {
        if error.kind() == io::ErrorKind::NotFound {
            return;
        }
        let path = path.display();
        if self.has_warned.swap(true, Ordering::AcqRel) {
            tracing::debug!(%path, %error, "compiled code cannot be kept or found");
        } else {
            tracing::warn!(%path, %error, "compiled code cannot be kept or found; it is compiled every time");
        }
    }
}

fn entry_of(path: &Path, metadata: &fs::Metadata) -> io::Result<Option<CacheEntry>> {
    let mut head = Vec::new();
    File::open(path)?.take(entry::head_bytes()).read_to_end(&mut head)?;
    let last_used = metadata.modified()?;
    Ok(entry::told(&head).map(|(digest, profile)| CacheEntry {
        size_bytes: metadata.len(),
        digest: hex(digest),
        profile: match profile {
            Profile::Tight => "script",
            Profile::Wide => "language guest",
        },
        last_used,
    }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
