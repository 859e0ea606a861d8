//! What an agent says of itself: read from `agent.yaml`, written into its component. Knows nothing of what a plan grants.

use sandfork_model::INTERFACE;
use serde_json::{Map, Value};

/// The manifest of a project's agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The agent's name.
    pub name: String,
    /// Three numbers, perhaps with a suffix.
    pub version: String,
    /// What it is for; empty if unsaid.
    pub description: String,
    /// Under which terms it may be used; empty if unsaid.
    pub licence: String,
    /// The tools it calls.
    pub tools: Vec<String>,
    /// The tools it hands on without calling them.
    pub delegate: Vec<String>,
    /// The agents it forks; `self` for itself.
    pub spawn: Vec<String>,
    /// JSON Schema of its task's context.
    pub input_schema: Option<Value>,
    /// JSON Schema of its output.
    pub output_schema: Option<Value>,
}

impl Manifest {
    /// The object that stands in the component.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (key, text) in [
            ("interface", INTERFACE),
            ("name", &self.name),
            ("version", &self.version),
            ("description", &self.description),
            ("licence", &self.licence),
        ] {
            map.insert(key.to_owned(), Value::from(text));
        }
        for (key, names) in [("tools", &self.tools), ("delegate", &self.delegate), ("spawn", &self.spawn)] {
            map.insert(key.to_owned(), Value::from(names.as_slice()));
        }
        for (key, schema) in [("input_schema", &self.input_schema), ("output_schema", &self.output_schema)] {
            if let Some(schema) = schema {
                map.insert(key.to_owned(), schema.clone());
            }
        }
        Value::Object(map)
    }
}
