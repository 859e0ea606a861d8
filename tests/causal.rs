//! Real logs, delivered once more: in any order, any number of times, and in parts.

use crate::harness::Run;
use serde_json::{Value, json};

fn log(plan: &str, args: &[&str]) -> Vec<String> {
    let ran = Run::fixture(plan).with(args.iter().copied()).json();
    let text = std::fs::read_to_string(ran.path("events.jsonl")).expect("the log");
    text.lines().map(str::to_owned).collect()
}

fn ingest(lines: &[String], args: &[&str], code: i32) -> Value {
    let run = Run::args(["events", "events.jsonl", "--json"]).with(args.iter().copied());
    run.file("events.jsonl", lines.join("\n")).go().expect_code(code).report()
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).expect("an event")
}

/// Every event stands behind the one before it in its thread and behind its cause.
fn assert_causal(lines: &[String]) {
    let mut seen: Vec<Value> = Vec::new();
    for line in lines.iter().map(|line| value(line)) {
        let cause = &line["parent_event_id"];
        assert!(cause.is_null() || seen.iter().any(|event| event["event_id"] == *cause), "{line:#}");
        let thread = seen.iter().filter(|event| event["agent_id"] == line["agent_id"]);
        assert_eq!(line["seq_no"], thread.count() + 1, "{line:#}");
        assert!(seen.iter().all(|event| event["event_id"] != line["event_id"]), "{line:#}");
        seen.push(line);
    }
}

// GV-17, GV-18, GV-20, GV-21: in real time on two threads as well
#[test]
fn the_log_of_a_run_stands_in_causal_order_and_its_ids_are_unique() {
    for plan in ["fork-two-modules/plan.yaml", "research/plan.yaml", "fan-out/plan.yaml", "incident/plan.yaml"] {
        assert_causal(&log(plan, &["--virtual-time"]));
        assert_causal(&log(plan, &["--workers", "2"]));
    }
}

// GV-19, GV-20, GV-23, GV-25, GV-26, GV-47
#[test]
fn a_log_delivered_backwards_and_twice_amounts_to_the_same() {
    for plan in ["incident/plan.yaml", "research/plan.yaml"] {
        let lines = log(plan, &["--virtual-time"]);
        let in_order = ingest(&lines, &[], 0);
        let twice: Vec<String> = lines.iter().rev().chain(&lines).cloned().collect();
        let shuffled = ingest(&twice, &[], 0);
        assert_eq!(shuffled["tasks"], in_order["tasks"], "{plan}");
        assert_eq!(shuffled["duplicates"], lines.len(), "{plan}");
        assert_eq!((&shuffled["applied"], &in_order["applied"]), (&json!(lines.len()), &json!(lines.len())));
    }
}

// GV-20
#[test]
fn a_missing_event_holds_what_follows_and_is_named_to_be_fetched_again() {
    let mut lines = log("fork-two-modules/plan.yaml", &["--virtual-time"]);
    let lost = lines.iter().position(|line| value(line)["event_id"] == "evt-root-2").expect("there");
    lines.remove(lost);
    let answer = ingest(&lines, &[], 3);
    assert!(answer["missing"].to_string().contains("fork-two-modules root (sub-"), "{answer:#}");
    assert!(answer["missing"].to_string().contains("seq_no 2"), "{answer:#}");
    assert!(answer["held"].as_u64() > Some(0));
}

// GV-19: the same key with another content
#[test]
fn a_changed_line_is_a_conflict_and_the_first_stands() {
    let mut lines = log("research/plan.yaml", &["--virtual-time"]);
    let end = lines.iter().find(|line| value(line)["event_type"] == "subagent_return").expect("an end").clone();
    lines.push(end.replace("\"status\":\"ok\"", "\"status\":\"failed\""));
    lines.push("not an event".into());
    let answer = ingest(&lines, &[], 1);
    assert_eq!((&answer["conflicts"], &answer["refused"]), (&json!(1), &json!(1)));
    assert!(answer["rejected"][0].as_str().expect("told").contains("another content came under this event_id"));
    assert!(answer["tasks"].as_array().expect("tasks").iter().all(|task| task["status"] != "failed"));
}

// GV-21, GV-22
#[test]
fn a_join_waits_for_what_it_needs_and_fires_once() {
    let lines = log("incident/plan.yaml", &["--virtual-time"]);
    let needs = "inspect-releases=inspect-metrics,inspect-payment-logs";
    let fired = |answer: &Value| {
        let tasks = answer["tasks"].as_array().expect("tasks").clone();
        tasks.into_iter().find(|task| task["task_id"] == "inspect-releases").expect("the join")["join_fired"].clone()
    };
    assert_eq!(fired(&ingest(&lines, &["--needs", needs], 0)), true);
    // It never fires on a need that ended badly; an optional one may.
    let badly = ["--needs", "inspect-metrics=inspect-releases"];
    let answer = ingest(&lines, &badly, 3);
    assert!(answer["waiting"].to_string().contains("the tasks it needs: inspect-releases"), "{answer:#}");
    ingest(&lines, &["--needs", "inspect-metrics=inspect-releases?"], 0);
    Run::args(["events", "x", "--needs", "a=b", "--needs", "b=a"]).go().expect_code(2);
}

#[test]
fn parts_of_a_log_come_together_from_several_files() {
    let lines = log("research/plan.yaml", &["--virtual-time"]);
    let (early, late) = lines.split_at(lines.len() / 2);
    let run = Run::args(["events", "late.jsonl", "early.jsonl", "late.jsonl"]);
    let ran = run.file("late.jsonl", late.join("\n")).file("early.jsonl", early.join("\n")).go().expect_code(0);
    assert!(ran.stdout.contains(&format!("{} applied, 0 held", lines.len())), "{}", ran.stdout);
    assert!(ran.stdout.contains("research analysis") && ran.stdout.contains(" ok "), "{}", ran.stdout);
}
