//! `sandfork explain`: what it says is what a run then does.

use crate::harness::{Run, fixture};
use serde_json::{Value, json};

fn explained(args: &[&str]) -> Value {
    let ran = Run::args(["explain"]).with(args.iter().copied()).arg("--json").go().expect_code(0);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["schema"], "sandfork.explain.v1");
    document["forks"].clone()
}

fn path(plan: &str) -> String {
    fixture(plan).display().to_string()
}

// GV-10, M4-08
#[test]
fn every_task_and_every_fork_it_leads_to_is_explained_with_its_tools() {
    let forks = explained(&[&path("fork-two-modules/plan.yaml")]);
    let rows = forks.as_array().expect("rows");
    let ids: Vec<&str> = rows.iter().map(|row| row["task_id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["root", "root/alpha", "root/beta"]);
    assert_eq!(rows[0]["do"]["spawn"], json!(["alpha", "beta"]));
    assert!(rows[1]["do"]["tools"].as_array().expect("tools").contains(&json!("edit_file")));
    let run = Run::fixture("fork-two-modules/plan.yaml").arg("--virtual-time").json().expect_code(0);
    let started = run.events_of("subagent_fork");
    let root = started.iter().find(|event| event["task_id"] == "root").expect("the root's start");
    assert_eq!(root["attrs"]["fuel"], rows[0]["spend"]["fuel"]["result"], "the run gives what was explained");
}

// X-4, GV-10
#[test]
fn what_is_taken_away_is_told_with_the_rule_that_took_it() {
    let forks = explained(&[&path("research/plan.yaml"), "research", "--limit", "deadline=1s"]);
    assert_eq!(forks.as_array().expect("rows").len(), 1);
    let taken = forks[0]["taken"].to_string();
    assert!(taken.contains("clamped by the run's deadline"), "{taken}");
    let text = Run::args(["explain", &path("reviewed/plan.yaml")]).go().expect_code(0).stdout;
    for words in ["note (writer), depth 0, asked by the plan", "note.review (reviewer)", "calls", "spends", "sees"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_task_that_is_not_there_is_a_usage_error_that_names_those_there_are() {
    let ran = Run::args(["explain", &path("research/plan.yaml"), "resaerch"]).go().expect_code(2);
    assert!(ran.stderr.contains("research") && ran.stderr.contains("analysis"), "{}", ran.stderr);
    assert!(ran.stdout.is_empty());
}

// GV-29
#[test]
fn a_task_that_would_wait_for_the_budget_is_shown_as_queued() {
    let explain = || {
        let plan = "run: line\ngoal: g\nagents:\n  a: { script: a.yaml }\nlimits: { on_shortage: queue, budget: { input_tokens: 100000 } }\n\
                    tasks:\n  - { id: first, agent: a, goal: g, budget: { input_tokens: 60000 } }\n  \
                    - { id: second, agent: a, goal: g, budget: { input_tokens: 60000 } }\n";
        let script = "agent: a\nturns:\n  - return: {}\n";
        Run::args(["explain", "plan.yaml"]).file("plan.yaml", plan).file("a.yaml", script)
    };
    let words = explain().go().expect_code(0).stdout;
    assert!(words.contains("  queued    would wait for the budget until others have ended: a asks 60000"), "{words}");
    assert!(!words.contains("refused"), "{words}");
    let ran = explain().arg("--json").go().expect_code(0);
    let forks = &ran.report()["forks"];
    assert_eq!((&forks[0]["queued"], &forks[1]["refused"]), (&Value::Null, &Value::Null));
    assert_eq!(forks[1]["queued"]["code"], "budget_exceeded");
}
