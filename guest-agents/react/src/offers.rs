//! The tools that a model is offered: those of the task, and two of this loop's own to end with something else than an output.

use sandfork_guest::{Json, Task, json};

/// Ends the fork for lack of input.
pub(crate) const BLOCKED: &str = "blocked";
/// Ends the fork as failed.
pub(crate) const GIVE_UP: &str = "give_up";

/// What may be called.
#[derive(Clone, Debug)]
pub(crate) struct Offers {
    schemas: Vec<Json>,
    names: Vec<String>,
    granted: usize,
}

impl Offers {
    /// A granted tool stands above one of this loop's own with the same name.
    pub(crate) fn of(task: &Task) -> Self {
        let spec = |name: &str, description: &str, schema: &Json| json!({ "name": name, "description": description, "input_schema": schema });
        let mut names: Vec<String> = task.tools.iter().map(|tool| tool.name.clone()).collect();
        let mut schemas: Vec<Json> =
            task.tools.iter().map(|tool| spec(&tool.name, &tool.description, &tool.input_schema)).collect();
        let granted = names.len();
        for (name, description, schema) in own() {
            if !names.iter().any(|known| known == name) {
                schemas.push(spec(name, description, &schema));
                names.push(name.to_owned());
            }
        }
        Self { schemas, names, granted }
    }

    /// `{name, description, input_schema}` each, for a model.
    pub(crate) fn schemas(&self) -> &[Json] {
        &self.schemas
    }

    /// Whether the host would answer it.
    pub(crate) fn is_granted(&self, name: &str) -> bool {
        self.names.iter().take(self.granted).any(|known| known == name)
    }

    /// Whether this loop answers it.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        self.names.iter().skip(self.granted).any(|known| known == name)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

fn own() -> [(&'static str, &'static str, Json); 2] {
    [
        (
            BLOCKED,
            "Ends your work because the task lacks input; who gave it may give it again with these fields.",
            json!({
                "type": "object", "additionalProperties": false, "required": ["missing"],
                "properties": { "missing": { "type": "array", "minItems": 1, "items": { "type": "string" } } },
            }),
        ),
        (
            GIVE_UP,
            "Ends your work as failed. The code is stable and in snake case; `needs_split` says that the task is too large.",
            json!({
                "type": "object", "additionalProperties": false, "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string" }, "message": { "type": "string" }, "details": { "type": "object" },
                },
            }),
        ),
    ]
}
