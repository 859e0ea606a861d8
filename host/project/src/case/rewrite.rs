//! The `expect` block of one case, rewritten in its file; everything else of the file stays as it is, comments included.
//! What was written is read back before it is handed over: a file that would then say anything else is not written.

use super::emit::entry;
use super::expect::{Expect, column, is_block_key};
use super::read::{Case, parsed};
use crate::files::{cause, read_bounded, write_whole};
use sandfork_source::{Node, NodeValue, ParseLimits, Place, Problem, parse};
use serde_json::Value;
use std::io;
use std::path::Path;

/// Rewrites the `expect` block of a case in its file.
///
/// # Errors
/// As [`rewrite`], or a file that cannot be read or written.
pub fn update(case: &Case, expect: &Expect) -> Result<(), Problem> {
    let path = Path::new(&case.file);
    let failed = |doing: &str, error: &io::Error| {
        Problem::new(&case.file, case.place, format!("the case cannot be {doing}: {}", cause(error)))
    };
    let most = u64::try_from(ParseLimits::default().max_bytes).unwrap_or(u64::MAX);
    let bytes = read_bounded(path, most).map_err(|error| failed("read", &error))?;
    let text = String::from_utf8(bytes).map_err(|_| Problem::new(&case.file, case.place, "the file is not UTF-8"))?;
    write_whole(path, rewrite(&text, case, expect)?.as_bytes()).map_err(|error| failed("written", &error))
}

/// The text of a file of cases with another `expect` block for `case`.
///
/// # Errors
/// When the block is written in a way that cannot be replaced without touching the rest, such as inside `{ }`.
pub fn rewrite(text: &str, case: &Case, expect: &Expect) -> Result<String, Problem> {
    let refuse = |place: Place, message: &str| {
        Problem::new(&case.file, place, message)
            .expected("`expect:` on a line of its own, its values indented below it")
            .hint("write the block like that, then update again")
    };
    let tree = parse(&case.file, text.as_bytes(), &ParseLimits::default())?;
    if text.trim_start().starts_with('{') {
        return json(&tree, case, expect).ok_or_else(|| refuse(case.place, "the case is no longer there"));
    }
    let node = at(&tree, case).ok_or_else(|| refuse(case.place, "the case is no longer there"))?;
    let NodeValue::Map(entries) = &node.value else { return Err(refuse(case.place, "the case is no map any more")) };
    let written = entries.iter().find(|(key, _)| key.text == "expect").map(|(key, _)| key.place);
    let first = entries.first().map_or(node.place, |(key, _)| key.place);
    if !is_block_key(written.unwrap_or(first), text) {
        return Err(refuse(written.unwrap_or(first), "the block stands inside `{ }` and cannot be replaced alone"));
    }
    let indent = column(first);
    let mut block = String::new();
    entry("expect", &expect.to_json(), indent, &mut block);
    let made = match written {
        Some(place) => replaced(text, place, &block),
        None => appended(text, node, indent, &block),
    };
    if says(&made, text, case, expect) {
        return Ok(made);
    }
    Err(refuse(written.unwrap_or(case.place), "the block cannot be replaced without changing what the rest says"))
}

/// The case's own node.
fn at<'t>(tree: &'t Node, case: &Case) -> Option<&'t Node> {
    let Some(index) = case.index else { return Some(tree) };
    match &tree.get("cases")?.value {
        NodeValue::List(items) => items.get(index),
        _ => None,
    }
}

/// Lines with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn line_index(place: Place) -> usize {
    usize::try_from(place.line).unwrap_or(usize::MAX).saturating_sub(1)
}

/// The block that starts at `place` replaced: up to the next line that is not deeper than its key. Blank lines and comments
/// before that line belong to what follows.
fn replaced(text: &str, place: Place, block: &str) -> String {
    let lines = lines(text);
    let (start, indent) = (line_index(place), column(place));
    let is_deeper = |line: &&str| line.len() - line.trim_start_matches(' ').len() > indent;
    let is_blank = |line: &&str| line.trim().is_empty();
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let after = lines.iter().skip(start + 1);
    let mut length = 1 + after.clone().take_while(|line| is_blank(line) || is_deeper(line) || is_comment(line)).count();
    let belongs_to_next = |line: &&str| is_blank(line) || is_comment(line) && !is_deeper(line);
    while length > 1 && lines.get(start + length - 1).is_some_and(belongs_to_next) {
        length -= 1;
    }
    let mut made: String = lines.iter().take(start).copied().collect();
    // What stands before the key on its line: blanks, and the dash of a list.
    made.extend(lines.get(start).into_iter().flat_map(|line| line.chars()).take(indent));
    made.push_str(block);
    made.extend(lines.iter().skip(start + length).copied());
    made
}

/// The block after everything else of the case.
fn appended(text: &str, node: &Node, indent: usize, block: &str) -> String {
    let lines = lines(text);
    let last = line_index(last_place(node));
    let is_deeper = |line: &&str| line.len() - line.trim_start_matches(' ').len() > indent;
    let rest = lines.iter().skip(last + 1);
    let end = last + 1 + rest.take_while(|line| is_deeper(line) && !line.trim_start().starts_with('#')).count();
    let mut made: String = lines.iter().take(end).copied().collect();
    if !made.is_empty() && !made.ends_with('\n') {
        made.push('\n');
    }
    made.extend(std::iter::repeat_n(' ', indent));
    made.push_str(block);
    made.extend(lines.iter().skip(end).copied());
    made
}

/// The place of the last value inside a node.
fn last_place(node: &Node) -> Place {
    let inner = match &node.value {
        NodeValue::Map(entries) => entries.iter().map(|(key, node)| last_place(node).max(key.place)).max(),
        NodeValue::List(items) => items.iter().map(last_place).max(),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Text(_) => None,
    };
    inner.map_or(node.place, |inner| inner.max(node.place))
}

/// Whether the new text says what it should, and of everything else what the old one said.
fn says(made: &str, text: &str, case: &Case, expect: &Expect) -> bool {
    let limits = ParseLimits::default();
    let (Ok(new), Ok(old)) = (parse(&case.file, made.as_bytes(), &limits), parse(&case.file, text.as_bytes(), &limits))
    else {
        return false;
    };
    let is_readable = parsed(&case.file, "", made.as_bytes()).is_ok();
    let expected = at(&new, case).and_then(|node| node.get("expect")).map(Node::to_json);
    is_readable && expected == Some(expect.to_json()) && without(new.to_json(), case) == without(old.to_json(), case)
}

fn without(mut document: Value, case: &Case) -> Value {
    if let Some(object) = inside(&mut document, case) {
        object.shift_remove("expect");
    }
    document
}

/// A JSON file has no comments to keep, only an order of keys.
fn json(tree: &Node, case: &Case, expect: &Expect) -> Option<String> {
    let mut document = tree.to_json();
    inside(&mut document, case)?.insert("expect".into(), expect.to_json());
    Some(format!("{document:#}\n"))
}

fn inside<'d>(document: &'d mut Value, case: &Case) -> Option<&'d mut serde_json::Map<String, Value>> {
    match case.index {
        None => document.as_object_mut(),
        Some(index) => document.get_mut("cases")?.get_mut(index)?.as_object_mut(),
    }
}
