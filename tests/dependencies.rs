//! Tasks that wait for each other, and tasks that are done again, through real sandboxes and a real artifact store.

use crate::harness::{Ran, Run, fixture};
use serde_json::{Value, json};

fn dag() -> Ran {
    Run::fixture("dag/plan.yaml").with(["--virtual-time", "--transcript", "threads"]).json().expect_code(3)
}

fn thread(ran: &Ran, task: &str) -> Value {
    let text = std::fs::read_to_string(ran.path("threads").join(format!("{task}.json"))).expect("a thread");
    serde_json::from_str(&text).expect("a document")
}

fn at(ran: &Ran, kind: &str, task: &str) -> f64 {
    let events = ran.events_of(kind);
    let event = events.iter().find(|event| event["task_id"] == task).unwrap_or_else(|| panic!("no {kind} of {task}"));
    event["ts"].as_f64().expect("a time")
}

fn ids(ran: &Ran) -> Vec<(String, String)> {
    let word = |row: &Value, key: &str| row[key].as_str().expect("a word").to_owned();
    let report = ran.report();
    report["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|row| (word(row, "task_id"), word(row, "status")))
        .collect()
}

// GV-21, GV-22, GV-50
#[test]
fn each_step_of_the_shipped_dag_starts_when_what_it_needs_has_ended_and_only_one_runs_twice() {
    let ran = dag();
    let rows = [
        ("metrics", "ok"),
        ("logs", "ok"),
        ("logs.2", "ok"),
        ("releases", "timeout"),
        ("timeline", "ok"),
        ("cause", "ok"),
        ("report", "ok"),
    ];
    assert_eq!(ids(&ran), rows.map(|(id, status)| (id.to_owned(), status.to_owned())));
    assert_eq!(ran.report()["status"], "partial", "the release record is skipped, and said to be missing");
    let (start, end) = (|task| at(&ran, "subagent_fork", task), |task| at(&ran, "subagent_return", task));
    for task in ["metrics", "logs", "releases"] {
        assert_eq!(start(task), 0.0, "{task} waits for nobody");
    }
    assert_eq!(start("timeline"), end("logs.2"), "the later of its two");
    assert!(start("timeline") < end("releases"), "nobody waits for a whole layer");
    assert_eq!(start("cause"), end("releases"), "which only had to end");
    assert_eq!(start("report"), end("cause"));
    assert_eq!(ran.report()["usage"]["ledger_whole"], true);
}

// GV-04, GV-07, GV-08, GV-13, GV-59
#[test]
fn a_dependent_sees_references_and_summaries_and_no_guess_of_anybody() {
    let ran = dag();
    let report = thread(&ran, "report");
    let handed = &report["task"]["dependencies"]["timeline"];
    assert_eq!(handed["summary"], "two findings in order");
    assert_eq!(handed["artifact_refs"], json!(["artifact://timeline/v1"]), "its output, stored by the host");
    let task = report["messages"][1]["content"].as_str().expect("a text");
    assert!(task.contains("- timeline: ok, \"two findings in order\" artifact://timeline/v1\n"), "{task}");
    let place = |words: &str| task.find(words).unwrap_or_else(|| panic!("no {words} in {task}"));
    assert!(place("Task: ") < place("Dependencies:") && place("Dependencies:") < place("Tools:"), "layer four");
    let text = ["timeline", "cause", "report"].map(|task| thread(&ran, task).to_string()).concat();
    assert!(!text.contains("Maybe the connection pool"), "a guess stays with whoever made it");
    assert_eq!(ran.result("report")["output"]["head"].as_str().expect("a part").len(), 16, "read by range");
}

// GV-59: C's tool timeout must not read as "no release record"
#[test]
fn an_optional_step_that_timed_out_reaches_the_join_as_a_failure() {
    let ran = dag();
    let cause = thread(&ran, "cause");
    let handed = &cause["task"]["dependencies"]["releases"];
    assert_eq!((&handed["status"], &handed["error"]["code"]), (&json!("timeout"), &json!("timeout")));
    let task = cause["messages"][1]["content"].as_str().expect("a text");
    assert!(task.contains("- releases: timeout (timeout: ") && task.contains("which is no finding"), "{task}");
    assert_eq!(ran.result("cause")["unresolved"], json!(["whether there was a release: timeout"]));
}

// GV-14, GV-46
#[test]
fn the_second_attempt_goes_on_from_what_the_first_had_stored() {
    let ran = dag();
    let second = thread(&ran, "logs.2");
    let checkpoint = &second["task"]["checkpoint"];
    assert_eq!((&checkpoint["task_id"], &checkpoint["change"]), (&json!("logs"), &json!("goal")));
    assert_eq!(checkpoint["artifact_refs"], json!(["artifact://log-excerpt/v1"]));
    assert_eq!(second["task"]["goal"], "Find the first span of the trace.");
    let events = ran.events();
    let first = events.iter().filter(|event| event["task_id"] == "logs");
    let before = first.filter(|event| {
        !["subagent_return", "late_result_dropped"].contains(&event["event_type"].as_str().expect("a word"))
    });
    let last = before.filter_map(|event| event["seq_no"].as_u64()).max();
    assert_eq!(checkpoint["last_seq_no"].as_u64(), last, "the last event before its end");
    assert_eq!(ran.result("logs")["output"]["first_error"], "10:00:03 PAY-5031 pool exhausted\n");
}

/// `base` and `other` are read by a join; `fix` writes the next version of what `base` wrote.
const CORRECTED: &str = "
run: corrected
virtual: true
goal: g
agents:
  base: { script: base.yaml, tools: [artifact_put] }
  fix: { script: fix.yaml, tools: [artifact_put] }
  other: { script: other.yaml }
  join: { script: join.yaml, tools: [artifact_get] }
tasks:
  - { id: base, agent: base, goal: b }
  - { id: fix, agent: fix, goal: f, needs: [base] }
  - { id: other, agent: other, goal: o }
  - { id: join, agent: join, goal: j, needs: [base, other] }
";

// GV-14, GV-48, GV-50
#[test]
fn a_corrected_artifact_runs_the_join_again_and_leaves_the_other_branch_alone() {
    let put = |think: u32, text: &str, version: u32| {
        format!(
            "agent: x\ntools: [artifact_put]\nturns:\n  - think: {think}ms\n    do: [{{ tool: artifact_put, with: {{ name: numbers, text: {text} }} }}]\n    return: {{ artifact_refs: [\"artifact://numbers/v{version}\"] }}\n"
        )
    };
    let join = "agent: join\ntools: [artifact_get]\nturns:\n  - do: [{ tool: artifact_get, with: { ref: \"${task.dependencies.base.artifact_refs[0]}\" }, as: read }]\n    return: { read: \"${read.text}\" }\n";
    let ran = Run::plan(CORRECTED)
        .file("base.yaml", put(5, "first", 1))
        .file("fix.yaml", put(50, "second", 2))
        .file("other.yaml", "agent: other\nturns:\n  - think: 10ms\n    return: { other: true }\n")
        .file("join.yaml", join)
        .arg("--virtual-time")
        .json()
        .expect_code(0);
    let seen = ["base", "fix", "other", "join", "join.2"].map(|id| (id.to_owned(), "ok".to_owned()));
    assert_eq!(ids(&ran), seen);
    assert_eq!(ran.result("join")["output"]["read"], "second");
    assert_eq!(ran.report()["merged"]["read"], "second");
    assert_eq!(ran.events_of("subagent_fork").len(), 5, "nothing else ran again");
}

// GV-22, HOSTILE 35
#[test]
fn a_circle_is_refused_before_anything_runs_and_named_in_full() {
    let plan = CORRECTED.replace("goal: b }", "goal: b, needs: [join] }");
    let run = || Run::args(["check", "plan.yaml"]).file("plan.yaml", &plan);
    let files = ["base", "fix", "other", "join"];
    let run =
        files.iter().fold(run(), |run, name| run.file(&format!("{name}.yaml"), format!("agent: {name}\nturns: []\n")));
    let ran = run.go().expect_code(2);
    assert!(ran.stderr.contains("tasks wait for each other: base → join → base"), "{}", ran.stderr);
}

// GV-22
#[test]
fn explain_tells_for_whom_each_task_waits_and_in_which_layer_it_is() {
    let path = fixture("dag/plan.yaml").display().to_string();
    let ran = Run::args(["explain", &path, "--json"]).go().expect_code(0);
    let rows = ran.report()["forks"].as_array().expect("rows").clone();
    let layers: Vec<u64> = rows.iter().map(|row| row["waits"]["layer"].as_u64().expect("a layer")).collect();
    assert_eq!(layers, [0, 0, 0, 1, 1, 2]);
    assert_eq!(rows[4]["waits"]["needs_optional"], json!(["releases"]));
    let text = Run::args(["explain", &path]).go().expect_code(0).stdout;
    assert!(text.contains("waits for logs (ok), releases (however it ends); layer 1"), "{text}");
    let path = fixture("research/plan.yaml").display().to_string();
    let plain = Run::args(["explain", &path]).go().expect_code(0).stdout;
    assert!(!plain.contains("waits for"), "a plan without needs says nothing of them: {plain}");
}

// GV-22: in real time as under virtual time
#[test]
fn in_real_time_the_shipped_dag_comes_to_the_same_outcomes() {
    let ran = Run::fixture("dag/plan.yaml").json().expect_code(3);
    assert_eq!(ids(&ran), ids(&dag()));
    assert_eq!(ran.report()["merged"]["open"], dag().report()["merged"]["open"]);
}
