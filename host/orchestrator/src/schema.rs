//! Holding an output against its JSON Schema. A mismatch names the path; a schema that is none is found at admission.

use serde_json::Value;
use std::sync::Arc;

/// A schema, compiled once.
#[derive(Clone)]
pub(crate) struct OutputSchema {
    text: Value,
    validator: Arc<jsonschema::Validator>,
}

impl OutputSchema {
    /// Compiles a schema; remote references are not followed.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
        Ok(Self { text: schema.clone(), validator: Arc::new(validator) })
    }

    /// The schema as written.
    pub(crate) fn text(&self) -> &Value {
        &self.text
    }

    /// Where and why `output` does not fit, if it does not: JSON Pointer and reason of the first mismatch.
    pub(crate) fn mismatch(&self, output: &Value) -> Option<(String, String)> {
        self.validator.iter_errors(output).next().map(|error| (error.instance_path().to_string(), error.to_string()))
    }
}
