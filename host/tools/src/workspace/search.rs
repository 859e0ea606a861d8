//! `search_files`: the lines that a regular expression matches. Its work is bounded by pattern and bytes together, never by
//! time, so that the same tree gives the same answer.

use crate::workspace::fault::FileFault;
use crate::workspace::tree::Tree;
use crate::workspace::walk::{Found, walk};
use crate::workspace::watch::Watch;
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

/// Bytes of a pattern.
const MAX_PATTERN_BYTES: usize = 4096;
/// Sizes that a compiled pattern may have, and the bytes of text it may then be tried on: matching takes at worst the
/// product of the two, so the larger the one, the smaller the other.
const EFFORTS: [(usize, usize); 4] =
    [(8 << 10, 32 << 20), (64 << 10, 8 << 20), (256 << 10, 1 << 20), (1 << 20, 256 << 10)];
/// Bytes at the start of a line that are searched; the text of a longer line is no line of prose or code.
const MAX_LINE_BYTES: usize = 8 << 10;
/// Bytes of a matching line that are answered.
const MAX_SHOWN_BYTES: usize = 1024;

pub(crate) fn search(tree: &Tree, pattern: &str, path: &str, watch: &Watch) -> Result<Value, FileFault> {
    let (regex, mut bytes_left) = compile(pattern)?;
    let Found { files, mut is_truncated, mut skipped } = {
        let _shared = tree.shared();
        walk(tree, path, usize::MAX, watch)?
    };
    let mut matches = Vec::new();
    'files: for (path, _) in files {
        // The lock is held for one file at a time and not while matching: a long search keeps nobody from writing.
        let text = {
            let _shared = tree.shared();
            tree.text(&path)
        };
        let text = match text {
            Ok(text) => text,
            Err(FileFault::NotText { .. } | FileFault::TooLarge { .. }) => {
                skipped = skipped.saturating_add(1);
                continue;
            }
            // Gone or changed into something else since the walk.
            Err(FileFault::NotFound { .. } | FileFault::NotAFile { .. } | FileFault::Refused { .. }) => continue,
            Err(fault) => return Err(fault),
        };
        for (number, line) in (1_u64..).zip(text.lines()) {
            if watch.is_abandoned() {
                return Err(FileFault::Abandoned);
            }
            let searched = start(line, MAX_LINE_BYTES);
            is_truncated |= searched.len() < line.len();
            // An empty line costs something too.
            match bytes_left.checked_sub(searched.len().max(1)) {
                Some(left) => bytes_left = left,
                None => {
                    is_truncated = true;
                    break 'files;
                }
            }
            if !regex.is_match(searched) {
                continue;
            }
            if matches.len() >= tree.limits.matches {
                is_truncated = true;
                break 'files;
            }
            let shown = start(line, MAX_SHOWN_BYTES);
            let mut found = json!({ "path": path, "line": number, "text": shown });
            if let (true, Some(found)) = (shown.len() < line.len(), found.as_object_mut()) {
                found.insert("cut".into(), json!(true));
            }
            matches.push(found);
        }
    }
    Ok(json!({ "matches": matches, "truncated": is_truncated, "skipped": skipped }))
}

/// The compiled pattern and the bytes it may be tried on.
fn compile(pattern: &str) -> Result<(Regex, usize), FileFault> {
    let invalid = |why: String| Err(FileFault::PatternInvalid { why });
    if pattern.len() > MAX_PATTERN_BYTES {
        return invalid(format!("it has {} bytes, at most {MAX_PATTERN_BYTES} are read", pattern.len()));
    }
    let mut last = String::new();
    for (size, bytes) in EFFORTS {
        match RegexBuilder::new(pattern).size_limit(size).dfa_size_limit(2 << 20).nest_limit(64).build() {
            Ok(regex) => return Ok((regex, bytes)),
            Err(regex::Error::CompiledTooBig(_)) => {
                last = "compiled it is too large; repeat less, or write (?-u:\\w) where ASCII will do".into()
            }
            // The crate draws the place with lines below the pattern; only its last line says what is wrong.
            Err(error) => {
                let text = error.to_string();
                let line = text.lines().last().unwrap_or_default();
                return invalid(line.trim_start_matches("error: ").chars().take(200).collect());
            }
        }
    }
    invalid(last)
}

/// At most `most` bytes from the start of a line, whole characters.
fn start(line: &str, most: usize) -> &str {
    line.get(..line.floor_char_boundary(most)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_patterns_are_cheap_enough_for_much_text() {
        for pattern in ["VALUE", r"^\s*def \w+", r"TODO|FIXME", r"(?i)error", r"\d{4}-\d{2}-\d{2}", r"[a-z_]+\("] {
            assert!(compile(pattern).expect(pattern).1 >= 8 << 20, "{pattern}");
        }
    }

    #[test]
    fn patterns_that_explode_are_refused_in_bounded_memory() {
        let nested = format!("{}a{}", "(".repeat(2000), ")".repeat(2000));
        let long = "a".repeat(5000);
        for pattern in [r"\w{1000}", "(a{100}){100}{100}", "(", "[z-a]", r"\p{Nope}", &nested, &long, "(?=a)"] {
            let fault = compile(pattern).expect_err(pattern).to_error();
            assert_eq!(fault.code, "pattern_invalid");
            assert!(fault.message.len() < 300, "{}", fault.message);
        }
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(start("aää", 2), "a");
        assert_eq!(start("aää", 3), "aä");
        assert_eq!(start("a", 9), "a");
    }
}
