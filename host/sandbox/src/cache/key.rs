//! The host's own key: 32 random bytes in a file that only its owner can read. Made once; what it is for is not known here.

use crate::cache::file;
use crate::cache::mac::{MAC_BYTES, hmac};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// Where random bytes come from.
const RANDOM: &str = "/dev/urandom";

/// A key that belongs to this host alone.
#[derive(Clone)]
pub(crate) struct HostKey([u8; MAC_BYTES]);

impl HostKey {
    /// The key of `path`; made if there is none and `make` is set.
    ///
    /// # Errors
    /// When there is none, or one that others could know: then nothing that it vouches for is believed.
    pub(crate) fn of(path: &Path, make: bool) -> io::Result<Self> {
        match Self::read(path) {
            Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                Self::make(path)?;
                Self::read(path)
            }
            read => read,
        }
    }

    /// The MAC of all `parts`.
    pub(crate) fn mac(&self, parts: &[&[u8]]) -> [u8; MAC_BYTES] {
        hmac(&self.0, parts)
    }

    fn read(path: &Path) -> io::Result<Self> {
        let (mut file, metadata) = file::open(path)?;
        let place = private_place(&metadata)?;
        let bytes = file::read(&mut file, &metadata, MAC_BYTES as u64)?;
        let secret = <[u8; MAC_BYTES]>::try_from(bytes).map_err(|_| file::other("a key has 32 bytes"))?;
        Ok(Self(hmac(&secret, &[b"sandfork compiled code, key of this file\0", &place])))
    }

    /// Puts a new key in place. Whoever comes second leaves the first one's there.
    fn make(path: &Path) -> io::Result<()> {
        let mut secret = [0; MAC_BYTES];
        File::open(RANDOM)?.read_exact(&mut secret)?;
        let dir = path.parent().ok_or_else(|| file::other("a key lies in a directory"))?;
        file::write(
            dir,
            |file| file.write_all(&secret),
            |unfinished| {
                // A link instead of a renaming: it never replaces what is there.
                let linked = fs::hard_link(unfinished, path);
                let _ = fs::remove_file(unfinished);
                match linked {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                    linked => linked,
                }
            },
        )
    }
}

/// What tells this very file from any other, and nobody can choose: its number, and when it was born. Mixed into the key, so that
/// a key which came with an archive, a clone or a copied directory vouches for nothing here, whoever knows its bytes.
#[cfg(unix)]
fn private_place(metadata: &Metadata) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::MetadataExt as _;
    if metadata.mode() & 0o077 != 0 {
        return Err(file::other("others may read or write it (hint: chmod 600, or remove it)"));
    }
    if metadata.uid() != own_user()? {
        return Err(file::other("it belongs to another user"));
    }
    let nanos =
        |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).map_or(0, |age| age.as_nanos());
    // Where births are not kept, the last change stands for it: nobody can set that one either.
    let changed = || {
        let (seconds, nanos) = (u64::try_from(metadata.ctime()), u64::try_from(metadata.ctime_nsec()));
        u128::from(seconds.unwrap_or_default()) * 1_000_000_000 + u128::from(nanos.unwrap_or_default())
    };
    let born = metadata.created().map_or_else(|_| changed(), nanos);
    let numbers = [u128::from(metadata.dev()), u128::from(metadata.ino()), u128::from(metadata.uid()), born];
    Ok(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

#[cfg(not(unix))]
fn private_place(_: &Metadata) -> io::Result<Vec<u8>> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Who this process is: the owner of what it makes.
#[cfg(unix)]
fn own_user() -> io::Result<u32> {
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt as _;
    let (reader, _writer) = io::pipe()?;
    Ok(File::from(OwnedFd::from(reader)).metadata()?.uid())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mac(key: &HostKey) -> [u8; MAC_BYTES] {
        key.mac(&[b"x"])
    }

    fn home() -> (tempfile::TempDir, std::path::PathBuf) {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("cache").join("key");
        (home, path)
    }

    #[test]
    fn a_key_is_made_once_and_for_its_owner_alone() {
        let (_home, path) = home();
        assert!(HostKey::of(&path, false).is_err(), "nothing is made by looking");
        let first = HostKey::of(&path, true).expect("made");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&path).expect("there").len(), 32);
        assert_eq!(mac(&HostKey::of(&path, true).expect("there")), mac(&first));
        let left = fs::read_dir(path.parent().expect("a parent")).expect("there").count();
        assert_eq!(left, 1, "nothing unfinished is left");
    }

    #[test]
    fn two_that_make_a_key_at_once_have_the_same() {
        let (_home, path) = home();
        let makers: Vec<_> = (0..8)
            .map(|_| {
                let path = path.clone();
                std::thread::spawn(move || HostKey::of(&path, true).map(|key| mac(&key)))
            })
            .collect();
        let known = mac(&HostKey::of(&path, true).expect("made"));
        for maker in makers {
            assert_eq!(maker.join().expect("no panic").expect("made"), known);
        }
    }

    #[test]
    fn a_key_that_others_may_know_is_none() {
        let (_home, path) = home();
        let known = mac(&HostKey::of(&path, true).expect("made"));
        for mode in [0o644, 0o640, 0o606, 0o620, 0o602] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            assert!(HostKey::of(&path, true).is_err(), "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        assert_eq!(mac(&HostKey::of(&path, true).expect("private again")), known);
    }

    // A state directory can come with a clone or an archive, key and code in it: the same bytes in another file are another key.
    #[test]
    fn a_copied_key_is_another_key() {
        let (home, path) = home();
        let known = mac(&HostKey::of(&path, true).expect("made"));
        let copy = home.path().join("copy");
        fs::copy(&path, &copy).expect("copied");
        assert_eq!(fs::read(&path).expect("there"), fs::read(&copy).expect("there"));
        assert_ne!(mac(&HostKey::of(&copy, false).expect("private")), known);
    }

    #[test]
    fn what_is_no_key_is_none_and_stays_as_it_is() {
        let (home, path) = home();
        HostKey::of(&path, true).expect("made");
        let elsewhere = home.path().join("elsewhere");
        fs::rename(&path, &elsewhere).expect("moved");
        symlink(&elsewhere, &path).expect("linked");
        assert!(HostKey::of(&path, true).is_err(), "a link is not followed");
        fs::remove_file(&path).expect("removed");
        for bytes in [&b""[..], b"short", &[7; 33]] {
            fs::write(&path, bytes).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
            assert!(HostKey::of(&path, true).is_err(), "{} bytes", bytes.len());
            assert_eq!(fs::read(&path).expect("there"), bytes);
        }
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        assert!(HostKey::of(&path, true).is_err(), "a directory is none");
    }
}
