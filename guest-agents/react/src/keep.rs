//! Which words of a text must survive when the text is dropped: names by which something is found again. In doubt a word is
//! kept. Pure, and one pass over the text.

use std::collections::HashSet;

/// Words behind which any word is a name: `error timeout`, `exit code 1`, `order 7`.
const ANNOUNCING: [&str; 16] = [
    "artifact",
    "case",
    "code",
    "errno",
    "error",
    "evidence",
    "exit",
    "invoice",
    "issue",
    "order",
    "ref",
    "reference",
    "signal",
    "status",
    "ticket",
    "see",
];
/// Files without an ending.
const BARE_FILES: [&str; 6] = ["containerfile", "dockerfile", "justfile", "makefile", "procfile", "vagrantfile"];
/// Endings of the names of errors.
const ERROR_ENDINGS: [&str; 6] = ["Error", "Exception", "Failure", "Fault", "Panic", "Timeout"];
/// Bytes of a quoted part that is looked at as a whole.
const QUOTED_BYTES: usize = 256;

/// What is kept: each piece once, in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    order: Vec<String>,
    seen: HashSet<String>,
}

impl Pieces {
    pub(crate) fn push(&mut self, piece: &str) {
        if !piece.is_empty() && self.seen.insert(piece.to_owned()) {
            self.order.push(piece.to_owned());
        }
    }

    pub(crate) fn into_vec(self) -> Vec<String> {
        self.order
    }
}

/// Collects from a text every word that names something.
pub(crate) fn collect(text: &str, pieces: &mut Pieces) {
    quoted(text, pieces);
    let mut is_announced = false;
    for word in text.split(is_separator) {
        let bare = bare(word);
        if bare.is_empty() {
            continue;
        }
        if is_announced || is_name(bare) || is_citation(word) {
            pieces.push(if is_citation(word) { word } else { bare });
        }
        is_announced = ANNOUNCING.contains(&bare.to_ascii_lowercase().as_str());
    }
}

/// Quoted parts with blanks in them that look like a path: word by word they would fall apart.
fn quoted(text: &str, pieces: &mut Pieces) {
    for quote in ['"', '\'', '`'] {
        for part in text.split(quote).skip(1) {
            let has_blank = part.contains(' ') && !part.contains('\n');
            if has_blank && part.len() <= QUOTED_BYTES && is_path(part) {
                pieces.push(part);
            }
        }
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '{' | '}' | '<' | '>')
        || matches!(c, '，' | '。' | '；' | '：' | '、' | '！' | '？' | '（' | '）' | '「' | '」' | '“' | '”')
}

/// A word without what stands around it in a sentence.
fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(['[', '*', '!', '?', ':', '=', '|']);
    word.trim_end_matches([']', '*', '!', '?', ':', '.', '=', '|'])
}

fn is_citation(word: &str) -> bool {
    let inside = word.trim_end_matches(['.', ':']).strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| inside.chars().any(|c| c.is_ascii_digit()))
}

/// A word as a whole, or any part of it as in `path=a.rs` and `code:ENOENT`, names something.
fn is_name(word: &str) -> bool {
    is_path(word) || word.split(['=', ':', '|']).any(|part| is_number(part) || is_code(part) || is_path(part))
}

fn is_path(word: &str) -> bool {
    let has_alphanumeric = word.chars().any(char::is_alphanumeric);
    if word.contains(['/', '\\', '@']) && has_alphanumeric {
        return true;
    }
    if BARE_FILES.contains(&word.to_ascii_lowercase().as_str()) {
        return true;
    }
    // A name with an ending: `a.rs`, `.env`, `archive.tar.gz`; not `1.5`.
    word.rsplit_once('.').is_some_and(|(_, ending)| {
        ending.len() <= 8
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Order numbers and their like: digits with letters, or at least three digits; not `19.90`.
fn is_number(part: &str) -> bool {
    let digits = part.chars().filter(char::is_ascii_digit).count();
    let has_letter = part.chars().any(char::is_alphabetic);
    digits > 0 && (has_letter || part.contains('#') || digits >= 3 && !part.contains('.'))
}

/// `tool_not_granted`, `ENOENT`, `TimeoutError`.
fn is_code(part: &str) -> bool {
    let is_snake = part.trim_matches('_').contains('_');
    let capitals = part.chars().filter(char::is_ascii_uppercase).count();
    let is_shouted = capitals >= 2 && part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
    let is_error = ERROR_ENDINGS.iter().any(|ending| part.ends_with(ending));
    is_snake || is_shouted || is_error
}
