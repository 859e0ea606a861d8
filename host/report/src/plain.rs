//! Text that others wrote, made fit for one line of a terminal: no control characters, no line breaks, a bounded length.
//! Names and messages come from plans and guests, and a terminal obeys what it is sent.

use std::fmt::Write as _;

/// The longest foreign text in one line of words for people, in characters.
pub const FOREIGN_TEXT_CHARS: usize = 400;

/// `text` on one line, control characters written out as escapes, cut after [`FOREIGN_TEXT_CHARS`].
#[must_use]
pub fn plain(text: &str) -> String {
    let mut line = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(FOREIGN_TEXT_CHARS) {
        match c {
            '\n' | '\r' | '\t' => line.push(' '),
            c if c.is_control() || reorders(c) => {
                // Writing to a String cannot fail.
                let _ = write!(line, "{}", c.escape_unicode());
            }
            c => line.push(c),
        }
    }
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

/// `text` as it is, line by line, but for what a terminal would obey: control characters are written out as escapes.
#[must_use]
pub fn page(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => page.push(c),
            c if c.is_control() || reorders(c) => {
                // Writing to a String cannot fail.
                let _ = write!(page, "{}", c.escape_unicode());
            }
            c => page.push(c),
        }
    }
    page
}

/// Characters that reorder what stands around them, or begin a line, where a terminal or an editor knows them.
fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// 12345678 as `12 345 678`.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Nanoseconds in the unit that reads best.
#[must_use]
pub fn duration(ns: u64) -> String {
    let ms = ns / 1_000_000;
    match ms {
        0 => format!("{} µs", ns / 1_000),
        1..10_000 => format!("{ms} ms"),
        _ => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_never_sent_a_control_character_of_a_guest() {
        let shown = plain("red \u{1b}[31m\u{7}\nnext\u{202e}");
        assert_eq!(shown, "red \\u{1b}[31m\\u{7} next\\u{202e}");
    }

    #[test]
    fn no_character_reorders_a_line_or_begins_another() {
        for c in ['\u{61c}', '\u{85}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{2069}'] {
            let shown = c.escape_unicode().to_string();
            assert_eq!((plain(&c.to_string()), page(&c.to_string())), (shown.clone(), shown));
        }
    }

    #[test]
    fn a_page_keeps_its_lines_and_sends_no_control_character_either() {
        assert_eq!(page("a\tb\n\u{1b}]0;x\u{7}\r\n"), "a\tb\n\\u{1b}]0;x\\u{7}\\u{d}\n");
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let shown = plain(&"x".repeat(FOREIGN_TEXT_CHARS + 1));
        assert_eq!(shown.chars().count(), FOREIGN_TEXT_CHARS + 1);
        assert!(shown.ends_with('…'));
    }

    #[test]
    fn a_duration_is_worded_in_the_unit_that_reads_best() {
        let cases = [(0, "0 µs"), (999_999, "999 µs"), (80_000_000, "80 ms"), (12_340_000_000, "12.3 s")];
        for (ns, words) in cases {
            assert_eq!(duration(ns), words);
        }
    }
}
