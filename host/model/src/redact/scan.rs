//! One pass over a text, from secret to secret. Decides what is looked for where; what a secret looks like is told by others.

use super::{Found, block, keyed, prefixed};

/// The secrets of a text, in order, not overlapping.
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    at: usize,
    /// The end of the last secret: what follows it begins afresh, whatever the secret's own last character was.
    fresh: usize,
    /// A value that a name before `at` announced. What lies between the two is still looked at.
    value: Option<Found>,
    /// A password that the `://` before `at` announced.
    password: Option<Found>,
    /// Until where each form with inner separators is known not to be found; without it such runs would be read again and
    /// again, in quadratic time.
    pub(crate) dead: prefixed::Dead,
    /// The last value without quotes that was measured.
    pub(crate) bare: keyed::Bare,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            fresh: 0,
            value: None,
            password: None,
            dead: prefixed::Dead::default(),
            bare: keyed::Bare::default(),
        }
    }

    /// The byte at `at`; 0 behind the end.
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The text from `at`; empty behind the end or inside a character.
    pub(crate) fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    /// Where a run of bytes that `belongs` says yes to ends. Ends at a character boundary if it begins at one and
    /// `belongs` treats all bytes of a non-ASCII character alike.
    pub(crate) fn run_end(&self, at: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes().get(at..).unwrap_or_default();
        at.saturating_add(bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len()))
    }

    /// Whether something begins at `at` that is not the middle of a word.
    pub(crate) fn is_start(&self, at: usize, in_word: impl Fn(u8) -> bool) -> bool {
        at == self.fresh || at.checked_sub(1).is_none_or(|before| !in_word(self.byte(before)))
    }

    fn secret_at(&mut self, at: usize) -> Option<Found> {
        let byte = self.byte(at);
        if self.value.is_none() && keyed::is_name_byte(byte) && self.is_start(at, keyed::is_name_byte) {
            self.value = keyed::value(self, at);
        }
        if self.password.is_none() && byte == b':' {
            self.password = block::url_password(self, at);
        }
        match byte {
            b'-' => block::private_key(self, at),
            _ if byte.is_ascii_alphabetic() => prefixed::token(self, at),
            _ => None,
        }
    }

    /// What was announced for this place; where another secret has swallowed its beginning, the rest of it.
    fn due(&mut self, at: usize) -> Option<Found> {
        let take = |slot: &mut Option<Found>| slot.take_if(|found| found.start <= at);
        let (value, password) = (take(&mut self.value), take(&mut self.password));
        let rest = |found: Found| Found { start: found.start.max(at), ..found };
        let mut due = value.into_iter().chain(password).map(rest).filter(|found| found.start < found.end);
        let first = due.next()?;
        // Both begin here: the longer one holds the other.
        Some(due.next().filter(|other| other.end > first.end).unwrap_or(first))
    }
}

impl Iterator for Scan<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        while self.at < self.text.len() {
            let at = self.at;
            let found = self.due(at).or_else(|| self.secret_at(at));
            self.at = found.map_or(0, |found| found.end).max(at.saturating_add(1));
            if found.is_some() {
                self.fresh = self.at;
                return found;
            }
        }
        None
    }
}
