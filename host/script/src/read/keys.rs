//! Every key of the language, once: readers refuse what is not here, a test holds the schema against it.

/// The document.
pub(crate) const SCRIPT: &[&str] = &["agent", "description", "tools", "delegate", "spawn", "turns"];
/// An entry of `turns`.
pub(crate) const TURN: &[&str] = &["think", "say", "do", "return", "fail"];
/// The keys that say what a step does. A step has exactly one of them.
pub(crate) const ACTS: &[&str] = &["tool", "spawn", "note", "if", "for_each", "repeat", "fail", "return"];
/// A step that calls a tool.
pub(crate) const TOOL: &[&str] = &["tool", "with", "as"];
/// A step that forks agents.
pub(crate) const SPAWN: &[&str] = &["spawn", "options", "as"];
/// A step that writes into the notebook.
pub(crate) const NOTE: &[&str] = &["note"];
/// A step that chooses.
pub(crate) const IF: &[&str] = &["if", "then", "else"];
/// A step that walks a list.
pub(crate) const FOR_EACH: &[&str] = &["for_each", "as", "index", "do", "turns"];
/// A step that repeats.
pub(crate) const REPEAT: &[&str] = &["repeat", "until", "do", "turns"];
/// A step that ends the run with an error.
pub(crate) const FAIL: &[&str] = &["fail"];
/// A step that ends the run with a value.
pub(crate) const RETURN: &[&str] = &["return"];
/// What `fail` holds.
pub(crate) const FAILURE: &[&str] = &["code", "message", "details"];
/// The `options` of `spawn`.
pub(crate) const SPAWN_OPTIONS: &[&str] = &["return"];
/// An entry of `spawn`.
pub(crate) const REQUEST: &[&str] = &[
    "agent",
    "goal",
    "context",
    "id",
    "tools",
    "budget",
    "budget_min",
    "timeout",
    "timeout_ms",
    "on_failure",
    "critical",
    "low_value",
    "output_schema",
    "acceptance_criteria",
    "context_refs",
];
/// What a condition may be.
pub(crate) const CONDITION: &[&str] = &[
    "ok",
    "error",
    "present",
    "equal",
    "contains",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "not",
    "all",
    "any",
];
/// What the condition `error` holds.
pub(crate) const ERROR: &[&str] = &["of", "is"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// The keys that the schema has at a place.
    fn in_schema(schema: &Value, pointer: &str) -> Vec<String> {
        let place = schema.pointer(pointer).unwrap_or_else(|| panic!("the schema has no {pointer}"));
        place["properties"].as_object().expect("properties are an object").keys().cloned().collect()
    }

    #[test]
    fn the_schema_has_every_key_the_readers_know_and_no_other() {
        let schema: Value = serde_json::from_str(crate::SCHEMA).expect("the schema is JSON");
        for (keys, pointer) in [
            (SCRIPT, ""),
            (TURN, "/$defs/turn"),
            (TOOL, "/$defs/tool"),
            (SPAWN, "/$defs/spawn"),
            (NOTE, "/$defs/note"),
            (IF, "/$defs/if"),
            (FOR_EACH, "/$defs/for_each"),
            (REPEAT, "/$defs/repeat"),
            (FAIL, "/$defs/fail"),
            (RETURN, "/$defs/return"),
            (FAILURE, "/$defs/failure"),
            (SPAWN_OPTIONS, "/$defs/spawn/properties/options"),
            (REQUEST, "/$defs/request"),
            (CONDITION, "/$defs/condition/anyOf/1"),
            (ERROR, "/$defs/condition/anyOf/1/properties/error"),
        ] {
            assert_eq!(in_schema(&schema, pointer), keys, "{pointer}");
        }
        let steps = schema["$defs"]["step"]["oneOf"].as_array().expect("a step is one of several");
        let steps: Vec<_> = steps.iter().map(|step| step["$ref"].as_str().expect("a reference")).collect();
        assert_eq!(steps, ACTS.iter().map(|act| format!("#/$defs/{act}")).collect::<Vec<_>>());
    }

    #[test]
    fn every_key_is_documented() {
        let docs = include_str!("../../../../docs/scripts.md");
        for key in [SCRIPT, TURN, ACTS, TOOL, SPAWN, IF, FOR_EACH, REPEAT, FAILURE, REQUEST, CONDITION, ERROR].concat()
        {
            let is_there =
                [format!("`{key}`"), format!("{key}:"), format!("{{ {key}"), format!("{{{key}"), format!(", {key}")];
            assert!(is_there.iter().any(|form| docs.contains(form)), "docs/scripts.md does not mention {key}");
        }
    }
}
