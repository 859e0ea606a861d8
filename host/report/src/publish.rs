//! The one door by which a document or an event line leaves the run: whatever passes here has been redacted (OR-44).

use sandfork_model::redact::redact;
use serde_json::{Map, Value};

/// Redacts every text in `document`, names of keys included, and keeps its shape.
#[must_use]
pub fn publish(document: Value) -> Value {
    match document {
        Value::Null | Value::Bool(_) | Value::Number(_) => document,
        Value::String(text) => Value::String(redact(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(publish).collect(),
        Value::Object(entries) => {
            let mut published = Map::with_capacity(entries.len());
            for (key, value) in entries {
                let mut name = redact(&key).into_owned();
                // Two keys may look alike once redacted; neither may take the other's value.
                while published.contains_key(&name) {
                    name.push('\'');
                }
                published.insert(name, publish(value));
            }
            Value::Object(published)
        }
    }
}
