//! What outcomes come to: merged keys, conflicts, run status, and late or failed ones kept out.

use crate::harness::{Ran, Run};
use serde_json::{Value, json};

fn run(plan: &str, code: i32) -> Ran {
    Run::fixture(plan).arg("--virtual-time").json().expect_code(code)
}

fn context(ran: &Ran) -> Vec<String> {
    let report = ran.report();
    report["context"].as_array().expect("lines").iter().map(|line| line.as_str().expect("text").to_owned()).collect()
}

// OR-12, OR-13, OR-14, OR-20, OR-35
#[test]
fn two_agents_make_three_merged_keys_and_two_lines_of_context() {
    let ran = run("research/plan.yaml", 0);
    let report = ran.report();
    assert_eq!(report["status"], "completed");
    assert_eq!(report["tasks_used"], 2);
    assert_eq!(report["merged"].as_object().expect("a map").len(), 3);
    let context = context(&ran);
    assert_eq!(context.len(), 2);
    assert!(context[0].starts_with("goal: ") && context[1].starts_with("merged: "), "{context:?}");
    let depths: Vec<&Value> = report["results"].as_array().expect("results").iter().map(|r| &r["depth"]).collect();
    assert_eq!(depths, [0, 0], "a plan's tasks have depth 0 and no pseudo-root");
    assert!(report["results"].as_array().expect("results").iter().all(|r| r["parent_task_id"].is_null()));
    // In parallel: the run takes as long as the slower one.
    assert!((40.0..41.0).contains(&report["elapsed_ms"].as_f64().expect("a number")));
}

// OR-15, OR-16, OR-17, OR-18, OR-19, OR-45: the three isolation assertions, and the third read both ways
#[test]
fn the_orchestrator_has_no_notes_and_sibling_contexts_are_disjoint() {
    let ran =
        Run::fixture("research/plan.yaml").with(["--virtual-time", "--transcript", "threads"]).json().expect_code(0);
    for note in ["RESEARCHER-NOTE", "ANALYST-NOTE"] {
        assert!(!context(&ran).iter().any(|line| line.contains(note)));
        assert!(!ran.stdout.contains(note));
    }
    let thread =
        |task: &str| std::fs::read_to_string(ran.path("threads").join(format!("{task}.json"))).expect("a thread");
    assert!(thread("research").contains("Tokyo") && !thread("analysis").contains("Tokyo"));
    assert!(thread("analysis").contains("ten million") && !thread("research").contains("ten million"));
    assert!(!thread("analysis").contains("RESEARCHER-NOTE"));
}

// OR-36, OR-37, OR-38, OR-50, X-6
#[test]
fn a_disagreement_is_one_conflict_and_plan_order_keeps_the_first() {
    let ran = run("conflict/plan.yaml", 0);
    let report = ran.report();
    assert_eq!(report["merged"], json!({"fact:population": "14M", "fact:year": 2025}));
    let conflict = json!([{
        "key": "fact:population", "kept": "14M", "rejected": "13M",
        "kept_task_id": "census", "rejected_task_id": "almanac",
    }]);
    assert_eq!(report["conflicts"], conflict, "equal values are no conflict");
    assert_eq!(ran.events_of("merge_conflict").len(), 1);
    let returns: Vec<Value> = ran.events_of("subagent_return").iter().map(|event| event["task_id"].clone()).collect();
    assert_eq!(returns, ["almanac", "census"], "the loser was first to answer");
}

// OR-07, OR-11, OR-31, OR-48, X-4
#[test]
fn a_late_result_is_a_timeout_with_no_output_and_is_not_merged() {
    let ran = run("stale-result/plan.yaml", 1);
    let report = ran.report();
    let result = ran.result("lookup");
    assert_eq!(result["status"], "timeout");
    assert_eq!(result["output"], Value::Null);
    assert_eq!(result["elapsed_ms"], 1000.0);
    assert_eq!(report["merged"], json!({}));
    assert_eq!(ran.events_of("late_result_dropped").len(), 1);
    assert!(!ran.stdout.contains("stale\""), "the late answer is nowhere");
    let last_two: Vec<Value> = ran.events().iter().rev().take(2).map(|event| event["event_type"].clone()).collect();
    assert_eq!(last_two, ["run_finished", "late_result_dropped"]);
}

// OR-32, OR-33, OR-34, OR-49, OR-52, X-8
#[test]
fn a_failure_drags_the_run_down_only_where_the_plan_says_so() {
    for (plan, code, status) in [("failure/propagate.yaml", 1, "failed"), ("failure/skip.yaml", 3, "partial")] {
        let ran = run(plan, code);
        assert_eq!(ran.report()["status"], status);
        assert_eq!(ran.report()["merged"], json!({"answer": 42}), "the sibling's output stands");
        let faulty = ran.result("faulty");
        assert_eq!(faulty["error"]["code"], "subagent_failed");
        assert_eq!(faulty["error"]["details"]["cause"], "returned");
        assert_eq!(faulty["error"]["details"]["code"], "no_source");
    }
}

// OR-39, OR-51
#[test]
fn an_unregistered_agent_fails_closed() {
    let ran = run("unknown-agent/plan.yaml", 1);
    let report = ran.report();
    assert_eq!(report["status"], "failed");
    let ghost = ran.result("ghost");
    assert_eq!(ghost["status"], "failed");
    assert_eq!(ghost["error"]["code"], "unknown_subagent");
    assert!(ghost["error"]["message"].as_str().expect("text").starts_with("unknown agent"));
    assert_eq!(ran.result("steady")["status"], "ok");
    assert_eq!(ran.events_of("subagent_fork").len(), 1, "no sandbox for the ghost");
}

// M4-21, M4-22, HOSTILE 28
#[test]
fn an_empty_script_fails_its_fork_alone() {
    let ran = run("failure/empty-script.yaml", 3);
    assert_eq!(ran.report()["merged"]["statuses"], json!(["failed", "ok"]));
    assert_eq!(ran.result("root/1")["error"]["details"]["cause"], "exhausted");
}

// DESIGN 3 and 4: `first_ok`
#[test]
fn the_first_good_answer_wins_and_losers_do_not_count() {
    let ran = run("race/plan.yaml", 3);
    let statuses: Vec<Value> = ["root/1", "root/2", "root/3"].map(|task| ran.result(task)["status"].clone()).into();
    assert_eq!(statuses, ["cancelled", "failed", "ok"]);
    assert_eq!(ran.report()["merged"], json!({"body": "from the south"}));
    assert!((90.0..91.0).contains(&ran.report()["elapsed_ms"].as_f64().expect("a number")));
    assert_eq!(ran.report()["status"], "partial", "east really failed; a loser alone would not count");
}

// OR-08, OR-41, OR-42, OR-53: every event is attributed, in one order
#[test]
fn one_trace_says_who_did_what_at_which_hop() {
    let ran = run("delegation-loop/plan.yaml", 3);
    for (place, event) in ran.events().iter().enumerate() {
        assert_eq!(event["seq"], place + 1);
        for field in ["task_id", "agent", "depth", "event_id", "idempotency_key", "ts", "attrs"] {
            assert!(!event[field].is_null(), "{field} of {event}");
        }
    }
    let deepest = ran.events_of("depth_limit");
    assert_eq!((&deepest[0]["agent"], &deepest[0]["depth"]), (&json!("loop_a"), &json!(2)));
}

// OR-44: one redaction gate
#[test]
fn a_secret_in_an_output_does_not_reach_the_report() {
    let script = "agent: leaky\nturns:\n  - return: { key: \"sk-abcdefghijklmnopqrstuvwx0123456789ABCDEF\" }\n";
    let plan = "run: leaky\nagents:\n  leaky: { script: leaky.yaml }\nroot: { agent: leaky, goal: g }\n";
    let ran = Run::plan(plan).file("leaky.yaml", script).arg("--virtual-time").json().expect_code(0);
    assert!(!ran.stdout.contains("sk-abcdef"), "{}", ran.stdout);
    assert!(ran.stdout.contains("[redacted"), "{}", ran.stdout);
}
