//! A text as paragraphs: lines that stand together, between empty ones.

/// Lines that stand together.
pub(crate) struct Paragraph<'a> {
    /// The number of the first line; the first of a text is 1.
    pub(crate) line: usize,
    lines: Vec<&'a str>,
}

impl Paragraph<'_> {
    /// Whether a line of the text is one of these.
    pub(crate) fn holds(&self, line: usize) -> bool {
        (self.line..self.line + self.lines.len()).contains(&line)
    }

    /// Its words in one line.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// The paragraphs of a text, in order.
pub(crate) fn paragraphs(text: &str) -> impl Iterator<Item = Paragraph<'_>> {
    let mut lines = text.lines().zip(1..).peekable();
    std::iter::from_fn(move || {
        while lines.next_if(|(line, _)| line.trim().is_empty()).is_some() {}
        let (first, line) = lines.next()?;
        let mut paragraph = Paragraph { line, lines: vec![first] };
        while let Some((next, _)) = lines.next_if(|(line, _)| !line.trim().is_empty()) {
            paragraph.lines.push(next);
        }
        Some(paragraph)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_know_their_lines_whatever_lies_between_them() {
        let read = |text| paragraphs(text).map(|found| (found.line, found.text())).collect::<Vec<_>>();
        let expected = vec![(2, "one two".to_owned()), (6, "three".to_owned())];
        assert_eq!(read("\none\n  two\n\n \t\nthree"), expected);
        assert_eq!(read("\r\none\r\ntwo\r\n\r\n\r\nthree\r\n"), expected);
        for empty in ["", "\n", " \n\n"] {
            assert_eq!(read(empty), vec![]);
        }
    }

    #[test]
    fn a_paragraph_holds_its_own_lines_only() {
        let second = paragraphs("a\n\nb\nc\n\nd").nth(1).expect("two of them");
        assert_eq!([2, 3, 4, 5].map(|line| second.holds(line)), [false, true, true, false]);
    }
}
