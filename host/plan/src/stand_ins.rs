//! Scripted answers that stand for built-in tools: only for trying an agent out, never in a plan, where a name means one
//! tool.

use crate::tools::scripted;
use sandfork_model::plan::ScriptedTool;
use sandfork_source::{Key, Node, Problem, Problems, quote};

/// The built-in tools that only the orchestrator can answer.
const NOBODY_ELSE: [&str; 4] = ["model", "sleep", "budget", "fork_subagents"];

/// Reads the entries of `tools` that are named like built-in ones.
///
/// # Errors
/// Everything that is wrong with them, in the order of the file.
pub fn stand_ins(file: &str, entries: &[(Key, Node)]) -> Result<Vec<ScriptedTool>, Vec<Problem>> {
    let mut problems = Problems::new(file);
    let mut read = Vec::new();
    for (key, node) in entries {
        if NOBODY_ELSE.contains(&key.text.as_str()) {
            let problem =
                problems.at(key.place, format!("{} is answered by the orchestrator itself", quote(&key.text)));
            problems.push(problem.hint("remove it: nothing can stand for it"));
            continue;
        }
        read.extend(scripted(key, node, &mut problems));
    }
    if problems.is_empty() { Ok(read) } else { Err(problems.into_vec()) }
}
