//! How an agent says that it cannot: a code for programs, a message for people, details for both.

use crate::port::RawError;
use crate::{ChildError, Json, ToolError, json};
use serde::Deserialize;
use std::fmt;

/// Code of a failure that came from an error of Rust's own (`"x".parse()?`), as in the SDKs of the other languages.
const EXCEPTION: &str = "exception";

/// Why an agent gave up, as its parent sees it. Not an error type itself, so that every error can become one with `?`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Failure {
    /// Stable, snake case: what a parent compares.
    pub code: String,
    /// What happened, to whom, what to do.
    pub message: String,
    /// An object with what a program needs to act on it.
    pub details: Json,
}

impl Failure {
    /// A failure with a code of your own and no details. `needs_split` is one that planners understand.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: json!({}) }
    }

    /// The same failure with details: an object.
    #[must_use]
    pub fn details(mut self, details: Json) -> Self {
        self.details = details;
        self
    }

    /// The fork cannot go on without these fields of its context: it ends `blocked`, and who gave the task may give it again
    /// with them.
    #[must_use]
    pub fn blocked<F: Into<String>>(missing: impl IntoIterator<Item = F>) -> Self {
        let missing: Vec<String> = missing.into_iter().map(Into::into).collect();
        Self::new("blocked", format!("missing: {}", missing.join(", "))).details(json!({ "missing": missing }))
    }

    pub(crate) fn from_raw(raw: RawError) -> Self {
        Self { code: raw.code, message: raw.message, details: lenient(&raw.details) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// Everything that a `?` meets besides tools and children: a parse error, an error of the author's own.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let kind = std::any::type_name::<E>();
        Self::new(EXCEPTION, error.to_string()).details(json!({ "type": kind }))
    }
}

/// A tool's error that the agent does not handle is its own failure, under the tool's code.
impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let details = with(*error.details, "tool", error.tool.into());
        Self { code: error.code, message: error.message, details }
    }
}

/// A child's failure that the agent does not handle is its own: the same code and details, and which child it was.
impl From<ChildError> for Failure {
    fn from(child: ChildError) -> Self {
        let outcome = *child.outcome;
        let who = json!({ "task_id": outcome.task_id, "agent": outcome.agent, "status": outcome.status.name() });
        let error = outcome.error.unwrap_or_default();
        Self { code: error.code, message: error.message, details: with(error.details, "child", who) }
    }
}

/// Details with one more entry; what is no object moves down a level.
fn with(details: Json, key: &str, value: Json) -> Json {
    let mut details = match details {
        Json::Object(map) => map,
        Json::Null => serde_json::Map::new(),
        other => serde_json::Map::from_iter([("details".to_owned(), other)]),
    };
    details.insert(key.to_owned(), value);
    Json::Object(details)
}

/// JSON text of the host; what is none is kept as text, since an error about an error helps nobody.
pub(crate) fn lenient(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_rusts_own_becomes_a_failure_by_a_question_mark() {
        fn number(text: &str) -> Result<u32, Failure> {
            Ok(text.parse::<u32>()?)
        }
        let failure = number("x").expect_err("no number");
        assert_eq!(failure.code, "exception");
        assert!(failure.details["type"].as_str().expect("a type").contains("ParseIntError"));
    }

    #[test]
    fn what_is_missing_stands_in_the_details_of_blocked() {
        let failure = Failure::blocked(["order_number", "city"]);
        assert_eq!(failure.details, json!({ "missing": ["order_number", "city"] }));
        assert_eq!(failure.to_string(), "blocked: missing: order_number, city");
    }

    #[test]
    fn a_tools_error_keeps_its_code_and_details_and_names_the_tool() {
        let error = ToolError::new("read_file", "not_found", "no a.txt".into(), json!({ "path": "a.txt" }));
        let failure = Failure::from(error);
        assert_eq!(failure.code, "not_found");
        assert_eq!(failure.details, json!({ "path": "a.txt", "tool": "read_file" }));
    }

    #[test]
    fn details_that_are_no_object_move_down_a_level() {
        assert_eq!(with(json!([1]), "tool", json!("t")), json!({ "details": [1], "tool": "t" }));
        assert_eq!(with(Json::Null, "tool", json!("t")), json!({ "tool": "t" }));
    }
}
