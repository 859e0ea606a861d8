//! Whether a document is a report at all: the parts that a comparison reads are there and are what they should be.

use crate::document::REPORT_SCHEMA;
use serde_json::Value;

/// Every part that is read, and what it must be.
pub(super) fn check(report: &Value) -> Result<(), String> {
    let schema = report.get("schema").and_then(Value::as_str);
    if schema != Some(REPORT_SCHEMA) {
        return Err(format!("`schema` is not {REPORT_SCHEMA}"));
    }
    type Is = fn(&Value) -> bool;
    let parts: [(&str, Is, &str); 9] = [
        ("/run_id", Value::is_string, "a text"),
        ("/status", Value::is_string, "a text"),
        ("/elapsed_ms", Value::is_number, "a number"),
        ("/tasks_used", Value::is_u64, "a whole number"),
        ("/results", Value::is_array, "a list"),
        ("/usage/input_tokens", Value::is_u64, "a whole number"),
        ("/usage/output_tokens", Value::is_u64, "a whole number"),
        ("/usage/fuel", Value::is_u64, "a whole number"),
        ("/metrics", Value::is_object, "an object"),
    ];
    for (pointer, is_right, expected) in parts {
        if !report.pointer(pointer).is_some_and(is_right) {
            return Err(format!("`{}` expects {expected}", pointer.trim_start_matches('/').replace('/', ".")));
        }
    }
    Ok(())
}
