//! HMAC-SHA256 (RFC 2104), so that nobody without the key can make an entry that is believed. Knows no file and no key's origin.

use sha2::{Digest as _, Sha256};

/// Bytes of a key and of a MAC.
pub(crate) const MAC_BYTES: usize = 32;
/// What the hash takes in at one time.
const BLOCK_BYTES: usize = 64;

/// The MAC of all `parts` in order. Where one part ends is not part of it: callers give parts of fixed sizes, the last excepted.
pub(crate) fn hmac(key: &[u8; MAC_BYTES], parts: &[&[u8]]) -> [u8; MAC_BYTES] {
    let mut inner = Sha256::new();
    inner.update(padded(key, 0x36));
    for part in parts {
        inner.update(part);
    }
    let mut outer = Sha256::new();
    outer.update(padded(key, 0x5c));
    outer.update(inner.finalize());
    outer.finalize().into()
}

/// The plain hash of all `parts` in order.
pub(crate) fn hash(parts: &[&[u8]]) -> [u8; MAC_BYTES] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Whether two MACs are the same, found out in the same time wherever they differ.
pub(crate) fn is_same(one: &[u8; MAC_BYTES], other: &[u8; MAC_BYTES]) -> bool {
    let difference = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(difference) == 0
}

/// The key as one block, each byte xored with `pad`.
fn padded(key: &[u8; MAC_BYTES], pad: u8) -> [u8; BLOCK_BYTES] {
    let mut block = [pad; BLOCK_BYTES];
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
    block
}

/// Takes in what others hash for themselves: all of it, in the order they give it.
#[derive(Default)]
pub(crate) struct Taking(Sha256);

impl Taking {
    /// The hash of what was taken in.
    pub(crate) fn hash(self) -> [u8; MAC_BYTES] {
        self.0.finalize().into()
    }
}

impl std::hash::Hasher for Taking {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Nobody asks for so few bytes of it.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    // RFC 4231, cases 1 and 2 with their keys padded with zeros, as the definition does with short ones.
    #[test]
    fn the_known_answers_come_out() {
        let mut key = [0; MAC_BYTES];
        key[..20].fill(0x0b);
        let told = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(hex(&hmac(&key, &[b"Hi There"])), told);
        assert_eq!(hex(&hmac(&key, &[b"Hi", b" ", b"There"])), told, "parts are one text");
        let mut key = [0; MAC_BYTES];
        key[..4].copy_from_slice(b"Jefe");
        let told = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(&hmac(&key, &[b"what do ya want for nothing?"])), told);
    }

    #[test]
    fn macs_that_differ_anywhere_are_not_the_same() {
        let one = [7; MAC_BYTES];
        assert!(is_same(&one, &one));
        for bit in 0..MAC_BYTES * 8 {
            let mut other = one;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_same(&one, &other), "bit {bit}");
        }
    }
}
