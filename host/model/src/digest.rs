//! Content digests: the same bytes have the same name everywhere.

use sha2::{Digest as _, Sha256};

/// A sha256 digest in lower-case hex, 64 characters.
pub type Digest = String;

/// The sha256 of `bytes` in lower-case hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> Digest {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(half.into(), 16).unwrap_or('0'));
        }
    }
    text
}
