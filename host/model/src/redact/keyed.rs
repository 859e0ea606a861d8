//! Secrets that a name announces: `password=…`, `api_key: …`, `"secret": "…"`. The form decides how much the value itself
//! must look like one: in settings and JSON hardly, in what may be a sentence or code much.

use super::name::{Sureness, sureness};
use super::scan::Scan;
use super::{Found, Kind, is_marked};

/// Blanks between a name, its sign and its value.
const MAX_BLANKS: usize = 8;
/// Bytes of a value that looks made by chance.
const RANDOM_BYTES: usize = 8;
/// Words that stand where a secret would, in messages, schemas and code.
const NO_SECRETS: [&str; 33] = [
    "null",
    "none",
    "nil",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "empty",
    "unset",
    "set",
    "missing",
    "required",
    "optional",
    "invalid",
    "valid",
    "wrong",
    "incorrect",
    "expired",
    "ok",
    "hidden",
    "redacted",
    "removed",
    "unknown",
    "string",
    "str",
    "text",
    "bytes",
    "int",
    "bool",
    "boolean",
    "number",
];
/// Words before a secret that say how it is used.
const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "digest", "negotiate", "apikey"];

/// Whether a byte belongs to a name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// How name and value are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// `name=value`, or a name in quotes: a setting.
    Setting,
    /// `name = value`, `name := value`: a setting or code.
    Assigned,
    /// `name: value`: a setting, code or a sentence.
    Colon,
}

/// The value that the name beginning at `at` announces, if it is a secret.
pub(crate) fn value(scan: &mut Scan, at: usize) -> Option<Found> {
    let name_end = scan.run_end(at, is_name_byte);
    let sure = sureness(scan.text.get(at..name_end)?)?;
    let quote = quote_at(scan, name_end);
    let (join, start) = join(scan, name_end.saturating_add(quote.len()), !quote.is_empty())?;
    let open = quote_at(scan, start);
    let inner = start.saturating_add(open.len());
    if let Some(end) = closing(scan, inner, open) {
        let value = scan.text.get(inner..end)?;
        let is_sentence = join == Join::Colon && sure == Sureness::Likely;
        let is_secret = is_possible(value) && (!is_sentence || is_random(value));
        return is_secret.then_some(Found { start: inner, end, kind: Kind::Secret });
    }
    let bare = measure(scan, inner);
    let (run, end) = (scan.text.get(inner..bare.end).unwrap_or_default(), bare.end);
    if SCHEMES.iter().any(|scheme| run.eq_ignore_ascii_case(scheme)) && scan.byte(end) == b' ' {
        let next = scan.run_end(end, |byte| byte == b' ');
        let end = measure(scan, next).end;
        return is_credential(scan.text.get(next..end)?).then_some(Found { start: next, end, kind: Kind::Secret });
    }
    let is_secret = is_possible(run) && is_secret_bare(scan, sure, join, run, &bare);
    is_secret.then_some(Found { start: inner, end, kind: Kind::Secret })
}

fn is_secret_bare(scan: &Scan, sure: Sureness, join: Join, run: &str, bare: &Bare) -> bool {
    let start = bare.end.saturating_sub(run.len());
    let has = |last: Option<usize>| last.is_some_and(|last| last >= start);
    let is_call = has(bare.last_bracket);
    match (sure, join) {
        (Sureness::Sure, Join::Setting) => !is_code(scan, run, bare.end),
        (Sureness::Likely, Join::Setting) => {
            !run.bytes().all(|byte| byte.is_ascii_digit()) && !is_code(scan, run, bare.end)
        }
        (Sureness::Sure, Join::Assigned | Join::Colon) => !is_call && (has(bare.last_digit) || is_last(scan, bare.end)),
        (Sureness::Likely | Sureness::Scheme, _) => {
            !is_call && run.len() >= RANDOM_BYTES && has(bare.last_digit) && has(bare.last_letter)
        }
    }
}

/// Whether a line, a list item or the text ends after a value: then it is no word of a sentence.
fn is_last(scan: &Scan, end: usize) -> bool {
    match scan.rest(end).bytes().take(MAX_BLANKS).find(|byte| *byte != b' ') {
        Some(byte) => matches!(byte, b'\n' | b'\r' | b',' | b';' | b'}'),
        None => scan.rest(end).len() < MAX_BLANKS,
    }
}

/// How name and value are joined, and where the value begins.
fn join(scan: &Scan, at: usize, is_quoted: bool) -> Option<(Join, usize)> {
    let blanks = |at: usize| {
        let end = scan.run_end(at, |byte| matches!(byte, b' ' | b'\t'));
        (end.saturating_sub(at) <= MAX_BLANKS).then_some(end)
    };
    let sign = blanks(at)?;
    let rest = scan.rest(sign);
    let (width, is_colon) = if rest.starts_with("==") || rest.starts_with("::") {
        return None;
    } else if rest.starts_with("=>") || rest.starts_with(":=") {
        (2, false)
    } else if rest.starts_with('=') {
        (1, false)
    } else if rest.starts_with(':') {
        (1, true)
    } else {
        return None;
    };
    let after = sign.saturating_add(width);
    let start = blanks(after)?;
    let join = match (is_quoted, is_colon) {
        (true, _) => Join::Setting,
        (false, true) => Join::Colon,
        (false, false) if sign == at && start == after && width == 1 => Join::Setting,
        (false, false) => Join::Assigned,
    };
    Some((join, start))
}

/// The quote at `at`, also one inside JSON text; empty if there is none.
fn quote_at(scan: &Scan, at: usize) -> &'static str {
    ["\\\"", "\"", "'", "`"].into_iter().find(|quote| scan.rest(at).starts_with(quote)).unwrap_or("")
}

/// Where the value that `open` opened ends: before the same quote, on the same line, and not escaped.
fn closing(scan: &Scan, from: usize, open: &str) -> Option<usize> {
    if open.is_empty() {
        return None;
    }
    let mut at = from;
    loop {
        let stop = scan.run_end(at, |byte| !matches!(byte, b'\n' | b'\\' | b'"' | b'\'' | b'`'));
        match scan.byte(stop) {
            _ if scan.rest(stop).starts_with(open) => return Some(stop),
            0 | b'\n' => return None,
            // A string inside JSON text ends at the latest where the text itself does.
            b'"' if open.len() == 2 => return None,
            b'\\' => at = next_char(scan, stop.saturating_add(1)),
            _ => at = stop.saturating_add(1),
        }
    }
}

fn next_char(scan: &Scan, at: usize) -> usize {
    at.saturating_add(scan.rest(at).chars().next().map_or(0, char::len_utf8))
}

/// A value without quotes, and what is in it. One long run may be the value of many names in it: they all end where it
/// ends, and what comes last in it answers for each of them, so that it is read once.
#[derive(Clone, Default)]
pub(crate) struct Bare {
    start: usize,
    end: usize,
    last_digit: Option<usize>,
    last_letter: Option<usize>,
    last_bracket: Option<usize>,
}

/// Measures the value at `at`; what closes a sentence or a bracket around it does not belong to it.
fn measure(scan: &mut Scan, at: usize) -> Bare {
    if !(scan.bare.start..scan.bare.end).contains(&at) {
        let end = scan.run_end(at, |byte| {
            !byte.is_ascii_whitespace()
                && !matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b'<' | b'>' | b'|' | b'\\')
        });
        let run = scan.text.get(at..end).unwrap_or_default().trim_end_matches([')', ']', '}', '.']);
        let last = |of: fn(&u8) -> bool| run.bytes().rposition(|byte| of(&byte)).map(|last| at.saturating_add(last));
        scan.bare = Bare {
            start: at,
            end: at.saturating_add(run.len()),
            last_digit: last(u8::is_ascii_digit),
            last_letter: last(u8::is_ascii_alphabetic),
            last_bracket: last(|byte| matches!(byte, b'(' | b'[' | b'{')),
        };
    }
    scan.bare.clone()
}

/// Whether a value can be a secret at all; one that begins with a bracket is a structure, or already a marker.
fn is_possible(value: &str) -> bool {
    !value.is_empty()
        && !value.starts_with(['{', '[', '(', '='])
        && !is_placeholder(value)
        && !NO_SECRETS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a value only stands for a secret: `${DB_PASSWORD}`, `$TOKEN`, `<password>`, `{{ secret }}`, `%PW%`, `****`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let is_between = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    // A variable may be named like a key and be replaced as one; it is no value even then.
    let is_variable = |name: &str| {
        let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        is_marked(name) || (!name.is_empty() && name.bytes().all(is_name))
    };
    is_between("<", ">")
        || value.starts_with("${")
        || value.starts_with("{{")
        || value.starts_with("$(")
        || value.strip_prefix('$').is_some_and(is_variable)
        || value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')).is_some_and(is_variable)
        || value.chars().all(|c| matches!(c, '*' | '.' | '…' | '•' | '-'))
}

/// Whether a bare value is a call or a look-up: a name, then a bracket that stands open or closes at the end.
fn is_code(scan: &Scan, run: &str, end: usize) -> bool {
    let rest = run.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
    let is_name = run.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && rest.starts_with(['(', '[']);
    is_name && (run.ends_with(['(', '[']) || matches!(scan.byte(end), b')' | b']'))
}

/// Whether a value looks made by chance: letters and digits together.
fn is_random(value: &str) -> bool {
    value.len() >= RANDOM_BYTES && has_digit(value) && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether what follows a scheme is a credential: chance, or base64, which may have no digit.
fn is_credential(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.as_bytes().iter().skip(1).any(of);
    // What has a marker in it was a secret of its own.
    is_possible(value)
        && !value.contains("[redacted:")
        && (is_random(value)
            || value.len() >= 20
            || (value.len() >= 8 && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
            || (value.len() >= 4 && value.ends_with('=')))
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}
