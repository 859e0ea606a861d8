//! Reads `spawn`: requests with their options. What an option may be is asked of the model, wherever nothing in it waits
//! for the run.

use super::entries::Entries;
use super::{keys, step, template, value};
use crate::ast::{Act, Built, Mode, Request};
use sandfork_model::{RequestOptions, SpawnOptions};
use sandfork_source::{Node, NodeValue, Problems, duration, quote};
use serde_json::{Map, Value};

/// Requests of one `spawn`: the live sandboxes a host has by default.
const MAX_REQUESTS: usize = 1024;
/// The keys of a request that are no options.
const OWN: [&str; 3] = ["agent", "goal", "context"];

/// Reads a step that forks agents.
pub(super) fn spawn(node: &Node, path: &str, problems: &mut Problems) -> Option<Act> {
    let entries = Entries::of(node, path, keys::SPAWN, problems)?;
    let bind = step::binding(&entries, "as", problems);
    let options = entries.get("options").map(|node| options(node, &entries.path_of("options"), problems));
    let nodes = entries.list("spawn", "requests", problems)?;
    if nodes.is_empty() || nodes.len() > MAX_REQUESTS {
        let place = entries.get("spawn").map_or(entries.place, |node| node.place);
        let problem = problems.at(place, format!("`spawn` has {} requests", nodes.len()));
        let problem = problem.expected(format!("1 to {MAX_REQUESTS} requests"));
        problems.push(problem.hint("a request looks like `{ agent: alpha, goal: \"…\" }`"));
    }
    let requests = nodes
        .iter()
        .enumerate()
        .map_while(|(at, node)| {
            let path = format!("{}[{at}]", entries.path_of("spawn"));
            (!problems.is_full()).then(|| request(node, &path, problems))
        })
        .flatten()
        .collect();
    Some(Act::Spawn { requests, options: options.unwrap_or_else(|| Built::text("{}")), bind })
}

fn options(node: &Node, path: &str, problems: &mut Problems) -> Built {
    let Some(entries) = Entries::of(node, path, keys::SPAWN_OPTIONS, problems) else {
        return Built::default();
    };
    if let Some(node) = entries.get("return").filter(|node| value::is_literal(node)) {
        let mut options = Map::new();
        options.insert("return".into(), node.to_json());
        if SpawnOptions::from_json(&Value::Object(options)).is_err() {
            let problem = problems.at(node.place, format!("{} cannot be met", quote(&entries.path_of("return"))));
            let problem = problem.expected("`all`, `first_ok` or `{ quorum: n }` with n of at least 1");
            problems.push(problem.hint("without `options`, `spawn` waits for all"));
        }
    }
    value::value(node, problems)
}

fn request(node: &Node, path: &str, problems: &mut Problems) -> Option<Request> {
    let entries = Entries::of(node, path, keys::REQUEST, problems)?;
    let agent = entries.need("agent", "and the agent's name", problems);
    let goal = entries.need("goal", "and what the fork is for", problems);
    let context = entries.get("context").map_or_else(|| Built::text("{}"), |node| value::value(node, problems));
    if let (Some(_), Some((key, _))) = (entries.get("timeout_ms"), entries.entry("timeout")) {
        let problem = problems.at(key.place, format!("{} has both `timeout` and `timeout_ms`", quote(path)));
        problems.push(problem.expected("one of them").hint("remove `timeout_ms`"));
    }
    let mut options = Built::default();
    if let NodeValue::Map(written) = &node.value {
        for (key, node) in written.iter().filter(|(key, _)| !OWN.contains(&key.text.as_str())) {
            options.push(if options.pieces.is_empty() { "{" } else { "," });
            if key.text == "timeout" {
                options.push(&format!("\"timeout_ms\":{}", timeout(node, problems).unwrap_or_default()));
                continue;
            }
            check(&key.text, node, problems);
            options.push(&value::quoted(&key.text));
            options.push(":");
            options.append(value::value(node, problems));
        }
    }
    options.push(if options.pieces.is_empty() { "{}" } else { "}" });
    let agent = agent?;
    let place = agent.place;
    let agent = template::text(agent, &entries.path_of("agent"), Mode::Plain, problems);
    let goal = template::text(goal?, &entries.path_of("goal"), Mode::Plain, problems);
    Some(Request { place, agent, goal, context, options })
}

/// A literal option as the host will read it.
fn check(key: &str, node: &Node, problems: &mut Problems) {
    // Unknown keys have been reported where all keys were.
    if !keys::REQUEST.contains(&key) || !value::is_literal(node) {
        return;
    }
    let mut options = Map::new();
    options.insert(key.into(), node.to_json());
    if let Err(sentence) = RequestOptions::from_json(&Value::Object(options)) {
        // The model's sentence names what is wrong before the word and what is right after it.
        let known = sentence.split_once("; known: ").map(|(wrong, known)| (wrong, format!("one of {known}")));
        let right = sentence.split_once(" expects ").map(|(_, right)| ("the value does not fit", right.to_owned()));
        let (wrong, right) = known.or(right).unwrap_or_else(|| ("the value does not fit", sentence.clone()));
        let problem = problems.at(node.place, format!("the option `{key}`: {wrong}")).expected(right);
        problems.push(problem.hint("what is known only at run time is a reference, as in `\"${task.context.n}\"`"));
    }
}

fn timeout(node: &Node, problems: &mut Problems) -> Option<u128> {
    let read = node.as_text().and_then(duration);
    if let Some(time) = read.filter(|time| time.as_millis() > 0 && time.subsec_nanos() % 1_000_000 == 0) {
        return Some(time.as_millis());
    }
    let found = node.as_text().map_or_else(|| node.kind().to_owned(), quote);
    let problem = problems.at(node.place, format!("`timeout` is {found}"));
    let problem = problem.expected("a duration in whole milliseconds such as `10s` or `500ms`");
    problems.push(problem.hint("a reference to a number of milliseconds stands under `timeout_ms`"));
    None
}
