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
    let mut word = Word::default();
    for (at, c) in text.char_indices() {
        // Most of what is gone through are small letters; fuel is counted by the instruction.
        if c.is_ascii_lowercase() {
            continue;
        }
        if is_separator(c) {
            word.end(text, at, pieces);
            word.start = at + c.len_utf8();
        } else {
            word.is_plain &= c.is_ascii_uppercase() && at == word.start;
        }
    }
    word.end(text, text.len(), pieces);
}

/// The word that is being gone through.
struct Word {
    start: usize,
    /// Small letters, behind a capital at most: hardly ever a name.
    is_plain: bool,
    /// The word before it announces a name.
    is_announced: bool,
}

impl Default for Word {
    fn default() -> Self {
        Self { start: 0, is_plain: true, is_announced: false }
    }
}

impl Word {
    fn end(&mut self, text: &str, end: usize, pieces: &mut Pieces) {
        let word = text.get(self.start..end).unwrap_or_default();
        let is_plain = std::mem::replace(&mut self.is_plain, true);
        let bare = if is_plain { word } else { bare(word) };
        if bare.is_empty() {
            return;
        }
        if self.is_announced || if is_plain { is_plain_name(bare) } else { is_name(bare) || is_citation(word) } {
            pieces.push(if is_citation(word) { word } else { bare });
        }
        self.is_announced = ANNOUNCING.iter().any(|announcing| announcing.eq_ignore_ascii_case(bare));
    }
}

/// Quoted parts with blanks in them that look like a path: word by word they would fall apart.
fn quoted(text: &str, pieces: &mut Pieces) {
    for quote in ['"', '\'', '`'] {
        for part in text.split(quote).skip(1) {
            let is_short = part.len() <= QUOTED_BYTES;
            if is_short && part.contains(' ') && !part.contains('\n') && is_path(part) {
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
    if word.contains(['/', '\\', '@']) && word.chars().any(char::is_alphanumeric) || is_bare_file(word) {
        return true;
    }
    // A name with an ending: `a.rs`, `.env`, `archive.tar.gz`; not `1.5`.
    word.rsplit_once('.').is_some_and(|(_, ending)| {
        ending.len() <= 8
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

fn is_bare_file(word: &str) -> bool {
    BARE_FILES.iter().any(|file| file.eq_ignore_ascii_case(word))
}

/// What a word of letters alone can still name: a file without an ending, an error.
fn is_plain_name(word: &str) -> bool {
    is_bare_file(word) || is_error(word)
}

fn is_error(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && ERROR_ENDINGS.iter().any(|ending| word.ends_with(ending))
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
    is_snake || is_shouted || is_error(part)
}
