//! One line of the view: text with a tone for each part. Which escape sequence a tone is, nobody else knows.

use std::fmt::Write as _;

/// How a part of a line reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    /// Stands out.
    Strong,
    /// Steps back.
    Faint,
    /// Well.
    Good,
    /// Not well.
    Bad,
    /// Waiting.
    Idle,
}

impl Tone {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Idle => Some("33"),
        }
    }
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line(Vec<(Tone, String)>);

impl Line {
    pub(super) fn push(&mut self, tone: Tone, text: impl Into<String>) {
        self.0.push((tone, text.into()));
    }

    /// The line in at most `width` characters, and how many they are.
    pub(super) fn render(&self, width: usize, has_colours: bool) -> (String, usize) {
        let total: usize = self.0.iter().map(|(_, text)| text.chars().count()).sum();
        let is_cut = total > width;
        let mut left = if is_cut { width.saturating_sub(1) } else { width };
        let mut rendered = String::new();
        for (tone, text) in &self.0 {
            let shown: String = text.chars().take(left).collect();
            left = left.saturating_sub(shown.chars().count());
            match tone.code() {
                // Writing to a String cannot fail.
                Some(code) if has_colours && !shown.is_empty() => drop(write!(rendered, "\x1b[{code}m{shown}\x1b[0m")),
                _ => rendered.push_str(&shown),
            }
        }
        if is_cut && width > 0 {
            rendered.push('…');
        }
        (rendered, total.min(width))
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> String {
        self.render(usize::MAX, false).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_its_width_and_coloured_only_where_wanted() {
        let mut line = Line::default();
        line.push(Tone::Plain, "root ");
        line.push(Tone::Bad, "failed");
        assert_eq!(line.render(80, false), ("root failed".into(), 11));
        assert_eq!(line.render(80, true), ("root \x1b[31mfailed\x1b[0m".into(), 11));
        assert_eq!(line.render(8, true), ("root \x1b[31mfa\x1b[0m…".into(), 8));
        assert_eq!(line.render(0, true), (String::new(), 0));
    }
}
