//! What a component may reach, in sentences: what it imports, what its manifest asks for, what nobody gets. Reads what was
//! found in the component; what a plan grants is the plan's.

use sandfork::Inspection;
use serde_json::Value;

/// What our interface lets a component do.
const OURS: &str = "instance sandfork:agent/orchestrator@";

/// One sentence for each thing it may reach.
pub(crate) fn reach(inspection: &Inspection) -> Vec<String> {
    let asks = |prefix: &str| inspection.imports.iter().filter(|import| import.starts_with(prefix)).count();
    let mut sentences = vec![if asks(OURS) > 0 {
        "note, spawn and tool, which the orchestrator answers within the fork's grant and budget".to_owned()
    } else {
        "nothing: it imports no interface of ours".to_owned()
    }];
    let wasi = asks("instance wasi:");
    sentences.push(if wasi > 0 {
        format!("{wasi} interfaces of WASI, if its plan entry says `wasi: denied`, and nothing behind them")
    } else {
        "no file, clock, randomness, network or environment of the machine: it has no import for any".to_owned()
    });
    let manifest = inspection.manifest.as_ref();
    let names = |key: &str| -> Vec<&str> {
        let list = manifest.and_then(|manifest| manifest.get(key)).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    for (key, does, nothing) in [
        ("tools", "calls, if a plan grants them", "calls no tool of a plan"),
        ("delegate", "hands on without calling them", ""),
        ("spawn", "forks, if its plan entry lists them", "forks no agent"),
    ] {
        let names = names(key);
        if !names.is_empty() {
            sentences.push(format!("by its manifest it {does}: {}", names.join(", ")));
        } else if manifest.is_some() && !nothing.is_empty() {
            sentences.push(format!("by its manifest it {nothing}"));
        }
    }
    if manifest.is_none() {
        sentences.push("it has no manifest: a plan's entry alone says what it is granted".to_owned());
    }
    sentences
}
