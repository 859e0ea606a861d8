//! What of a fork's packet must not be lost (GV-35), and whether its output still says it (GV-55): references, file paths,
//! error codes and order numbers, found by their form, and acceptance criteria, found by their words. An estimate: it knows
//! texts and not what they mean.

use crate::fork::Fork;
use serde_json::Value;
use std::collections::BTreeSet;

/// Bytes of a packet, and of an output, that are looked at.
const LOOKED_AT_BYTES: usize = 64 << 10;
/// The most constraints of one fork.
const CONSTRAINTS: usize = 256;
/// Letters from which on a word of a criterion counts.
const WORD_LETTERS: usize = 4;

/// How many constraints the fork's packet holds, and how many of them its output keeps. A reviewer judges what others say; it
/// has nothing to keep.
pub(crate) fn kept(fork: &Fork, output: &Value) -> (u64, u64) {
    if fork.options.is_acceptance {
        return (0, 0);
    }
    let criteria = fork.options.acceptance_criteria.iter().map(String::as_str);
    let mut packet = fork.goal.clone();
    let refs = fork.options.context_refs.iter().map(String::as_str);
    let mut gather = |text: &str| append(&mut packet, text);
    refs.for_each(&mut gather);
    texts(&fork.context, &mut gather);
    let marks = marks(&packet);
    // Most forks have nothing to keep: their outputs are not looked at.
    if marks.is_empty() && fork.options.acceptance_criteria.is_empty() {
        return (0, 0);
    }
    let mut said = String::new();
    texts(output, &mut |text| append(&mut said, text));
    weigh(&marks, criteria, &said)
}

/// What has the form of a constraint in a packet's texts, in lower case.
fn marks(packet: &str) -> BTreeSet<String> {
    pieces(packet).filter(|piece| is_mark(piece)).map(str::to_lowercase).collect()
}

/// The constraints, and those of them that are still said.
fn weigh<'a>(marks: &BTreeSet<String>, criteria: impl Iterator<Item = &'a str>, said: &str) -> (u64, u64) {
    let said = said.to_lowercase();
    let words: BTreeSet<&str> = pieces(&said).collect();
    let of_marks = marks.iter().take(CONSTRAINTS).map(|mark| words.contains(mark.as_str()));
    let of_criteria = criteria.take(CONSTRAINTS).map(|criterion| is_met(criterion, &said));
    let (mut all, mut kept) = (0, 0);
    for is_kept in of_marks.chain(of_criteria) {
        all += 1;
        kept += u64::from(is_kept);
    }
    (all, kept)
}

/// Whether a third of a criterion's words, or more, are said.
fn is_met(criterion: &str, said: &str) -> bool {
    let criterion = criterion.to_lowercase();
    let words = criterion.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= WORD_LETTERS);
    let (all, met) = words.fold((0, 0), |(all, met), word| (all + 1, met + usize::from(said.contains(word))));
    met * 3 >= all
}

/// The parts of a text between what separates words; what belongs to references, paths and codes stays together.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>'))
        .map(|piece| piece.trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '`')))
        .filter(|piece| !piece.is_empty())
}

/// Whether a piece has the form of a reference, a file path, an error code or an order number.
fn is_mark(piece: &str) -> bool {
    let is_reference = piece.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    is_reference || is_path(piece) || is_code(piece)
}

/// `src/main.rs`, `/etc/hosts`, `alpha_module.py`: an ending of letters, or a way through directories.
fn is_path(piece: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !piece.split('/').all(is_name) || !piece.chars().any(char::is_alphabetic) {
        return false;
    }
    let ending = piece.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_ending = (1..=5).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_lowercase());
        is_ending && name.chars().count() >= 2 && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    ending || piece.starts_with('/') || piece.matches('/').count() > 1
}

/// `PAY-5031`, `SF-417`, `E0502`, `ERR_TIMEOUT_7`: capitals and digits, joined by `-` or `_`; `#8841`, and numbers of four
/// digits or more.
fn is_code(piece: &str) -> bool {
    let number = piece.strip_prefix('#').unwrap_or(piece);
    if number.len() >= 4 && number.chars().all(|c| c.is_ascii_digit()) {
        return true;
    }
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    piece.len() >= 4
        && piece.chars().all(fits)
        && piece.starts_with(|c: char| c.is_ascii_uppercase())
        && piece.chars().any(|c| c.is_ascii_digit())
}

fn append(text: &mut String, more: &str) {
    let mut end = more.len().min(LOOKED_AT_BYTES.saturating_sub(text.len()));
    while !more.is_char_boundary(end) {
        end -= 1;
    }
    text.push(' ');
    text.push_str(more.get(..end).unwrap_or_default());
}

/// Every text of a value, with the names of its keys and its numbers. The depth is bounded by whoever parsed the value.
fn texts(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Number(number) => take(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, take)),
        Value::Object(map) => map.iter().for_each(|(key, item)| {
            take(key);
            texts(item, take);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // GV-35
    #[test]
    fn references_paths_codes_and_numbers_are_known_by_their_form() {
        let marks = [
            "artifact://release-record/v2",
            "trace://log-query/8841",
            "src/main.rs",
            "/etc/hosts",
            "alpha_module.py",
            "PAY-5031",
            "SF-417",
            "E0502",
            "20260908",
            "#8841",
        ];
        for mark in marks {
            assert!(is_mark(mark), "{mark}");
        }
        for word in ["payment", "e.g", "and/or", "UTF", "A", "10:00", "3.5", "404", "", "://", "Say", "v1.0", "VALUE"] {
            assert!(!is_mark(word), "{word}");
        }
    }

    // GV-55
    #[test]
    fn what_the_output_no_longer_says_is_lost() {
        let packet = "Order 20260908 failed with PAY-5031 in src/pay.rs (see trace://log/8841).";
        let criteria = ["Names the error code.", "Proposes a remedy."];
        let weigh = |said: &str| weigh(&marks(packet), criteria.into_iter(), said);
        assert_eq!(weigh("the error code is pay-5031, order 20260908, src/pay.rs, trace://log/8841"), (6, 5));
        assert_eq!(weigh("something went wrong"), (6, 0));
        assert_eq!(super::weigh(&marks("Say hello"), std::iter::empty(), ""), (0, 0), "nothing to lose");
    }

    #[test]
    fn a_long_text_is_looked_at_up_to_its_bound() {
        let mut text = String::new();
        append(&mut text, &"ä".repeat(LOOKED_AT_BYTES));
        append(&mut text, "more");
        assert!(text.len() <= LOOKED_AT_BYTES + 2);
        let many: String = (0..1000).map(|n| format!("CODE-{n} ")).collect();
        assert_eq!(weigh(&marks(&many), std::iter::empty(), &many), (256, 256));
    }
}
