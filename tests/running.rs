//! What `sandfork run` answers and leaves behind: report, events, transcripts, directories, exit codes. What happens inside
//! a run is proved elsewhere.

use crate::harness::Run;
use serde_json::Value;

const PLAN: &str = "run: demo\nagents:\n  a: { script: a.yaml, tools: [write_file] }\nworkspace: workspace\n\
                    root: { agent: a, goal: Write it down }\n";
const SCRIPT: &str = "agent: a\ntools: [write_file]\nturns:\n  - think: 80ms\n    do:\n      - { tool: write_file, with: \
                      { path: new.txt, text: written } }\n  - return: { reply: done }\n";

fn demo() -> Run {
    Run::plan(PLAN).file("a.yaml", SCRIPT).file("workspace/old.txt", "old")
}

fn meets(schema: &str, document: &Value) {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let wrong: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{document:#}");
}

#[test]
fn report_and_events_meet_their_published_schemas() {
    let ran = demo().json().expect_code(0);
    meets(sandfork::schema::REPORT, &ran.report());
    let events = ran.events();
    assert_eq!(ran.report()["events"]["total"], events.len());
    for event in &events {
        meets(sandfork::schema::EVENT, event);
    }
}

#[test]
fn stdout_carries_one_document_and_stderr_the_progress() {
    let ran = demo().json().expect_code(0);
    assert_eq!(ran.stdout.trim_end().lines().next(), Some("{"));
    assert!(ran.stderr.contains("root (a) started") && ran.stderr.contains("root (a) ok after"), "{}", ran.stderr);
}

#[test]
fn what_the_host_logs_stays_off_stdout() {
    let ran = demo().arg("-vvv").env("RUST_LOG", "trace").json().expect_code(0);
    assert!(ran.stderr.contains("TRACE") || ran.stderr.contains("DEBUG"), "{}", ran.stderr);
    assert_eq!(ran.report()["status"], "completed");
}

#[test]
fn the_flag_for_the_state_directory_wins_over_the_environment() {
    let ran = demo().with(["--state-dir", "elsewhere"]).json().expect_code(0);
    assert_eq!(ran.report()["workspace"], "elsewhere/runs/demo-1/workspace");
    assert!(!ran.path("state").exists());
}

// OR-41
#[test]
fn every_fork_has_one_start_and_one_end_in_the_log() {
    let ran = Run::fixture("fork-two-modules/plan.yaml").json().expect_code(0);
    for kind in ["subagent_fork", "subagent_return"] {
        assert_eq!(ran.events_of(kind).len(), 3, "{kind}");
    }
}

#[test]
fn without_json_a_summary_for_people_is_on_stdout() {
    let ran = demo().go().expect_code(0);
    assert!(ran.stdout.starts_with("run demo-1: completed in "), "{}", ran.stdout);
    assert!(ran.stdout.contains("workspace: state/runs/demo-1/workspace"), "{}", ran.stdout);
}

#[test]
fn the_file_tools_see_a_copy_and_the_source_stays_as_it_was() {
    let ran = demo().json().expect_code(0);
    assert_eq!(ran.report()["workspace"], "state/runs/demo-1/workspace");
    assert_eq!(ran.workspace_file("new.txt"), "written");
    assert_eq!(ran.workspace_file("old.txt"), "old");
    assert!(!ran.path("workspace/new.txt").exists());
}

#[test]
fn in_place_the_file_tools_see_the_source_itself() {
    let ran = demo().arg("--in-place").json().expect_code(0);
    assert_eq!(ran.report()["workspace"], "workspace");
    assert!(ran.path("workspace/new.txt").exists());
}

#[test]
fn in_place_without_a_workspace_is_refused() {
    let plan = PLAN.replace("workspace: workspace\n", "");
    let ran = Run::plan(&plan).file("a.yaml", SCRIPT).with(["--in-place", "--json"]).go().expect_code(2);
    assert!(ran.stdout.contains("no `workspace`"), "{}", ran.stdout);
}

#[test]
fn the_report_is_kept_with_the_run() {
    let ran = demo().json().expect_code(0);
    let kept = std::fs::read_to_string(ran.path("state/runs/demo-1/report.json")).expect("kept");
    assert_eq!(kept, ran.stdout);
}

// M4-35, HOSTILE 38
#[test]
fn under_virtual_time_everything_written_is_the_same_bytes_with_any_number_of_workers() {
    let written = |workers: &str| {
        let ran =
            demo().with(["--virtual-time", "--workers", workers, "--transcript", "transcripts"]).json().expect_code(0);
        let text = |path: &str| std::fs::read_to_string(ran.path(path)).expect("written");
        (ran.stdout.clone(), text("events.jsonl"), text("transcripts/root.json"))
    };
    let first = written("1");
    assert!(first.0.contains("\"run_id\": \"demo\""), "{}", first.0);
    assert_eq!(first, written("1"));
    assert_eq!(first, written("2"));
}

#[test]
fn a_run_may_be_named() {
    let ran = demo().with(["--run-id", "tuesday"]).json().expect_code(0);
    assert_eq!(ran.report()["run_id"], "tuesday");
    assert!(ran.path("state/runs/tuesday/report.json").exists());
}

#[cfg(unix)]
#[test]
fn transcripts_and_runs_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let ran = demo().with(["--transcript", "transcripts"]).json().expect_code(0);
    let mode = |path: &str| std::fs::metadata(ran.path(path)).expect("there").permissions().mode() & 0o777;
    for path in ["transcripts", "state/runs/demo-1", "state/runs/demo-1/workspace"] {
        assert_eq!(mode(path), 0o700, "{path}");
    }
    for path in ["transcripts/root.json", "state/runs/demo-1/report.json"] {
        assert_eq!(mode(path), 0o600, "{path}");
    }
}

#[test]
fn an_event_log_that_cannot_be_written_stops_the_run_before_it_starts() {
    let ran = demo().with(["--events", "no/such/directory/events.jsonl", "--json"]).go().expect_code(2);
    assert_eq!(ran.report()["error"]["code"], "usage");
    assert!(ran.stderr.contains("--events"), "{}", ran.stderr);
    assert!(!ran.path("state/runs").exists());
}

#[test]
fn a_limit_and_a_value_from_the_command_line_reach_the_run() {
    let ran = demo().with(["--set", "root.goal=Something else", "--limit", "steps=1"]).json().expect_code(1);
    assert_eq!(ran.report()["context"][0], "goal: Something else");
    assert_eq!(ran.result("root")["status"], "out_of_budget");
    assert_eq!(ran.result("root")["error"]["code"], "iteration_limit");
}

#[test]
fn a_state_directory_that_cannot_be_used_is_the_commands_fault_and_not_the_plans() {
    for place in ["plan.yaml", "plan.yaml/below", "/proc/state"] {
        let ran = demo().with(["--state-dir", place, "--json"]).go().expect_code(2);
        assert_eq!(ran.report()["error"]["code"], "usage");
        assert!(ran.stderr.contains(place) && ran.stderr.contains("--state-dir"), "{}", ran.stderr);
    }
}

// HOSTILE 35
#[test]
fn a_wrong_script_is_refused_with_its_place_before_anything_runs() {
    let script = SCRIPT.replace("return:", "retrun:");
    let ran = Run::plan(PLAN).file("a.yaml", script).file("workspace/x", "").arg("--json").go().expect_code(2);
    let error = &ran.report()["error"];
    assert_eq!(error["code"], "invalid_script");
    assert_eq!(error["details"]["problems"][0]["file"], "a.yaml");
    assert_eq!(error["details"]["problems"][0]["line"], 7);
    assert!(!ran.path("state/runs").exists());
}

// HOSTILE 28, 34
#[test]
fn a_broken_component_fails_the_fork_and_not_the_host() {
    let plan = "run: demo\nagents:\n  a: { component: a.wasm }\nroot: { agent: a, goal: go }\n";
    for broken in [&b""[..], b"\0asm", b"\0asm\x01\0\0\0", b"(component)", &[0; 4096]] {
        let ran = Run::plan(plan).file("a.wasm", broken).json().expect_code(1);
        let error = &ran.result("root")["error"];
        assert_eq!((&error["code"], &error["details"]["cause"]), (&"subagent_failed".into(), &"agent_invalid".into()));
    }
}

// OR-34
#[test]
fn a_run_of_which_a_part_failed_exits_with_3() {
    let plan = "run: demo\ngoal: both\nagents:\n  a: { script: a.yaml }\n  b: { script: b.yaml }\ntasks:\n  \
                - { id: one, agent: a, goal: go }\n  - { id: two, agent: b, goal: go, on_failure: skip }\n";
    let ran = Run::plan(plan)
        .file("a.yaml", "agent: a\nturns:\n  - return: { one: 1 }\n")
        .file("b.yaml", "agent: b\nturns: []\n")
        .json()
        .expect_code(3);
    assert_eq!(ran.report()["status"], "partial");
    assert_eq!(ran.report()["merged"], serde_json::json!({ "one": 1 }));
}

// OR-44: what looks like a secret leaves through one gate.
#[test]
fn a_secret_in_an_output_does_not_reach_the_report() {
    let secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
    let script = format!("agent: a\nturns:\n  - return: {{ reply: \"the key is {secret}\" }}\n");
    let plan = "run: demo\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: go }\n";
    let ran = Run::plan(plan).file("a.yaml", script).json().expect_code(0);
    assert!(!ran.stdout.contains(secret), "{}", ran.stdout);
    let kept = std::fs::read_to_string(ran.path("state/runs/demo-1/report.json")).expect("kept");
    assert!(!kept.contains(secret));
}
