//! The metrics of real runs: each at a value that the fixture makes it take.

use crate::harness::{Ran, Run};
use serde_json::{Value, json};

fn metrics(plan: &str, code: i32) -> Value {
    run(plan, code).report()["metrics"].clone()
}

fn run(plan: &str, code: i32) -> Ran {
    Run::fixture(plan).arg("--virtual-time").json().expect_code(code)
}

fn number(metrics: &Value, pointer: &str) -> u64 {
    metrics.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("no {pointer} in {metrics:#}"))
}

// GV-51
#[test]
fn what_two_forks_are_told_alike_is_told_again_and_one_fork_is_told_nothing_twice() {
    let two = metrics("fork-two-modules/plan.yaml", 0);
    assert!((100..900).contains(&number(&two, "/context/repeated_permille")), "{two:#}");
    let by_agent = &two["context"]["input_tokens_by_agent"];
    assert_eq!(by_agent.as_object().expect("agents").len(), 3);
    assert!(by_agent["lead"].as_u64() > Some(0));
    assert_eq!(number(&metrics("baseline/plan.yaml", 0), "/context/repeated_bytes"), 0);
}

const READER: &str = "agent: reader\ntools: [artifact_put, artifact_get]\nturns:\n  - do:\n      - { tool: artifact_put, with: { name: log, text: \"one\\ntwo\\nthree\\n\" }, as: put }\n      - { tool: artifact_get, with: { ref: \"${put.ref}\" } }\n      - { tool: artifact_get, with: { ref: \"${put.ref}\", line: 2, lines: 1 } }\n      - { tool: artifact_get, with: { ref: \"${put.ref}\", offset: 0, length: 3 } }\n      - { tool: artifact_get, with: { ref: \"artifact://none/v1\", line: 1 } }\n      - return: {}\n";

// GV-51, GV-13
#[test]
fn artifacts_read_in_part_are_told_from_those_read_whole_and_a_failed_read_is_none() {
    let plan = "run: reading\nagents:\n  reader: { script: reader.yaml, tools: [artifact_put, artifact_get] }\nroot: { agent: reader, goal: g }\n";
    let ran = Run::plan(plan).file("reader.yaml", READER).arg("--virtual-time").json().expect_code(0);
    let context = ran.report()["metrics"]["context"].clone();
    assert_eq!((&context["artifact_reads"], &context["artifact_part_permille"]), (&json!(3), &json!(667)));
}

// GV-52: the lead waits for its two children, who live 240 ms each
#[test]
fn the_time_that_a_parent_waits_for_its_children_is_dependency_wait() {
    let messages = metrics("fork-two-modules/plan.yaml", 0)["messages"].clone();
    let waited = messages["dependency_wait_ms"].as_f64().expect("a number");
    assert!((240.0..250.0).contains(&waited), "{messages:#}");
    assert_eq!((&messages["held"], &messages["duplicates"], &messages["conflicts"]), (&json!(0), &json!(0), &json!(0)));
    assert!(messages["delivered"].as_u64() > Some(20));
    assert_eq!(metrics("baseline/plan.yaml", 0)["messages"]["dependency_wait_ms"], 0.0);
}

// GV-52: in the shipped DAG three tasks wait for those they need, and nobody waits in `spawn`
#[test]
fn the_time_that_tasks_wait_for_those_they_need_is_dependency_wait_too() {
    let ran = run("dag/plan.yaml", 3);
    let started = |task: &str| {
        let forks = ran.events_of("subagent_fork");
        let fork = forks.iter().find(|fork| fork["task_id"] == task).expect("started");
        fork["ts"].as_f64().expect("a time")
    };
    let messages = ran.report()["metrics"]["messages"].clone();
    let waited = messages["dependency_wait_ms"].as_f64().expect("a number");
    let expected: f64 = ["timeline", "cause", "report"].map(started).iter().sum();
    assert!((waited - expected).abs() < 0.01, "{expected} {messages:#}");
    assert_eq!(messages["needs_wait_ms"], messages["dependency_wait_ms"]);
}

// GV-53, GV-30: what is reserved is used below, or comes back
#[test]
fn the_budget_of_each_fork_is_reserved_and_what_it_did_not_use_recovered() {
    let ran = run("overcommit/plan.yaml", 3);
    let metrics = ran.report()["metrics"].clone();
    let tokens = &metrics["budget"]["dimensions"]["input_tokens"];
    let [reserved, used, recovered] = ["reserved", "used", "recovered"].map(|key| number(tokens, &format!("/{key}")));
    assert_eq!(reserved, 100_000 + 3 * 30_000, "the root's tank, and three children");
    assert!(used > 0 && recovered < reserved && recovered > 100_000, "{tokens:#}");
    assert_eq!(used, ran.report()["usage"]["input_tokens"].as_u64().expect("a number"));
    let shares = metrics["budget"]["share_by_agent"].as_object().expect("agents").clone();
    let total: u64 = shares.values().map(|share| number(share, "/tokens_permille")).sum();
    assert!((998..=1002).contains(&total) && shares.len() == 2, "{shares:#?}");
}

// GV-54
#[test]
fn depth_and_branches_are_those_of_the_tree() {
    let recursion = metrics("fork-two-modules/plan.yaml", 0)["recursion"].clone();
    assert_eq!(recursion, json!({ "max_depth": 1, "branches": 2, "similar_refused": 0 }));
    assert_eq!(metrics("baseline/plan.yaml", 0)["recursion"]["branches"], 0);
}

// GV-41, GV-54
#[test]
fn a_task_refused_for_its_likeness_is_counted() {
    let lead = "agent: lead\nspawn: [w]\nturns:\n  - do:\n      - spawn: [{ agent: w, goal: \"search the logs\" }]\n      - spawn: [{ agent: w, goal: \"continue to search the logs\" }]\n      - return: {}\n";
    let plan = "run: alike\nagents:\n  lead: { script: lead.yaml, spawn: [w] }\n  w: { script: w.yaml }\nlimits: { similar: 0.5 }\nroot: { agent: lead, goal: g }\n";
    let ran = Run::plan(plan).file("lead.yaml", lead).file("w.yaml", "agent: w\nturns:\n  - return: {}\n");
    let ran = ran.arg("--virtual-time").json().expect_code(3);
    assert_eq!(ran.report()["metrics"]["recursion"]["similar_refused"], 1);
    assert_eq!(ran.report()["metrics"]["quality"]["completion_permille"], 667);
}

// GV-55
#[test]
fn the_first_review_decides_whether_a_task_passed_at_first() {
    let passed = metrics("incident/plan.yaml", 3)["quality"].clone();
    assert_eq!((&passed["first_reviews"], &passed["first_pass_permille"]), (&json!(2), &json!(1000)));
    let sent_back = metrics("reviewed/plan.yaml", 0)["quality"].clone();
    assert_eq!((&sent_back["first_reviews"], &sent_back["first_pass_permille"]), (&json!(1), &json!(0)));
    assert_eq!(metrics("baseline/plan.yaml", 0)["quality"]["first_pass_permille"], Value::Null);
}

// GV-35, GV-55
#[test]
fn constraints_that_an_output_no_longer_says_are_lost() {
    let worker = |said: &str| format!("agent: w\nturns:\n  - return: {{ summary: \"{said}\" }}\n");
    let plan = "run: kept\ngoal: g\nagents: { w: { script: w.yaml } }\ntasks:\n  - { id: a, agent: w, goal: \"Why did PAY-5031 hit src/pay.rs?\", acceptance_criteria: [\"Gives the cause.\"] }\n";
    let kept = |said: &str| {
        let ran = Run::plan(plan).file("w.yaml", worker(said)).arg("--virtual-time").json().expect_code(0);
        ran.report()["metrics"]["quality"]["constraints_kept_permille"].clone()
    };
    assert_eq!(kept("The cause of PAY-5031 gives src/pay.rs a fault."), 1000);
    assert_eq!(kept("PAY-5031 was seen."), 333);
    assert_eq!(kept("All is well."), 0);
}

// GV-45, GV-56
#[test]
fn cost_is_counted_for_each_accepted_task_and_what_is_blocked_waits_for_somebody() {
    let ran = run("incident/plan.yaml", 3);
    let business = ran.report()["metrics"]["business"].clone();
    let tokens = number(&ran.report()["usage"], "/input_tokens") + number(&ran.report()["usage"], "/output_tokens");
    assert_eq!(business["accepted_tasks"], 4, "four of five");
    assert_eq!(business["tokens_per_accepted_task"], (tokens + 2) / 4);
    assert_eq!(business["latency_p95_ms"], 2000.0, "the one that timed out");
    let blocked = "agent: w\nturns:\n  - do:\n      - fail: { code: blocked, message: \"no city\", details: { missing: [city] } }\n";
    let plan = "run: stuck\ngoal: g\nagents: { w: { script: w.yaml } }\ntasks:\n  - { id: a, agent: w, goal: g }\n";
    let ran = Run::plan(plan).file("w.yaml", blocked).arg("--virtual-time").json().expect_code(1);
    let business = ran.report()["metrics"]["business"].clone();
    assert_eq!(
        (&business["human_takeover_permille"], &business["tokens_per_accepted_task"]),
        (&json!(1000), &Value::Null)
    );
}

// A report is the same whether or not anybody watched.
#[test]
fn a_quiet_run_measures_what_a_watched_one_does() {
    let quiet = Run::fixture("research/plan.yaml").with(["--virtual-time", "--json", "-q"]).go().expect_code(0);
    assert_eq!(quiet.report(), run("research/plan.yaml", 0).report());
}
