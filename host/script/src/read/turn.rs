//! Reads turns: think time and words become the model call's arguments, the rest becomes steps.

use super::entries::Entries;
use super::{keys, step, template, value};
use crate::ast::{Act, Built, Mode, Step, Turn};
use sandfork_source::{Node, NodeValue, Problems, duration, quote};
use std::time::Duration;

/// The longest think time: the longest that a fork may live at all.
const MAX_THINK: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads a list of turns; those that are no turns are left out, with a problem each.
pub(super) fn turns(nodes: &[Node], path: &str, problems: &mut Problems) -> Vec<Turn> {
    nodes
        .iter()
        .enumerate()
        .map_while(|(at, node)| (!problems.is_full()).then(|| turn(node, &format!("{path}[{at}]"), problems)))
        .flatten()
        .collect()
}

fn turn(node: &Node, path: &str, problems: &mut Problems) -> Option<Turn> {
    let entries = Entries::of(node, path, keys::TURN, problems)?;
    let think = entries.get("think").and_then(|node| think(node, problems)).unwrap_or_default();
    let mut arguments = Built::text(format!(",\"think_ns\":{}", think.as_nanos()));
    if let Some(node) = entries.get("say") {
        arguments.push(",\"say\":\"");
        arguments.append(template::text(node, &entries.path_of("say"), Mode::Quoted, problems));
        arguments.push("\"");
    }
    arguments.push("}");
    let mut steps = match entries.list("do", "steps", problems) {
        Some(nodes) => step::steps(nodes, &entries.path_of("do"), problems),
        None => Vec::new(),
    };
    let ends = (entries.entry("return"), entries.entry("fail"));
    if let (Some(_), Some((key, _))) = ends {
        let problem = problems.at(key.place, format!("{} has both `return` and `fail`", quote(path)));
        problems.push(problem.expected("one of them").hint("put each into a branch of an `if` under `do`"));
    }
    if let Some((key, node)) = ends.0 {
        steps.push(Step { place: key.place, act: Act::Return(value::value(node, problems)) });
    }
    if let Some((key, node)) = ends.1 {
        let act = step::failure(node, &entries.path_of("fail"), problems);
        steps.extend(act.map(|act| Step { place: key.place, act }));
    }
    Some(Turn { place: entries.place, arguments, steps })
}

fn think(node: &Node, problems: &mut Problems) -> Option<Duration> {
    const EXPECTED: &str = "a duration such as `80ms`, `1.5s` or `2m`, at most 24h";
    let (message, hint): (String, String) = match &node.value {
        NodeValue::Text(text) => match duration(text) {
            Some(think) if think <= MAX_THINK => return Some(think),
            Some(_) => (format!("{} is too long a think time", quote(text)), "a fork lives for a day at most".into()),
            None if text.contains("${") => {
                (format!("`think` is {}", quote(text)), "think time is part of the script: write it out".into())
            }
            None => (format!("{} is no duration", quote(text)), "a number and a unit: ns, us, ms, s, m or h".into()),
        },
        NodeValue::Number(text) => (format!("`think` is the number {text}"), format!("write `{text}ms` or `{text}s`")),
        _ => (format!("`think` is {}", node.kind()), "a number and a unit: ns, us, ms, s, m or h".into()),
    };
    let problem = problems.at(node.place, message).expected(EXPECTED);
    problems.push(problem.hint(hint));
    None
}
