//! What is wrong with a source text, where, and what to do. Printing one never lets the text steer a terminal.

use crate::node::Place;
use std::fmt;

/// Problems collected before a reader gives up: enough to fix a file in one go, few enough to read.
pub const MAX_PROBLEMS: usize = 20;
/// Characters of a source text that a message quotes.
const MAX_QUOTED: usize = 60;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The file as the user named it.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong, one sentence.
    pub message: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem without expectation and hint.
    #[must_use]
    pub fn new(file: &str, place: Place, message: impl Into<String>) -> Self {
        Self { file: file.into(), place, message: message.into(), expected: None, hint: None }
    }

    /// Adds what would have been right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        write!(f, "{}:{line}:{column}: {}", Plain(&self.file), Plain(&self.message))?;
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {}", Plain(expected))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {}", Plain(hint))?;
        }
        Ok(())
    }
}

/// Text on one line, with control characters shown instead of obeyed.
struct Plain<'a>(&'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for c in self.0.chars() {
            // Bidirectional overrides reorder what a person reads; they are shown like control characters.
            if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
                write!(f, "{}", c.escape_debug())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// A piece of source text for a message: in backticks, cut to a readable length.
#[must_use]
pub fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}

/// The problems of one file, bounded.
#[derive(Debug)]
pub struct Problems {
    file: String,
    found: Vec<Problem>,
    is_failed: bool,
}

impl Problems {
    /// None yet.
    #[must_use]
    pub fn new(file: &str) -> Self {
        Self { file: file.into(), found: Vec::new(), is_failed: false }
    }

    /// The file they are in.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// A problem of this file, to be completed and pushed.
    #[must_use]
    pub fn at(&self, place: Place, message: impl Into<String>) -> Problem {
        Problem::new(&self.file, place, message)
    }

    /// Adds a problem; beyond [`MAX_PROBLEMS`] only the fact that there are more is kept.
    pub fn push(&mut self, problem: Problem) {
        self.is_failed = true;
        if self.found.len() < MAX_PROBLEMS {
            self.found.push(problem);
        }
    }

    /// Whether nothing is wrong so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.is_failed
    }

    /// Whether no further problem would be kept.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_PROBLEMS
    }

    /// The problems in the order of their places.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<Problem> {
        self.found.sort_by(|a, b| (&a.file, a.place).cmp(&(&b.file, b.place)));
        self.found
    }
}
