//! The JSON Schemas of what goes in: the plan a user writes and the task document a guest receives. Hand-written, because
//! they are read by people; tests hold them against the readers.

/// JSON Schema of a plan.
pub const SCHEMA: &str = include_str!("../schema/plan.json");
/// JSON Schema of the task document that a guest's `run` receives.
pub const TASK_SCHEMA: &str = include_str!("../schema/task.json");
