//! The bytes of one entry: compiled code with what was found out about its component, and the MAC over all of it. Bytes in,
//! [`Authentic`] out, or nothing; knows no file.

use crate::cache::key::HostKey;
use crate::cache::mac::{MAC_BYTES, is_same};
use crate::engine::Profile;

/// How an entry begins; the number is the format's.
const MAGIC: &[u8; 8] = b"sfcode1\n";
/// What stands before the code.
const HEAD_BYTES: usize = 96;
/// What the MAC is for, so that the key can never be asked to vouch for something else.
const PURPOSE: &[u8] = b"sandfork compiled code\0";

/// What was found out about a component before it was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The engine it is compiled for.
    pub(crate) profile: Profile,
    /// Whether components are nested in it.
    pub(crate) is_nested: bool,
    /// Fuel of the longest way through one body that passes no fuel check.
    pub(crate) straight_line_fuel: u64,
}

/// What an entry must have been made for, to be believed: for which component under which settings, by which engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made<'a> {
    /// The hash of component, versions and settings: the entry's name.
    pub(crate) name: &'a [u8; MAC_BYTES],
    /// The hash of all that compiled code depends on in an engine and a machine.
    pub(crate) engine: &'a [u8; MAC_BYTES],
}

/// An entry as it was read: not believed yet.
pub(crate) struct Entry(Vec<u8>);

/// Code that this host's key vouches for: it was compiled here, for this component, by this engine, and is the same to the bit.
///
/// Only [`Entry::authentic`] makes one, and the bytes that it looked at are the bytes in here: nothing is read twice.
pub(crate) struct Authentic {
    bytes: Vec<u8>,
}

impl Authentic {
    /// The code.
    pub(crate) fn code(&self) -> &[u8] {
        self.bytes.get(HEAD_BYTES..).unwrap_or_default()
    }
}

impl Entry {
    /// Bytes from anywhere.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The facts as the entry tells them, and as long as they are not believed: they say which engine to ask.
    pub(crate) fn facts(&self) -> Option<Facts> {
        facts(&self.0)
    }

    /// Believes the entry if the key vouches for it.
    pub(crate) fn authentic(self, key: &HostKey, made: Made<'_>) -> Option<Authentic> {
        let head = self.0.get(..HEAD_BYTES)?;
        let told = <&[u8; MAC_BYTES]>::try_from(head.get(8..40)?).ok()?;
        let mac = mac(key, made, &self.0)?;
        is_same(told, &mac).then_some(Authentic { bytes: self.0 })
    }
}

/// What may be told of an entry by its first bytes alone, believed or not: digest of its component, and its profile.
pub(crate) fn told(head: &[u8]) -> Option<(&[u8], Profile)> {
    Some((head.get(40..72)?, facts(head)?.profile))
}

/// The bytes of an entry.
pub(crate) fn sealed(
    key: &HostKey,
    made: Made<'_>,
    component: &[u8; 32],
    facts: Facts,
    code: &[u8],
) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES.checked_add(code.len())?);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[0; MAC_BYTES]);
    bytes.extend_from_slice(component);
    let profile = match facts.profile {
        Profile::Tight => 0,
        Profile::Wide => 1,
    };
    bytes.extend_from_slice(&[profile, facts.is_nested.into(), 0, 0, 0, 0, 0, 0]);
    bytes.extend_from_slice(&facts.straight_line_fuel.to_le_bytes());
    bytes.extend_from_slice(&u64::try_from(code.len()).ok()?.to_le_bytes());
    bytes.extend_from_slice(code);
    let mac = mac(key, made, &bytes)?;
    bytes.get_mut(8..40)?.copy_from_slice(&mac);
    Some(bytes)
}

/// How many bytes stand before the code: enough for [`told`].
pub(crate) fn head_bytes() -> u64 {
    HEAD_BYTES as u64
}

/// The MAC that an entry of these bytes must carry.
fn mac(key: &HostKey, made: Made<'_>, bytes: &[u8]) -> Option<[u8; MAC_BYTES]> {
    let (magic, rest) = (bytes.get(..8)?, bytes.get(40..)?);
    let length = <[u8; 8]>::try_from(bytes.get(88..HEAD_BYTES)?).ok()?;
    let code = u64::try_from(bytes.get(HEAD_BYTES..)?.len()).ok()?;
    // A length of its own, although the MAC covers every byte: a cut entry is told from a forged one by nobody, and need not be.
    (u64::from_le_bytes(length) == code).then(|| key.mac(&[PURPOSE, magic, made.name, made.engine, rest]))
}

fn facts(bytes: &[u8]) -> Option<Facts> {
    if bytes.get(..8)? != MAGIC {
        return None;
    }
    let profile = match bytes.get(72)? {
        0 => Profile::Tight,
        1 => Profile::Wide,
        _ => return None,
    };
    let fuel = <[u8; 8]>::try_from(bytes.get(80..88)?).ok()?;
    Some(Facts { profile, is_nested: *bytes.get(73)? != 0, straight_line_fuel: u64::from_le_bytes(fuel) })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CODE: &[u8] = b"any bytes at all, as long as they are the same";
    const FACTS: Facts = Facts { profile: Profile::Wide, is_nested: true, straight_line_fuel: 41 };

    fn key() -> HostKey {
        let home = tempfile::tempdir().expect("a directory");
        HostKey::of(&home.path().join("key"), true).expect("made")
    }

    fn bytes(key: &HostKey) -> Vec<u8> {
        sealed(key, Made { name: &[1; 32], engine: &[2; 32] }, &[3; 32], FACTS, CODE).expect("fits")
    }

    fn code(key: &HostKey, bytes: Vec<u8>, name: u8, engine: u8) -> Option<Vec<u8>> {
        let made = Made { name: &[name; 32], engine: &[engine; 32] };
        Entry::new(bytes).authentic(key, made).map(|authentic| authentic.code().to_vec())
    }

    #[test]
    fn what_was_sealed_is_believed_and_says_what_it_said() {
        let key = key();
        let bytes = bytes(&key);
        assert_eq!(Entry::new(bytes.clone()).facts(), Some(FACTS));
        assert_eq!(told(&bytes[..HEAD_BYTES]), Some((&[3; 32][..], Profile::Wide)));
        assert_eq!(code(&key, bytes, 1, 2).as_deref(), Some(CODE));
    }

    #[test]
    fn another_name_engine_or_key_believes_nothing_of_it() {
        let here = key();
        let bytes = bytes(&here);
        assert_eq!(code(&here, bytes.clone(), 9, 2), None, "another component, version or setting");
        assert_eq!(code(&here, bytes.clone(), 1, 9), None, "another engine or machine");
        assert_eq!(code(&key(), bytes, 1, 2), None, "another host");
    }

    #[test]
    fn every_truncation_and_every_addition_is_disbelieved() {
        let key = key();
        let whole = bytes(&key);
        for end in 0..whole.len() {
            assert_eq!(code(&key, whole[..end].to_vec(), 1, 2), None, "cut at {end}");
        }
        let mut longer = whole;
        longer.push(0);
        assert_eq!(code(&key, longer, 1, 2), None);
    }

    proptest! {
        // The engine's own reader took 348 of 405 such corruptions: it is never asked about one.
        #[test]
        fn any_flipped_byte_is_disbelieved(at in any::<prop::sample::Index>(), by in 1_u8..) {
            let key = key();
            let mut bytes = bytes(&key);
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            prop_assert_eq!(code(&key, bytes, 1, 2), None);
        }

        #[test]
        fn any_bytes_at_all_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let key = key();
            let _ = (Entry::new(bytes.clone()).facts(), told(&bytes));
            prop_assert_eq!(code(&key, bytes, 1, 2), None);
        }
    }
}
