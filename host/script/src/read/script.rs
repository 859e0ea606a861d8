//! Reads the document: what the agent says of itself, then its turns.

use super::entries::Entries;
use super::{keys, turn};
use crate::ast::Script;
use crate::compile::Manifest;
use sandfork_model::id::is_valid_id;
use sandfork_source::{Node, NodeValue, Problems, quote};

/// Characters of a description: it is shown to parents and people, it is no place for data.
const MAX_DESCRIPTION_CHARS: usize = 4096;

/// Reads a script. What comes back is worth checking further even if there are problems; `None` if it is no script at all.
pub(crate) fn script(node: &Node, problems: &mut Problems) -> Option<Script> {
    let entries = Entries::of(node, "", keys::SCRIPT, problems)?;
    let agent = entries.need("agent", "and the agent's name", problems).and_then(|node| agent(node, problems));
    let description = entries.get("description").and_then(|node| description(node, problems));
    let manifest = Manifest {
        agent: agent.unwrap_or_default(),
        description: description.unwrap_or_default(),
        tools: names(&entries, "tools", "tool names", problems),
        delegate: names(&entries, "delegate", "tool names", problems),
        spawn: names(&entries, "spawn", "agent names", problems),
    };
    let turns = match entries.need("turns", "and a list of turns, `[]` for none", problems) {
        Some(_) => entries.list("turns", "turns", problems),
        None => None,
    };
    let turns = turn::turns(turns.unwrap_or_default(), "turns", problems);
    Some(Script { manifest, turns })
}

fn agent(node: &Node, problems: &mut Problems) -> Option<String> {
    const EXPECTED: &str = "a letter, then at most 63 letters, digits, `_`, `-` or `.`";
    match node.as_text() {
        Some(text) if is_valid_id(text) => Some(text.into()),
        Some(text) => {
            let problem = problems.at(node.place, format!("{} is no name for an agent", quote(text)));
            problems.push(problem.expected(EXPECTED).hint("as in `agent: price_finder`"));
            None
        }
        None => {
            let problem = problems.at(node.place, format!("`agent` is {}", node.kind()));
            problems.push(problem.expected(EXPECTED).hint("as in `agent: price_finder`"));
            None
        }
    }
}

fn description(node: &Node, problems: &mut Problems) -> Option<String> {
    match node.as_text() {
        Some(text) if text.chars().count() <= MAX_DESCRIPTION_CHARS => Some(text.into()),
        Some(_) => {
            let problem = problems.at(node.place, "the description is too long");
            let problem = problem.expected(format!("at most {MAX_DESCRIPTION_CHARS} characters"));
            problems.push(problem.hint("say what the agent is for; data belongs into its task"));
            None
        }
        None => {
            let problem = problems.at(node.place, format!("`description` is {}", node.kind()));
            problems.push(problem.expected("text").hint("put it in quotes if it is meant as text"));
            None
        }
    }
}

/// A list of distinct names under a key; empty if the key is absent.
fn names(entries: &Entries<'_>, key: &str, of: &str, problems: &mut Problems) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for node in entries.list(key, of, problems).unwrap_or_default() {
        match &node.value {
            NodeValue::Text(text) if text.trim().is_empty() || text.contains("${") => {
                let problem = problems.at(node.place, format!("{} is no name in `{key}`", quote(text)));
                let problem = problem.expected(format!("{of}, written out"));
                problems.push(problem.hint("the list is read before anything runs, so it holds no references"));
            }
            NodeValue::Text(text) if names.contains(text) => {
                let problem = problems.at(node.place, format!("{} stands twice in `{key}`", quote(text)));
                problems.push(problem.expected("each name once").hint("remove one of them"));
            }
            NodeValue::Text(text) => names.push(text.clone()),
            _ => {
                let problem = problems.at(node.place, format!("an entry of `{key}` is {}", node.kind()));
                problems.push(problem.expected(of).hint("put it in quotes if it is meant as a name"));
            }
        }
    }
    names
}
