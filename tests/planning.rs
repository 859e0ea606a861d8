//! Planner, worker, reviewer through real sandboxes: who defines tasks, who accepts, and what the run says of it.

use crate::harness::{Ran, Run};
use serde_json::{Value, json};

fn run(plan: &str, code: i32) -> Ran {
    Run::fixture(plan).arg("--virtual-time").json().expect_code(code)
}

/// Task ids with their statuses, in the order of the report.
fn ids(report: &Value) -> Vec<(&str, &str)> {
    let rows = report["results"].as_array().expect("results");
    rows.iter().map(|row| (row["task_id"].as_str().expect("an id"), row["status"].as_str().expect("a word"))).collect()
}

// GV-09, GV-60
#[test]
fn a_blocked_task_is_planned_again_with_its_missing_field() {
    let ran = run("replan/plan.yaml", 0);
    let report = ran.report();
    let seen = [
        ("planner", "ok"),
        ("notes", "ok"),
        ("before", "ok"),
        ("after", "blocked"),
        ("planner.2", "ok"),
        ("after.2", "ok"),
    ];
    assert_eq!(ids(&report), seen);
    assert_eq!(report["status"], "completed");
    assert_eq!(report["merged"]["errors_before"], 412);
    assert_eq!(report["merged"]["errors_after"], 0);
    assert_eq!(report["merged"].as_object().expect("a map").len(), 3, "the planner's list is no output");
    assert_eq!(report["results"][3]["error"]["details"]["missing"], json!(["window"]));
    assert_eq!(ran.events_of("planned").len(), 2);
}

// GV-36, GV-60
#[test]
fn only_what_a_reviewer_passed_is_merged() {
    let ran = run("reviewed/plan.yaml", 0);
    let report = ran.report();
    let seen = [("note", "ok"), ("note.review", "ok"), ("note.2", "ok"), ("note.review.2", "ok")];
    assert_eq!(ids(&report), seen);
    assert!(report["merged"]["text"].as_str().expect("a text").contains("sorry"));
    assert_eq!(report["results"][0]["output"], report["results"][2]["output"], "the task's row has what was accepted");
    let verdicts: Vec<Value> =
        ran.events_of("reviewed").iter().map(|event| event["attrs"]["verdict"].clone()).collect();
    assert_eq!(verdicts, ["REVISE", "PASS"]);
}

// GV-60
#[test]
fn a_task_that_never_passes_fails_the_run_and_is_not_merged() {
    let report = run("reviewed/never.yaml", 1).report();
    assert_eq!(report["status"], "failed");
    assert_eq!(report["merged"], json!({}));
    assert_eq!(report["results"][0]["error"]["code"], "review_rejected");
    assert_eq!(report["tasks_used"], 4);
}

// GV-60: a wrong list is told like a wrong plan
#[test]
fn a_list_that_cannot_be_used_fails_the_run_and_names_the_place() {
    let plan = "run: wrong\ngoal: x\nagents:\n  planner: { script: planner.yaml }\nplanner: { agent: planner }\n";
    let planner = "agent: planner\nturns:\n  - return: { tasks: [{ id: a, agnet: planner, goal: x }] }\n";
    let ran = Run::plan(plan).file("planner.yaml", planner).arg("--virtual-time").json().expect_code(1);
    let report = ran.report();
    let error = &report["results"][0]["error"];
    assert_eq!(error["code"], "plan_invalid");
    let problems = error["details"]["problems"].to_string();
    assert!(problems.contains("tasks[0]") && problems.contains("did you mean `agent`?"), "{problems}");
}
