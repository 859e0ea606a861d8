//! What a child may use and hand on: the entry and the request within the parent's ceiling. Pure set arithmetic; the gate
//! turns a [`Excess`] into a refusal.

use sandfork_model::grant::ALWAYS_GRANTED;
use sandfork_model::{AgentEntry, Grant};
use std::collections::BTreeSet;

/// What was asked beyond what may be given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    /// The tools beyond.
    pub(crate) tools: Vec<String>,
    /// Beyond what: words for the message.
    pub(crate) beyond: &'static str,
    /// What would allow it.
    pub(crate) remedy: &'static str,
}

/// What an entry lacks.
const ADD_TO_ENTRY: &str = "add it to `tools` of its plan entry";
/// What a parent lacks.
const ADD_TO_PARENT: &str = "add it to `tools` or `delegate` of its parent's plan entry";

/// The grant of a child. `ceiling` is the parent's grant; `None` for the plan's own tasks: the plan is the ceiling.
pub(crate) fn grant(
    entry: &AgentEntry,
    manifest_tools: Option<&[String]>,
    asked: Option<&[String]>,
    ceiling: Option<&Grant>,
) -> Result<Grant, Excess> {
    let own: BTreeSet<String> = match (&entry.tools, manifest_tools) {
        (Some(tools), Some(manifest)) => {
            let tools = set(tools);
            within(set(manifest), &tools, "what its plan entry allows (asked by its manifest)")?;
            tools
        }
        (Some(tools), None) => set(tools),
        // A silent entry allows nothing: an agent's own list is a wish, and whoever wrote it is not trusted with the answer.
        (None, manifest) => {
            let wished = set(manifest.unwrap_or_default());
            within(
                wished,
                &BTreeSet::new(),
                "what its plan entry allows, which lists no `tools` (asked by its manifest)",
            )?
        }
    };
    let tools = match asked {
        Some(asked) => within(set(asked), &own, "what its plan entry allows")?,
        None => own,
    };
    let delegate = set(&entry.delegate);
    if let Some(ceiling) = ceiling {
        let beyond = |tools: &BTreeSet<String>| -> Vec<String> {
            tools.iter().filter(|tool| !ceiling.covers(tool)).cloned().collect()
        };
        let excess = beyond(&tools);
        if !excess.is_empty() {
            return Err(Excess { tools: excess, beyond: "what its parent has or may hand on", remedy: ADD_TO_PARENT });
        }
        let excess = beyond(&delegate);
        if !excess.is_empty() {
            let beyond = "what its parent has or may hand on (as `delegate`)";
            return Err(Excess { tools: excess, beyond, remedy: ADD_TO_PARENT });
        }
    }
    let spawn = entry.spawn.iter().map(|name| if name == "self" { entry.name.clone() } else { name.clone() }).collect();
    Ok(Grant { tools, delegate, spawn })
}

fn within(
    asked: BTreeSet<String>,
    allowed: &BTreeSet<String>,
    beyond: &'static str,
) -> Result<BTreeSet<String>, Excess> {
    let excess: Vec<String> = asked
        .iter()
        .filter(|tool| !allowed.contains(*tool) && !ALWAYS_GRANTED.contains(&tool.as_str()))
        .cloned()
        .collect();
    if excess.is_empty() { Ok(asked) } else { Err(Excess { tools: excess, beyond, remedy: ADD_TO_ENTRY }) }
}

fn set(names: &[String]) -> BTreeSet<String> {
    names.iter().filter(|name| !ALWAYS_GRANTED.contains(&name.as_str())).cloned().collect()
}
