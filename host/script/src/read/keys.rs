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
    "timeout",
    "timeout_ms",
    "on_failure",
    "critical",
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
