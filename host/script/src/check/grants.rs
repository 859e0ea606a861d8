//! Holds what a script does against what it says it needs: tools it calls, agents it forks.

use crate::ast::{Act, Body, Name, Script, Step, Turn};
use crate::compile::Manifest;
use sandfork_source::{Problems, nearest, quote};

/// Tools that need no asking.
const FREE: [&str; 4] = ["model", "sleep", "budget", "fork_subagents"];

/// Checks every step.
pub(super) fn check(script: &Script, problems: &mut Problems) {
    turns(&script.turns, &script.manifest, problems);
}

fn turns(turns: &[Turn], manifest: &Manifest, problems: &mut Problems) {
    for turn in turns {
        steps(&turn.steps, manifest, problems);
    }
}

fn steps(list: &[Step], manifest: &Manifest, problems: &mut Problems) {
    for step in list {
        match &step.act {
            Act::Tool { name, .. } => tool(name, manifest, problems),
            Act::Spawn { requests, .. } => {
                for request in requests {
                    if let Some(agent) = request.agent.as_text() {
                        let name = Name { place: request.place, text: agent.into() };
                        spawn(&name, manifest, problems);
                    }
                }
            }
            Act::If { then, otherwise, .. } => {
                steps(then, manifest, problems);
                steps(otherwise, manifest, problems);
            }
            Act::ForEach { body, .. } | Act::Repeat { body, .. } => match body {
                Body::Steps(list) => steps(list, manifest, problems),
                Body::Turns(list) => turns(list, manifest, problems),
            },
            Act::Note(_) | Act::Fail { .. } | Act::Return(_) => {}
        }
    }
}

fn tool(name: &Name, manifest: &Manifest, problems: &mut Problems) {
    if FREE.contains(&name.text.as_str()) || manifest.tools.contains(&name.text) {
        return;
    }
    let problem = problems.at(name.place, format!("the tool {} is not among the script's `tools`", quote(&name.text)));
    let problem = problem.expected(match manifest.tools.as_slice() {
        [] => format!("a tool that needs no asking ({})", FREE.join(", ")),
        tools => format!("one of {}", tools.join(", ")),
    });
    let known = manifest.tools.iter().map(String::as_str).chain(FREE);
    problems.push(if manifest.delegate.contains(&name.text) {
        problem.hint("what stands in `delegate` is handed on, not called: add it to `tools` too")
    } else if let Some(near) = nearest(&name.text, known) {
        problem.hint(format!("did you mean `{near}`?"))
    } else {
        problem.hint(format!("add {} to `tools`", quote(&name.text)))
    });
}

/// A script that says which agents it forks is held to it; one that does not say leaves it to its plan.
fn spawn(name: &Name, manifest: &Manifest, problems: &mut Problems) {
    if manifest.spawn.is_empty() || manifest.spawn.contains(&name.text) {
        return;
    }
    let is_itself = name.text == manifest.agent && manifest.spawn.iter().any(|agent| agent == "self");
    if is_itself {
        return;
    }
    let problem = problems.at(name.place, format!("the agent {} is not among the script's `spawn`", quote(&name.text)));
    let problem = problem.expected(format!("one of {}", manifest.spawn.join(", ")));
    problems.push(match nearest(&name.text, manifest.spawn.iter().map(String::as_str)) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint(format!("add {} to `spawn`", quote(&name.text))),
    });
}
