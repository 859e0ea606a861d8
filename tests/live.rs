//! A run that is going on while something else happens: Ctrl-C, a second run of the same id. No sleeps: a test waits for the
//! run's own news.

#![cfg(unix)]

use crate::harness::Run;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::process::{Child, ChildStderr, Command, Stdio};

const PLAN: &str = "run: demo\ngoal: both\nagents:\n  quick: { script: quick.yaml }\n  slow: { script: slow.yaml }\n\
                    tasks:\n  - { id: quick, agent: quick, goal: go }\n  - { id: slow, agent: slow, goal: go, timeout: 5m }\n";

/// A run of which one fork has ended and the other will think for minutes.
struct Live {
    child: Child,
    progress: Lines<BufReader<ChildStderr>>,
}

fn demo() -> Run {
    Run::plan(PLAN)
        .file("quick.yaml", "agent: quick\nturns:\n  - return: { quick: done }\n")
        .file("slow.yaml", "agent: slow\nturns:\n  - think: 5m\n    return: { slow: done }\n")
        .arg("--json")
}

impl Live {
    fn start(run: &Run) -> Self {
        Self::start_as(run.command())
    }

    fn start_as(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let progress = BufReader::new(child.stderr.take().expect("piped")).lines();
        let mut live = Self { child, progress };
        live.wait_for(&["quick (quick) ok", "slow (slow) started"]);
        live
    }

    /// Reads along until every piece of news was there, in any order.
    fn wait_for(&mut self, news: &[&str]) {
        let mut waiting = news.to_vec();
        while !waiting.is_empty() {
            let line = self.progress.next().expect("the run goes on").expect("text");
            waiting.retain(|news| !line.contains(news));
        }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }

    /// The exit code and the report.
    fn end(mut self) -> (Option<i32>, Value) {
        let mut report = String::new();
        self.child.stdout.take().expect("piped").read_to_string(&mut report).expect("text");
        let code = self.child.wait().expect("ends").code();
        (code, serde_json::from_str(&report).expect("a report"))
    }
}

// HOSTILE 31
#[test]
fn interrupted_once_a_run_reports_what_had_finished_and_exits_with_130() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let run = demo();
        // Whatever the tests themselves were told to outlive.
        let live = Live::start_as(through(&run, "env", &["--default-signal=HUP"]));
        live.signal(signal);
        let (code, report) = live.end();
        assert_eq!(code, Some(130), "{signal}");
        assert_eq!(report["merged"], serde_json::json!({ "quick": "done" }));
        assert_eq!(report["results"][1]["status"], "cancelled");
        assert_eq!(report["usage"]["ledger_whole"], true);
        assert!(run.path("state/runs/demo-1/report.json").exists());
    }
}

/// The command of a run, started by another program.
fn through(run: &Run, program: &str, options: &[&str]) -> Command {
    let (own, mut command) = (run.command(), Command::new(program));
    command.args(options).arg(own.get_program()).args(own.get_args()).current_dir(run.path(".")).stdin(Stdio::null());
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

// Where it counted as the first of two interruptions, the second would end the run without a report.
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let run = demo();
    let live = Live::start_as(through(&run, "nohup", &[]));
    live.signal("-HUP");
    live.signal("-INT");
    let (code, report) = live.end();
    assert_eq!((code, &report["merged"]), (Some(130), &serde_json::json!({ "quick": "done" })));
}

#[test]
fn a_second_run_of_a_live_id_is_refused_and_told_who_holds_it() {
    let run = demo().with(["--run-id", "mine"]);
    let live = Live::start(&run);
    let second = run.command().output().expect("starts");
    assert_eq!(second.status.code(), Some(2));
    let words = String::from_utf8(second.stderr).expect("text");
    assert!(words.contains(&format!("process {}", live.child.id())) && words.contains("--run-id"), "{words}");
    live.signal("-INT");
    let (code, report) = live.end();
    assert_eq!((code, &report["run_id"]), (Some(130), &"mine".into()));
    // The lock went with its process: now the id is free, and the run that ended is replaced.
    let live = Live::start(&run);
    live.signal("-INT");
    assert_eq!(live.end().0, Some(130));
}
