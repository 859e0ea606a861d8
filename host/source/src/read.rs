//! Bytes to text, and the choice of the format. What is no text at all is refused here, before any parser sees it.

use crate::json;
use crate::limits::ParseLimits;
use crate::node::{Node, Place};
use crate::problem::Problem;
use crate::yaml;

/// Reads YAML 1.2 or JSON. A file named `.json`, or whose text starts with `{`, is read as strict JSON.
///
/// # Errors
/// The first thing that is wrong, with its place: more than the limits, no UTF-8, a control character, a syntax error, a
/// duplicate key, an anchor, alias or foreign tag, more than one document, none at all.
pub fn parse(file: &str, bytes: &[u8], limits: &ParseLimits) -> Result<Node, Problem> {
    let text = text_of(file, bytes, limits)?;
    let is_named_json =
        file.len() >= 5 && file.get(file.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(".json"));
    let looks_like_json = text.trim_start().starts_with('{');
    if is_named_json || looks_like_json {
        return json::read(file, text, limits).map_err(|problem| match &problem.hint {
            None if !is_named_json && problem.message.starts_with(json::COMPLAINT) => {
                problem.hint("a text that starts with `{` is read as JSON")
            }
            _ => problem,
        });
    }
    yaml::read(file, text, limits)
}

/// Reads YAML 1.2 whatever the text starts with: for values on a command line, where `{a: 1}` is meant as YAML.
///
/// # Errors
/// As [`parse`].
pub fn parse_yaml(file: &str, bytes: &[u8], limits: &ParseLimits) -> Result<Node, Problem> {
    yaml::read(file, text_of(file, bytes, limits)?, limits)
}

/// The text of a file, without byte order mark.
fn text_of<'a>(file: &str, bytes: &'a [u8], limits: &ParseLimits) -> Result<&'a str, Problem> {
    if bytes.len() > limits.max_bytes {
        return Err(Problem::new(file, Place::START, format!("the file is too large ({} bytes)", bytes.len()))
            .expected(format!("at most {} bytes", limits.max_bytes)));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|broken| {
        let good =
            bytes.get(..broken.valid_up_to()).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or_default();
        let wrong = bytes.get(broken.valid_up_to()).copied().unwrap_or_default();
        Problem::new(file, place_after(good), format!("the file is not valid UTF-8 (byte 0x{wrong:02x})"))
            .hint("save the file as UTF-8")
    })?;
    // The YAML scanner takes a NUL for the end of the text: what follows would be silently ignored.
    if let Some(at) = text.find(|c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r')) {
        let (good, rest) = text.split_at(at);
        let code = rest.chars().next().map_or(0, u32::from);
        return Err(Problem::new(file, place_after(good), format!("control character U+{code:04X}"))
            .hint("write it as an escape inside double quotes"));
    }
    if text.trim().is_empty() {
        return Err(Problem::new(file, Place::START, "the file is empty"));
    }
    Ok(text)
}

/// The place of the character that follows `text`.
fn place_after(text: &str) -> Place {
    let lines = text.matches('\n').count();
    let last = text.rsplit('\n').next().unwrap_or_default();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
    Place { line: count(lines), column: count(last.chars().count()) }
}
