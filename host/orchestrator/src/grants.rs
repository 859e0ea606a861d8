//! What a child may use and hand on: the entry and the request within the parent's ceiling. Set arithmetic; the gate turns
//! an [`Excess`] into a refusal. What an entry grants by itself is made once and shared by its forks.

use crate::told::Told;
use crate::toolbox::Toolbox;
use sandfork_model::grant::ALWAYS_GRANTED;
use sandfork_model::{AgentEntry, Grant};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What was asked beyond what may be given.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A grant, shared by the forks that have it, with what each of them is told of it.
#[derive(Debug)]
pub(crate) struct Granted {
    grant: Grant,
    told: OnceLock<Told>,
}

impl Granted {
    fn new(grant: Grant) -> Arc<Self> {
        Arc::new(Self { grant, told: OnceLock::new() })
    }

    /// What every fork with this grant is told of it.
    pub(crate) fn told(&self, toolbox: &Toolbox) -> &Told {
        self.told.get_or_init(|| Told::of(&self.grant, toolbox))
    }
}

impl Deref for Granted {
    type Target = Grant;

    fn deref(&self) -> &Grant {
        &self.grant
    }
}

/// What a plan entry grants by itself.
pub(crate) fn own(entry: &AgentEntry, manifest_tools: Option<&[String]>) -> Result<Arc<Granted>, Excess> {
    let tools: BTreeSet<String> = match (&entry.tools, manifest_tools) {
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
    let spawn = entry.spawn.iter().map(|name| if name == "self" { entry.name.clone() } else { name.clone() }).collect();
    Ok(Granted::new(Grant { tools, delegate: set(&entry.delegate), spawn }))
}

/// The grant of a child whose entry grants `own`. `ceiling` is the parent's grant; `None` for the plan's own tasks: the plan
/// is the ceiling.
pub(crate) fn grant(
    own: &Arc<Granted>,
    asked: Option<&[String]>,
    ceiling: Option<&Grant>,
) -> Result<Arc<Granted>, Excess> {
    let granted = match asked {
        Some(asked) => {
            let tools = within(set(asked), &own.tools, "what its plan entry allows")?;
            Granted::new(Grant { tools, delegate: own.delegate.clone(), spawn: own.spawn.clone() })
        }
        None => Arc::clone(own),
    };
    if let Some(ceiling) = ceiling {
        let beyond = |tools: &BTreeSet<String>| -> Vec<String> {
            tools.iter().filter(|tool| !ceiling.covers(tool)).cloned().collect()
        };
        let excess = beyond(&granted.tools);
        if !excess.is_empty() {
            return Err(Excess { tools: excess, beyond: "what its parent has or may hand on", remedy: ADD_TO_PARENT });
        }
        let excess = beyond(&granted.delegate);
        if !excess.is_empty() {
            let beyond = "what its parent has or may hand on (as `delegate`)";
            return Err(Excess { tools: excess, beyond, remedy: ADD_TO_PARENT });
        }
    }
    Ok(granted)
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
