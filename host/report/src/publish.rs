//! The one door by which a document or an event line leaves the run: whatever passes here has been redacted (OR-44).

use sandfork_model::redact::redact_json;
use serde_json::Value;

/// Redacts every text in `document`, names of keys included, and keeps its shape.
#[must_use]
pub fn publish(mut document: Value) -> Value {
    redact_json(&mut document);
    document
}
