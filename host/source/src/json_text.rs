//! A place in a JSON text: blanks, words and strings. Every character is looked at a bounded number of times.

use crate::node::Place;
use crate::problem::{Problem, quote};

pub(crate) struct Cursor<'a> {
    file: &'a str,
    rest: &'a str,
    place: Place,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, rest: text, place: Place::START }
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes one character.
    pub(crate) fn advance(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        // A lone carriage return ends a line as well; before a line feed it is part of that line's end.
        if c == '\n' || (c == '\r' && !self.rest.starts_with('\n')) {
            self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
        Some(c)
    }

    pub(crate) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.advance();
        }
    }

    /// The word here: a literal or a number, or whatever stands in their place. Not taken yet.
    pub(crate) fn word(&self) -> &'a str {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_');
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or_default()
    }

    pub(crate) fn skip_word(&mut self) {
        for _ in self.word().chars() {
            self.advance();
        }
    }

    /// A problem about what stands here.
    pub(crate) fn unexpected(&self, expected: &str) -> Problem {
        let word = self.word();
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(c) if word.is_empty() => quote(&c.to_string()),
            Some(_) => quote(word),
        };
        Problem::new(self.file, self.place, format!("this is not JSON: found {found}")).expected(expected)
    }

    /// The string that starts here.
    pub(crate) fn text(&mut self) -> Result<String, Problem> {
        let start = self.place;
        self.advance();
        let mut text = String::new();
        loop {
            let here = self.place;
            match self.advance() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape(here)?),
                Some(c) if c < ' ' => {
                    return Err(Problem::new(self.file, here, "this is not JSON: a line break or tab inside a string")
                        .hint("write it as `\\n` or `\\t`"));
                }
                Some(c) => text.push(c),
                None => {
                    return Err(Problem::new(self.file, start, "this is not JSON: the string does not end")
                        .expected("a closing `\"`"));
                }
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self, start: Place) -> Result<char, Problem> {
        Ok(match self.advance() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let high = self.four_digits(start)?;
                let code = match high {
                    0xd800..=0xdbff if self.rest.starts_with("\\u") => {
                        self.advance();
                        self.advance();
                        match self.four_digits(start)? {
                            low @ 0xdc00..=0xdfff => 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                            _ => high,
                        }
                    }
                    code => code,
                };
                char::from_u32(code).ok_or_else(|| {
                    Problem::new(self.file, start, "this is not JSON: half of a surrogate pair")
                        .expected("both halves, as in `\\ud83d\\ude00`")
                })?
            }
            _ => {
                return Err(Problem::new(self.file, start, "this is not JSON: an unknown escape")
                    .expected(r#"one of `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\uXXXX`"#));
            }
        })
    }

    fn four_digits(&mut self, start: Place) -> Result<u32, Problem> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.advance().and_then(|c| c.to_digit(16)).ok_or_else(|| {
                Problem::new(self.file, start, "this is not JSON: a broken escape")
                    .expected("four hexadecimal digits after `\\u`")
            })?;
            code = code * 16 + digit;
        }
        Ok(code)
    }
}
