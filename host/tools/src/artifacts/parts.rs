//! Parts of a text, by bytes or by lines. Never more than asked for, never half a character.

/// Bytes that one read answers at most: a reader fetches the part it needs (GV-13).
pub(crate) const PART_BYTES: u64 = 64 << 10;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) text: &'a str,
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// Whether something follows it.
    pub(crate) is_more: bool,
}

impl<'a> Part<'a> {
    /// By bytes, on whole characters.
    pub(crate) fn by_bytes(whole: &'a str, offset: u64, length: u64) -> Self {
        let at = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let from = whole.floor_char_boundary(at(offset));
        let to = whole.floor_char_boundary(from.saturating_add(at(length.min(PART_BYTES))));
        let text = whole.get(from..to).unwrap_or_default();
        Self { text, offset: u64::try_from(from).unwrap_or(u64::MAX), is_more: to < whole.len() }
    }

    /// By lines, the first being 1 (0 counts as 1).
    pub(crate) fn by_lines(whole: &'a str, line: u64, lines: u64) -> Self {
        let skip = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let take = usize::try_from(lines).unwrap_or(usize::MAX);
        let from = after_lines(whole, skip);
        let to = from + after_lines(whole.get(from..).unwrap_or_default(), take);
        let length = u64::try_from(to.saturating_sub(from)).unwrap_or(u64::MAX);
        Self::by_bytes(whole, u64::try_from(from).unwrap_or(u64::MAX), length)
    }

    /// Whether it is not all of the text it was taken from.
    pub(crate) fn is_partial(&self) -> bool {
        self.offset > 0 || self.is_more
    }
}

/// Where the text goes on after `lines` lines.
fn after_lines(text: &str, lines: usize) -> usize {
    match lines.checked_sub(1) {
        None => 0,
        Some(last) => text.match_indices('\n').nth(last).map_or(text.len(), |(at, _)| at + 1),
    }
}

/// Lines of a text; a last one without a line break counts.
pub(crate) fn line_count(text: &str) -> u64 {
    u64::try_from(text.lines().count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    // GV-13
    #[test]
    fn lines_and_bytes_lead_to_the_same_places() {
        let text = "one\ntwo\nthree";
        for (part, expected) in [
            (Part::by_lines(text, 1, 1), ("one\n", 0, true)),
            (Part::by_lines(text, 0, 1), ("one\n", 0, true)),
            (Part::by_lines(text, 2, 2), ("two\nthree", 4, false)),
            (Part::by_lines(text, 3, u64::MAX), ("three", 8, false)),
            (Part::by_lines(text, 4, 1), ("", 13, false)),
            (Part::by_lines(text, u64::MAX, u64::MAX), ("", 13, false)),
            (Part::by_lines(text, 1, 0), ("", 0, true)),
            (Part::by_bytes(text, 4, 3), ("two", 4, true)),
            (Part::by_bytes(text, 0, u64::MAX), (text, 0, false)),
            (Part::by_bytes(text, u64::MAX, u64::MAX), ("", 13, false)),
            (Part::by_bytes("é", 1, 1), ("", 0, true)),
        ] {
            assert_eq!((part.text, part.offset, part.is_more), expected);
        }
        assert!(!Part::by_bytes(text, 0, 99).is_partial() && Part::by_bytes(text, 1, 99).is_partial());
    }

    #[test]
    fn a_part_is_bounded_whatever_is_asked_for() {
        let line = "x".repeat(200_000);
        let part = Part::by_lines(&line, 1, u64::MAX);
        assert_eq!((part.text.len() as u64, part.is_more), (PART_BYTES, true));
    }
}
