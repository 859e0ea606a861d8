//! A plan's agents with their code: scripts compiled, components read, each file once. A component is not judged here:
//! whether it can be loaded is the sandbox room's word, and a fork's failure.

use crate::problem::{invalid_plan, of_file};
use crate::read::{compile_script, read_bounded};
use sandfork_model::{AgentEntry, AgentSource, Footprint, Plan};
use sandfork_orchestrator::AgentCode;
use sandfork_report::Failure;
use sandfork_sandbox::{LoadLimits, footprint, manifest};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The code of every agent of the plan, by name. Does files.
pub(crate) fn catalog(plan: &Plan) -> Result<HashMap<String, AgentCode>, Failure> {
    let mut by_path: HashMap<(bool, &Path), AgentCode> = HashMap::new();
    let mut agents = HashMap::with_capacity(plan.agents.len());
    for entry in &plan.agents {
        // One file may be the code of several agents; read as a script it is not what it is read as a component.
        let key = match &entry.source {
            AgentSource::Script(path) => (true, path.as_path()),
            AgentSource::Component(path) => (false, path.as_path()),
        };
        let code = match by_path.get(&key) {
            Some(code) => code.clone(),
            None => by_path.entry(key).or_insert(code(entry)?).clone(),
        };
        agents.insert(entry.name.clone(), code);
    }
    Ok(agents)
}

fn code(entry: &AgentEntry) -> Result<AgentCode, Failure> {
    let (component, footprint): (Arc<[u8]>, Footprint) = match &entry.source {
        AgentSource::Script(path) => (compile_script(path)?.into(), Footprint::Small),
        AgentSource::Component(path) => {
            let component = component(path)?;
            let footprint = footprint(&component);
            (component.into(), footprint)
        }
    };
    let manifest_tools = manifest_tools(&component);
    Ok(AgentCode { component, manifest_tools, footprint })
}

/// The bytes of a component, one more than may be loaded at most: the loader then says that it is too large.
fn component(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(path, component_bytes())
        .map_err(|error| invalid_plan(path, vec![of_file(path, format!("the component cannot be read: {error}"))]))
}

/// The most bytes read of a component.
pub(crate) fn component_bytes() -> u64 {
    u64::try_from(LoadLimits::default().component_bytes).unwrap_or(u64::MAX).saturating_add(1)
}

/// The tools that the component's manifest asks for; `None` where it has no manifest, or is no component.
fn manifest_tools(component: &[u8]) -> Option<Vec<String>> {
    let manifest = manifest(component)?;
    let tools = manifest.get("tools")?.as_array()?;
    Some(tools.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
