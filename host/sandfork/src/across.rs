//! What a plan, its agents and their manifests say of each other, told before anything runs. These are warnings: a fork that
//! is refused is an outcome, and a plan may be written to show just that.

use crate::problem::of_file;
use sandfork_model::{AgentEntry, AgentSource, Plan};
use sandfork_orchestrator::AgentCode;
use sandfork_report::Problem;
use sandfork_sandbox::inspect;
use sandfork_source::nearest;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Everything an agent asks for in its manifest that its entry in the plan does not have.
pub(crate) fn across(plan: &Plan, agents: &HashMap<String, AgentCode>) -> Vec<Problem> {
    let mut warnings = unknown_agents(plan);
    for entry in &plan.agents {
        let Some(code) = agents.get(&entry.name) else { continue };
        let Some(manifest) = inspect(&code.component).ok().and_then(|inspection| inspection.manifest) else { continue };
        let (AgentSource::Script(file) | AgentSource::Component(file)) = &entry.source;
        warnings.extend(tools(entry, file, &manifest));
        warnings.extend(spawn(entry, file, &manifest));
        warnings.extend(contexts(plan, entry, file, &manifest));
    }
    warnings
}

/// Tasks of the plan for an agent that it does not have.
fn unknown_agents(plan: &Plan) -> Vec<Problem> {
    let known = || plan.agents.iter().map(|entry| entry.name.as_str());
    let unknown = plan.shape.tasks().iter().filter(|task| plan.agent(&task.agent).is_none());
    unknown
        .map(|task| {
            let hint = match nearest(&task.agent, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the plan has: {}", known().collect::<Vec<_>>().join(", ")),
            };
            let message =
                format!("the task `{}` is for the agent `{}`, which is none of `agents`", task.id, task.agent);
            Problem { hint: Some(hint), ..Problem::unplaced(format!("{message}: it will fail as unknown_subagent")) }
        })
        .collect()
}

/// Contexts of the plan's own tasks that do not meet what the agent's manifest says of its input. Nobody holds a fork to that
/// but the agent itself.
fn contexts(plan: &Plan, entry: &AgentEntry, file: &Path, manifest: &Value) -> Vec<Problem> {
    let Some(validator) = manifest.get("input_schema").and_then(|schema| jsonschema::validator_for(schema).ok()) else {
        return Vec::new();
    };
    let own = plan.shape.tasks().iter().filter(|task| task.agent == entry.name);
    own.filter_map(|task| {
        let error = validator.iter_errors(&task.context).next()?;
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
        let message =
            format!("the context of `{}` is not what the agent `{}` asks for{place}: {error}", task.id, entry.name);
        let hint = Some("its manifest's `input_schema` says what it reads; `sandfork inspect` shows it".to_owned());
        Some(Problem { hint, ..of_file(file, message) })
    })
    .collect()
}

fn tools(entry: &AgentEntry, file: &Path, manifest: &Value) -> Vec<Problem> {
    // An entry that says nothing grants nothing.
    let granted = entry.tools.as_deref().unwrap_or_default();
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
