//! The shapes of what this room writes, as JSON Schema. Written by hand, tested against real documents.

/// JSON Schema of the report.
pub const REPORT: &str = include_str!("../schema/report.json");
/// JSON Schema of one line of the event log.
pub const EVENT: &str = include_str!("../schema/event.json");
