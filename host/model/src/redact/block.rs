//! Secrets with a beginning and an end of their own: private keys in armour, passwords in addresses.

use super::scan::Scan;
use super::{Found, Kind, is_marked, keyed};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Bytes of a label such as `ENCRYPTED PRIVATE KEY`.
const MAX_LABEL_BYTES: usize = 64;

/// A private key in armour that begins at `at`, to its end line; to the end of the text where that is missing.
pub(crate) fn private_key(scan: &Scan, at: usize) -> Option<Found> {
    let rest = scan.rest(at).strip_prefix(BEGIN)?;
    let head = rest.get(..rest.floor_char_boundary(MAX_LABEL_BYTES)).unwrap_or(rest);
    let (label, _) = head.split_once(DASHES)?;
    // Nothing but a plain label counts: another secret inside it would change what it says.
    let is_plain = label.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    if !is_plain || !label.contains("PRIVATE KEY") {
        return None;
    }
    let end = scan.rest(at).split_once(END).and_then(|(body, tail)| {
        let line = tail.get(..tail.floor_char_boundary(MAX_LABEL_BYTES)).unwrap_or(tail);
        let close = line.find(DASHES)?;
        Some(at.saturating_add(body.len()).saturating_add(END.len()).saturating_add(close).saturating_add(DASHES.len()))
    });
    Some(Found { start: at, end: end.unwrap_or(scan.text.len()), kind: Kind::PrivateKey })
}

/// The password of `scheme://user:password@host`, whose `://` is at `at`.
pub(crate) fn url_password(scan: &Scan, at: usize) -> Option<Found> {
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scan.rest(at).starts_with("://") || scan.is_start(at, is_scheme) {
        return None;
    }
    let start = at.saturating_add(3);
    let ends = |byte: u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let end = scan.run_end(start, |byte| !ends(byte));
    let (user_info, _) = scan.text.get(start..end)?.rsplit_once('@')?;
    let (user, password) = user_info.split_once(':')?;
    // A bracket is in no user name; here it is the beginning of a marker.
    if user.contains('[') || password.is_empty() || is_marked(password) || keyed::is_placeholder(password) {
        return None;
    }
    let start = start.saturating_add(user.len()).saturating_add(1);
    Some(Found { start, end: start.saturating_add(password.len()), kind: Kind::Password })
}
