//! Secrets that their first letters give away: keys of known makers, tokens of three parts, bearers.

use super::scan::Scan;
use super::{Found, Kind};

/// One maker's form: the letters it begins with, then a run.
struct Form {
    prefix: &'static str,
    kind: Kind,
    belongs: fn(u8) -> bool,
    /// Bytes of the run.
    least: usize,
    most: usize,
    /// Whether the run looks made by chance. Holds for a whole run if it holds for an end of it.
    is_random: fn(&str) -> bool,
}

const fn form(prefix: &'static str, kind: Kind, belongs: fn(u8) -> bool, least: usize) -> Form {
    Form { prefix, kind, belongs, least, most: usize::MAX, is_random: |_| true }
}

const FORMS: [Form; 23] = [
    Form { is_random: has_digit_or_long_part, ..form("sk-", Kind::ApiKey, is_token, 12) },
    form("sk_live_", Kind::ApiKey, is_alnum, 12),
    form("sk_test_", Kind::ApiKey, is_alnum, 12),
    form("rk_live_", Kind::ApiKey, is_alnum, 12),
    form("rk_test_", Kind::ApiKey, is_alnum, 12),
    form("ghp_", Kind::GithubToken, is_alnum, 16),
    form("gho_", Kind::GithubToken, is_alnum, 16),
    form("ghu_", Kind::GithubToken, is_alnum, 16),
    form("ghs_", Kind::GithubToken, is_alnum, 16),
    form("ghr_", Kind::GithubToken, is_alnum, 16),
    form("github_pat_", Kind::GithubToken, is_token, 16),
    form("glpat-", Kind::GitlabToken, is_token, 16),
    Form { most: 16, ..form("AKIA", Kind::AwsKey, is_upper_or_digit, 16) },
    Form { most: 16, ..form("ASIA", Kind::AwsKey, is_upper_or_digit, 16) },
    Form { is_random: has_digit, ..form("xoxb-", Kind::SlackToken, is_token, 10) },
    Form { is_random: has_digit, ..form("xoxp-", Kind::SlackToken, is_token, 10) },
    Form { is_random: has_digit, ..form("xoxa-", Kind::SlackToken, is_token, 10) },
    Form { is_random: has_digit, ..form("xoxs-", Kind::SlackToken, is_token, 10) },
    Form { is_random: has_digit, ..form("xoxr-", Kind::SlackToken, is_token, 10) },
    Form { is_random: has_digit, ..form("xapp-", Kind::SlackToken, is_token, 10) },
    form("AIza", Kind::ApiKey, is_token, 30),
    Form { is_random: has_digit, ..form("hf_", Kind::ApiKey, is_alnum, 24) },
    Form { is_random: has_digit, ..form("npm_", Kind::ApiKey, is_alnum, 24) },
];

/// Ends of runs that are known to hold no secret of a form, by the form's place in the table, the last for JWTs.
#[derive(Default)]
pub(crate) struct Dead([usize; FORMS.len()], usize);

/// A secret that begins with the letter at `at`.
pub(crate) fn token(scan: &mut Scan, at: usize) -> Option<Found> {
    if !scan.is_start(at, is_alnum) {
        return None;
    }
    of_a_maker(scan, at).or_else(|| jwt(scan, at)).or_else(|| bearer(scan, at))
}

fn of_a_maker(scan: &mut Scan, at: usize) -> Option<Found> {
    let rest = scan.rest(at);
    let first = scan.byte(at);
    for (index, form) in FORMS.iter().enumerate() {
        // A cheap look at one byte spares most comparisons.
        if form.prefix.as_bytes().first() != Some(&first) || !rest.starts_with(form.prefix) {
            continue;
        }
        let is_dead = scan.dead.0.get(index).is_some_and(|dead| at < *dead);
        if is_dead {
            continue;
        }
        let start = at.saturating_add(form.prefix.len());
        let end = scan.run_end(start, form.belongs);
        let length = end.saturating_sub(start);
        let run = scan.text.get(start..end).unwrap_or_default();
        let is_whole = !is_alnum(scan.byte(end));
        if length >= form.least && length <= form.most && is_whole && (form.is_random)(run) {
            return Some(Found { start: at, end, kind: form.kind });
        }
        if let Some(dead) = scan.dead.0.get_mut(index) {
            *dead = end;
        }
    }
    None
}

/// Three base64url parts with dots between them, the first a JSON object.
fn jwt(scan: &mut Scan, at: usize) -> Option<Found> {
    if !scan.rest(at).starts_with("eyJ") || at < scan.dead.1 {
        return None;
    }
    let first = scan.run_end(at, is_token);
    let second = scan.run_end(first.saturating_add(1), is_token);
    let third = scan.run_end(second.saturating_add(1), is_token);
    let has_dots = scan.byte(first) == b'.' && scan.byte(second) == b'.';
    let is_long = first - at >= 10 && second - first > 8 && third - second > 8;
    if has_dots && is_long {
        return Some(Found { start: at, end: third, kind: Kind::Jwt });
    }
    scan.dead.1 = first;
    None
}

/// `Bearer` and a token; the word itself stays.
fn bearer(scan: &Scan, at: usize) -> Option<Found> {
    if !scan.rest(at).get(..6)?.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let start = scan.run_end(at.saturating_add(6), |byte| byte == b' ');
    if !(1..=4).contains(&start.saturating_sub(at).saturating_sub(6)) {
        return None;
    }
    let is_part = |byte: u8| is_token(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=');
    let end = scan.run_end(start, is_part);
    // A full stop belongs to the sentence.
    let token = scan.text.get(start..end)?.trim_end_matches('.');
    let is_random = token.len() >= 20 || (token.len() >= 8 && has_digit(token));
    is_random.then(|| Found { start, end: start.saturating_add(token.len()), kind: Kind::Bearer })
}

fn is_alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn has_digit(run: &str) -> bool {
    run.bytes().any(|byte| byte.is_ascii_digit())
}

/// Names of styles and packages have short parts and hardly ever a digit.
fn has_digit_or_long_part(run: &str) -> bool {
    has_digit(run) || run.split(['-', '_']).any(|part| part.len() >= 20)
}
