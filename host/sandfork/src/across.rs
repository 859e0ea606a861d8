//! What a plan and the manifests of its agents say of each other, told before anything runs. These are warnings: a fork that
//! is refused is an outcome, and a plan may be written to show just that.

use crate::problem::of_file;
use sandfork_model::{AgentEntry, AgentSource, Plan};
use sandfork_orchestrator::AgentCode;
use sandfork_report::Problem;
use sandfork_sandbox::inspect;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Everything an agent asks for in its manifest that its entry in the plan does not have.
pub(crate) fn across(plan: &Plan, agents: &HashMap<String, AgentCode>) -> Vec<Problem> {
    let mut warnings = Vec::new();
    for entry in &plan.agents {
        let Some(code) = agents.get(&entry.name) else { continue };
        let Some(manifest) = inspect(&code.component).ok().and_then(|inspection| inspection.manifest) else { continue };
        let (AgentSource::Script(file) | AgentSource::Component(file)) = &entry.source;
        warnings.extend(tools(entry, file, &manifest));
        warnings.extend(spawn(entry, file, &manifest));
    }
    warnings
}

fn tools(entry: &AgentEntry, file: &Path, manifest: &Value) -> Vec<Problem> {
    let Some(granted) = &entry.tools else { return Vec::new() };
    let missing = names(manifest, "tools").filter(|tool| !granted.iter().any(|granted| granted == tool));
    missing.map(|tool| warning(entry, file, &format!("asks for the tool `{tool}`"), "tools", tool)).collect()
}

fn spawn(entry: &AgentEntry, file: &Path, manifest: &Value) -> Vec<Problem> {
    // `self` and its own name are the same agent, whichever of them either side writes.
    let own = |agent: &str| agent == "self" || agent == entry.name;
    let may = |agent: &str| entry.spawn.iter().any(|listed| listed == agent || (own(agent) && own(listed)));
    let missing = names(manifest, "spawn").filter(|agent| !may(agent));
    missing.map(|agent| warning(entry, file, &format!("forks the agent `{agent}`"), "spawn", agent)).collect()
}

fn names<'a>(manifest: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    manifest.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn warning(entry: &AgentEntry, file: &Path, what: &str, key: &str, name: &str) -> Problem {
    let agent = &entry.name;
    let message =
        format!("the agent `{agent}` {what}, which its entry in the plan does not list: this will be refused");
    Problem { hint: Some(format!("add {name} to agents.{agent}.{key} in the plan")), ..of_file(file, message) }
}
