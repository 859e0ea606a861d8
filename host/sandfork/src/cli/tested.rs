//! What came of a project's cases, in words and as a document.

use crate::cli::exit::Exit;
use sandfork::project::{Case, Difference, Got};
use sandfork_report::plain::plain;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What came of one case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// All as expected.
    Passed,
    /// Something else; what it is.
    Failed(Vec<Difference>),
    /// Its file now expects what came.
    Updated,
}

impl Verdict {
    fn name(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Updated => "updated",
        }
    }
}

/// The cases so far.
pub(crate) struct Tested {
    agent: String,
    cases: Vec<Value>,
    passed: usize,
    failed: usize,
    updated: usize,
    is_interrupted: bool,
}

impl Tested {
    pub(crate) fn of(agent: &str) -> Self {
        let agent = agent.to_owned();
        Self { agent, cases: Vec::new(), passed: 0, failed: 0, updated: 0, is_interrupted: false }
    }

    /// The rest is not run.
    pub(crate) fn interrupt(&mut self) {
        self.is_interrupted = true;
    }

    /// Counts a case; what to say of it, with every difference on lines of its own.
    pub(crate) fn add(&mut self, case: &Case, got: &Got, verdict: Verdict) -> String {
        *match verdict {
            Verdict::Passed => &mut self.passed,
            Verdict::Failed(_) => &mut self.failed,
            Verdict::Updated => &mut self.updated,
        } += 1;
        let differences: &[Difference] = match &verdict {
            Verdict::Failed(differences) => differences,
            Verdict::Passed | Verdict::Updated => &[],
        };
        let told: Vec<Value> = differences
            .iter()
            .map(|one| {
                let mut map = json!({ "path": one.path });
                for (key, value) in [("expected", &one.expected), ("got", &one.got)] {
                    if let (Some(map), Some(value)) = (map.as_object_mut(), value) {
                        map.insert(key.to_owned(), value.clone());
                    }
                }
                map
            })
            .collect();
        self.cases.push(json!({
            "name": case.name,
            "file": case.file,
            "line": case.place.line,
            "verdict": verdict.name(),
            "status": got.status,
            "differences": told,
        }));
        words(case, &verdict, differences)
    }

    /// The last line.
    pub(crate) fn total(&self) -> String {
        let mut words = format!("{}: {} passed", plain(&self.agent), self.passed);
        for (count, what) in [(self.failed, "failed"), (self.updated, "updated")] {
            if count > 0 {
                // Writing to a String cannot fail.
                let _ = write!(words, ", {count} {what}");
            }
        }
        if self.is_interrupted {
            words.push_str(", interrupted");
        }
        words.push('\n');
        words
    }

    pub(crate) fn document(&self) -> Value {
        json!({
            "schema": "sandfork.test.v1",
            "agent": self.agent,
            "passed": self.passed,
            "failed": self.failed,
            "updated": self.updated,
            "interrupted": self.is_interrupted,
            "cases": self.cases,
        })
    }

    pub(crate) fn exit(&self) -> Exit {
        match (self.is_interrupted, self.failed) {
            (true, _) => Exit::Interrupted,
            (false, 0) => Exit::Completed,
            (false, _) => Exit::Failed,
        }
    }
}

fn words(case: &Case, verdict: &Verdict, differences: &[Difference]) -> String {
    let (word, place) = match verdict {
        Verdict::Passed => ("ok", String::new()),
        Verdict::Failed(_) => ("FAILED", format!(" ({}:{})", plain(&case.file), case.place.line)),
        Verdict::Updated => ("updated", format!(" ({})", plain(&case.file))),
    };
    let mut text = format!("{word:<8}{}{place}\n", plain(&case.name));
    for Difference { path, expected, got } in differences {
        let value =
            |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), |value| plain(&value.to_string()));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "        {}", plain(path));
        let _ = writeln!(text, "          expected  {}", value(expected));
        let _ = writeln!(text, "          got       {}", value(got));
    }
    text
}
