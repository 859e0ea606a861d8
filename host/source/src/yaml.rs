//! YAML 1.2 events to the tree. Anchors, aliases and foreign tags are refused rather than bounded: nothing a plan or
//! script says needs them, and every expansion attack does.

use crate::builder::Builder;
use crate::limits::ParseLimits;
use crate::node::{Node, NodeValue, Place};
use crate::problem::{Problem, quote};
use crate::scalar::resolve;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

pub(crate) fn read(file: &str, text: &str, limits: &ParseLimits) -> Result<Node, Problem> {
    let mut builder = Builder::new(file, limits);
    let mut documents = 0;
    let mut parser = Parser::new_from_str(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| syntax(file, error.info(), place_of(error.marker())))?;
        let place = place_of(&span.start);
        match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    return Err(Problem::new(file, place, "a second document begins here")
                        .expected("one document per file")
                        .hint("remove the `---`, or split the file"));
                }
            }
            Event::Alias(_) => {
                return Err(Problem::new(file, place, "aliases (`*name`) are not read").hint("write the value out"));
            }
            Event::Scalar(text, style, anchor, tag) => {
                refuse_anchor(file, place, anchor)?;
                if builder.wants_key() {
                    let tag = tag.as_deref().map(|tag| core(file, place, tag)).transpose()?;
                    if text.is_empty() && style == ScalarStyle::Plain || !matches!(tag, None | Some("str")) {
                        return Err(no_key(file, place));
                    }
                    builder.key(place, text.into_owned())?;
                } else {
                    let value = value_of(file, place, &text, style, tag.as_deref())?;
                    builder.scalar(place, value)?;
                }
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_anchor(file, place, anchor)?;
                collection(file, place, &builder, tag.as_deref(), "seq")?;
                builder.open_list(place)?;
            }
            Event::MappingStart(anchor, tag) => {
                refuse_anchor(file, place, anchor)?;
                collection(file, place, &builder, tag.as_deref(), "map")?;
                builder.open_map(place)?;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close(),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }
    match builder.into_root() {
        Some(Node { value: NodeValue::Null, .. }) | None => Err(Problem::new(file, Place::START, "the file is empty")),
        Some(root) => Ok(root),
    }
}

fn refuse_anchor(file: &str, place: Place, anchor: usize) -> Result<(), Problem> {
    if anchor == 0 {
        return Ok(());
    }
    Err(Problem::new(file, place, "anchors (`&name`) are not read")
        .hint("write the value out; a text that starts with `&` belongs in quotes"))
}

/// The name of a core tag (`str`, `int`, …); every other tag is a problem.
fn core<'a>(file: &str, place: Place, tag: &'a Tag) -> Result<&'a str, Problem> {
    if tag.is_yaml_core_schema() {
        return Ok(&tag.suffix);
    }
    Err(Problem::new(file, place, format!("the tag {} is not read", quote(&tag.to_string())))
        .hint("remove it; a text that starts with `!` belongs in quotes"))
}

fn collection(file: &str, place: Place, builder: &Builder<'_>, tag: Option<&Tag>, own: &str) -> Result<(), Problem> {
    if builder.wants_key() {
        return Err(no_key(file, place));
    }
    match tag.map(|tag| core(file, place, tag)).transpose()? {
        None => Ok(()),
        Some(name) if name == own => Ok(()),
        Some(name) => Err(misfit(file, place, name)),
    }
}

fn value_of(file: &str, place: Place, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<NodeValue, Problem> {
    let name = tag.map(|tag| core(file, place, tag)).transpose()?;
    let value = match name {
        Some("str") => return Ok(NodeValue::Text(text.into())),
        // A tag may give a quoted scalar back its type, a style alone may not.
        Some(_) => resolve(text),
        None if style == ScalarStyle::Plain => resolve(text),
        None => return Ok(NodeValue::Text(text.into())),
    };
    match (name, &value) {
        (None, _) | (Some("null"), NodeValue::Null) | (Some("bool"), NodeValue::Bool(_)) => Ok(value),
        (Some("float"), NodeValue::Number(_)) => Ok(value),
        (Some("int"), NodeValue::Number(number)) if !number.contains(['.', 'e', 'E']) => Ok(value),
        (Some(name), _) => Err(misfit(file, place, name)),
    }
}

fn misfit(file: &str, place: Place, name: &str) -> Problem {
    Problem::new(file, place, format!("the tag {} does not fit this value", quote(&format!("!!{name}"))))
        .hint("remove the tag")
}

fn no_key(file: &str, place: Place) -> Problem {
    Problem::new(file, place, "a key must be text").hint("quote the key; lists, maps and nothing cannot be keys")
}

/// A scanner's complaint; the ones people meet most get a hint.
fn syntax(file: &str, info: &str, place: Place) -> Problem {
    let problem = Problem::new(file, place, format!("this is not YAML: {info}"));
    match info {
        // The scanner looks ahead and may meet its own bound before the builder meets ours.
        info if info.contains("recursion limit") => {
            Problem::new(file, place, "lists and maps are nested too deeply").hint("nest less")
        }
        info if info.contains("tab") => problem.hint("indent with spaces"),
        info if info.contains("mapping values are not allowed") => {
            problem.hint("a text that contains `: ` belongs in quotes; otherwise check the indentation")
        }
        info if info.contains("unknown anchor") => problem.hint("aliases (`*name`) are not read; write the value out"),
        info if info.contains("escape") => {
            problem.hint("backslashes escape inside double quotes; use single quotes for plain text")
        }
        _ => problem,
    }
}

fn place_of(marker: &Marker) -> Place {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place { line: count(marker.line()).max(1), column: count(marker.col()).saturating_add(1) }
}
