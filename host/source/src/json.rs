//! Strict JSON (RFC 8259) with places. Own, because a YAML scanner reads surrogate escapes wrongly and lets much pass that
//! is no JSON. Does not recurse: depth is the builder's to judge, not the stack's.

use crate::builder::Builder;
use crate::json_text::Cursor;
use crate::limits::ParseLimits;
use crate::node::{Node, NodeValue};
use crate::problem::Problem;
use crate::scalar::is_json_number;

/// How every problem of syntax begins.
pub(crate) const COMPLAINT: &str = "this is not JSON";

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A value.
    Value,
    /// A value or the end of the list just opened.
    ValueOrEnd,
    /// A key.
    Key,
    /// A key or the end of the map just opened.
    KeyOrEnd,
    /// `,` or the end of whatever is open.
    CommaOrEnd,
}

pub(crate) fn read(file: &str, text: &str, limits: &ParseLimits) -> Result<Node, Problem> {
    let mut builder = Builder::new(file, limits);
    let mut cursor = Cursor::new(file, text);
    // `true` stands for a map, `false` for a list; the builder bounds the length.
    let mut open: Vec<bool> = Vec::new();
    let mut next = Next::Value;
    loop {
        cursor.skip_blanks();
        let place = cursor.place();
        if next == Next::CommaOrEnd && open.is_empty() {
            return match cursor.peek() {
                None => builder.into_root().ok_or_else(|| Problem::new(file, place, "the file is empty")),
                Some(_) => Err(cursor.unexpected("the end of the file")),
            };
        }
        let is_end = match (cursor.peek(), open.last()) {
            (Some('}'), Some(true)) => matches!(next, Next::KeyOrEnd | Next::CommaOrEnd),
            (Some(']'), Some(false)) => matches!(next, Next::ValueOrEnd | Next::CommaOrEnd),
            _ => false,
        };
        if is_end {
            cursor.advance();
            open.pop();
            builder.close();
            next = Next::CommaOrEnd;
            continue;
        }
        next = match (next, cursor.peek()) {
            (Next::CommaOrEnd, Some(',')) => {
                cursor.advance();
                if open.last() == Some(&true) { Next::Key } else { Next::Value }
            }
            (Next::CommaOrEnd, _) => {
                return Err(cursor.unexpected(if open.last() == Some(&true) { "`,` or `}`" } else { "`,` or `]`" }));
            }
            (Next::Key | Next::KeyOrEnd, Some('"')) => {
                builder.key(place, cursor.text()?)?;
                cursor.skip_blanks();
                if cursor.peek() != Some(':') {
                    return Err(cursor.unexpected("`:` after the key"));
                }
                cursor.advance();
                Next::Value
            }
            (Next::Key | Next::KeyOrEnd, _) => return Err(cursor.unexpected("a key in double quotes")),
            (Next::Value | Next::ValueOrEnd, Some('{')) => {
                cursor.advance();
                builder.open_map(place)?;
                open.push(true);
                Next::KeyOrEnd
            }
            (Next::Value | Next::ValueOrEnd, Some('[')) => {
                cursor.advance();
                builder.open_list(place)?;
                open.push(false);
                Next::ValueOrEnd
            }
            (Next::Value | Next::ValueOrEnd, Some('"')) => {
                builder.scalar(place, NodeValue::Text(cursor.text()?))?;
                Next::CommaOrEnd
            }
            (Next::Value | Next::ValueOrEnd, _) => {
                let value = match cursor.word() {
                    "null" => NodeValue::Null,
                    "true" => NodeValue::Bool(true),
                    "false" => NodeValue::Bool(false),
                    word if is_json_number(word) => NodeValue::Number(word.into()),
                    _ => return Err(cursor.unexpected("a JSON value")),
                };
                builder.scalar(place, value)?;
                cursor.skip_word();
                Next::CommaOrEnd
            }
        };
    }
}
