//! What the command line says when it could not run: words on stderr, and with `--json` one document on stdout.
//! Knows no plan and no script; a problem arrives here with its place already found.

use crate::plain::plain;
use crate::publish::publish;
use serde::Serialize;
use serde_json::{Value, json};

/// The name of the error document's shape.
pub const ERROR_SCHEMA: &str = "sandfork.error.v1";

/// One thing that is wrong, where it stands and what to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, as the user named it; `None` where no file is at fault.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u64>,
    /// 1-based column, in characters.
    pub column: Option<u64>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem that has no place.
    #[must_use]
    pub fn unplaced(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// `file:line:column: message`; what was expected and the hint on lines of their own.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = String::new();
        if let Some(file) = &self.file {
            words.push_str(&plain(file));
            for number in [self.line, self.column].into_iter().flatten() {
                words.push_str(&format!(":{number}"));
            }
            words.push_str(": ");
        }
        words.push_str(&plain(&self.message));
        for (label, more) in [("expected", &self.expected), ("hint", &self.hint)] {
            if let Some(more) = more {
                words.push_str(&format!("\n  {label}: {}", plain(more)));
            }
        }
        words
    }
}

/// Why nothing ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Stable, snake case: `invalid_plan`, `invalid_script`, `usage`, …
    pub code: &'static str,
    /// One sentence: what happened, to whom.
    pub message: String,
    /// Every problem found, in file order.
    pub problems: Vec<Problem>,
}

impl std::error::Error for Failure {}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words())
    }
}

impl Failure {
    /// The error document of exit 2, redacted.
    #[must_use]
    pub fn document(&self) -> Value {
        publish(json!({
            "schema": ERROR_SCHEMA,
            "error": {
                "code": self.code,
                "message": self.message,
                "details": { "problems": self.problems },
            },
        }))
    }

    /// The same for people.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = format!("error: {}", plain(&self.message));
        for problem in &self.problems {
            words.push('\n');
            words.push_str(&problem.words());
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> Failure {
        Failure {
            code: "invalid_plan",
            message: "plan.yaml is no valid plan".into(),
            problems: vec![Problem {
                file: Some("plan.yaml".into()),
                line: Some(3),
                column: Some(5),
                message: "unknown key `agnts`".into(),
                expected: Some("run, agents, root".into()),
                hint: Some("did you mean `agents`?".into()),
            }],
        }
    }

    #[test]
    fn words_lead_to_the_place_and_say_what_to_do() {
        let words = failure().words();
        assert_eq!(
            words,
            "error: plan.yaml is no valid plan\n\
             plan.yaml:3:5: unknown key `agnts`\n  expected: run, agents, root\n  hint: did you mean `agents`?"
        );
    }

    #[test]
    fn the_document_lists_every_problem_with_its_place() {
        let document = failure().document();
        assert_eq!(document["schema"], ERROR_SCHEMA);
        assert_eq!(document["error"]["code"], "invalid_plan");
        assert_eq!(document["error"]["details"]["problems"][0]["line"], 3);
    }
}
