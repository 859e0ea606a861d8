//! What one invocation left: exit code, streams, report, events, files.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A finished invocation. Its directory goes with it.
pub(crate) struct Ran {
    home: TempDir,
    args: Vec<String>,
    /// The exit code.
    pub(crate) code: i32,
    /// All of stdout.
    pub(crate) stdout: String,
    /// All of stderr.
    pub(crate) stderr: String,
    events: bool,
}

impl Ran {
    pub(super) fn new(home: TempDir, args: Vec<String>, output: Output, events: bool) -> Self {
        Self {
            home,
            args,
            code: output.status.code().expect("the process was not killed"),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            events,
        }
    }

    /// Fails the test with everything that was said, unless the exit code is `code`.
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            code,
            "sandfork {}\n--- stdout\n{}\n--- stderr\n{}",
            self.args.join(" "),
            self.stdout,
            self.stderr
        );
        self
    }

    /// The one JSON document on stdout.
    pub(crate) fn report(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(document) => document,
            Err(error) => panic!("no document on stdout: {error}\n{}\n{}", self.stdout, self.stderr),
        }
    }

    /// The result of one task.
    pub(crate) fn result(&self, task_id: &str) -> Value {
        let report = self.report();
        let results = report["results"].as_array().expect("results");
        let found = results.iter().find(|result| result["task_id"] == task_id);
        found.unwrap_or_else(|| panic!("no result of {task_id} in {report:#}")).clone()
    }

    /// Every event, in order of `seq`.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert!(self.events, "events were not asked for: use Run::json");
        let text = std::fs::read_to_string(self.path("events.jsonl")).expect("the event log");
        text.lines().map(|line| serde_json::from_str(line).expect("one document a line")).collect()
    }

    /// The events of one type.
    pub(crate) fn events_of(&self, event_type: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["event_type"] == event_type).collect()
    }

    /// The text of a file in the run's workspace.
    pub(crate) fn workspace_file(&self, path: &str) -> String {
        let workspace = self.report()["workspace"].as_str().expect("a workspace").to_owned();
        std::fs::read_to_string(self.path(&workspace).join(path)).expect("the file")
    }

    /// A path below the directory it ran in.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// The directory it ran in.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }
}
