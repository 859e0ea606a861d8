//! Replies that stand in a plan, seen by whoever calls `model` with messages.

use crate::harness::{Run, settled};
use serde_json::json;

const PLAN: &str = "run: replies\nagents:\n  thinker: { script: thinker.yaml }\nmodels: { replies: replies.yaml }\nroot: { agent: thinker, goal: \"Think.\" }\n";

/// A script with words of its own that asks the model twice in between.
const THINKER: &str = "\
agent: thinker
turns:
  - say: \"My own words.\"
    do:
      - { tool: model, with: { messages: [{ role: user, content: hi }] }, as: first }
      - { tool: model, with: { messages: [{ role: user, content: hi }] }, as: second }
  - return: { first: \"${first}\", second: \"${second}\" }
";

const REPLIES: &str = "\
thinker:
  - { think: 70ms, say: \"One.\", calls: [{ name: read_file, arguments: { path: a.txt } }] }
  - { think: 30ms, output: { price: 19.90 }, usage: { input_tokens: 1000, output_tokens: 50 } }
";

fn run(replies: &str) -> Run {
    Run::plan(PLAN).file("thinker.yaml", THINKER).file("replies.yaml", replies)
}

#[test]
fn replies_are_answered_turn_by_turn_after_the_time_they_think() {
    let ran = settled(|| run(REPLIES), 0);
    let report = ran.report();
    let call = json!({ "id": "call_1_1", "name": "read_file", "arguments": { "path": "a.txt" } });
    let merged = &report["merged"];
    assert_eq!((&merged["first"]["text"], &merged["first"]["tool_calls"]), (&json!("One."), &json!([call])));
    assert_eq!((&merged["first"]["turn"], &merged["second"]["turn"]), (&json!(1), &json!(2)));
    assert_eq!(merged["second"]["output"].to_string(), r#"{"price":19.90}"#, "numbers keep their text");
    let root = ran.result("root");
    assert_eq!((&root["turns"], &root["messages"], &root["tool_messages"]), (&json!(4), &json!(6), &json!(0)));
    let elapsed = root["elapsed_ms"].as_f64().expect("a number");
    assert!((100.0..101.0).contains(&elapsed), "both think times on the run's own clock: {elapsed}");
    let calls = ran.events_of("model_call");
    assert_eq!(calls.len(), 4);
    assert_eq!(calls[2]["attrs"]["input_tokens"], 1000, "tokens as they were reported");
    assert_eq!(calls[2]["attrs"]["output_tokens"], 50);
    assert_eq!(calls[1]["attrs"]["input_tokens"], 12, "45 bytes were sent");
}

// In real time the same answers come; only the time is the machine's.
#[test]
fn replies_are_the_same_in_real_time() {
    let real = run(REPLIES).json().expect_code(0).report();
    let virtually = run(REPLIES).arg("--virtual-time").json().expect_code(0).report();
    assert_eq!(real["merged"], virtually["merged"]);
    assert!(real["elapsed_ms"].as_f64().expect("a number") >= 100.0, "it has thought");
}

// M4-21, M4-23
#[test]
fn a_fork_that_outlives_its_replies_has_failed() {
    for (replies, turn) in [("thinker:\n  - say: One.\n", 2), ("thinker: []\n", 1), ("root: []\n", 1), ("{}\n", 1)] {
        let ran = settled(|| run(replies), 1);
        let root = ran.result("root");
        assert_eq!(
            (&root["status"], &root["error"]["code"]),
            (&json!("failed"), &json!("subagent_failed")),
            "{replies}"
        );
        let error = &root["error"];
        assert_eq!((&error["details"]["cause"], &error["details"]["turn"]), (&json!("exhausted"), &json!(turn)));
        assert!(error["message"].as_str().expect("text").contains("replies exhausted"), "{error}");
    }
}

// HOSTILE 11: thinking is waiting like any other
#[test]
fn a_model_that_thinks_too_long_meets_the_forks_time_limit() {
    let ran = settled(|| run("thinker: [{ think: 2h, say: One. }]\n"), 1);
    let root = ran.result("root");
    assert_eq!((&root["status"], &root["messages"]), (&json!("timeout"), &json!(3)), "only its own words were said");
}

#[test]
fn a_plan_without_models_says_so_to_whoever_sends_messages() {
    let plan = PLAN.replace("models: { replies: replies.yaml }\n", "");
    let ran = Run::plan(&plan).file("thinker.yaml", THINKER).json().expect_code(0);
    assert_eq!(ran.report()["merged"]["first"]["error"]["code"], "provider_unknown");
}

#[test]
fn wrong_replies_are_refused_with_their_own_file_line_and_column() {
    let ran = run("thinker:\n  - sya: One.\n").go().expect_code(2);
    assert!(ran.stderr.contains("replies.yaml:2:5"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `say`?"), "{}", ran.stderr);
    let ran = run("thniker: []\n").go().expect_code(2);
    assert!(ran.stderr.contains("did you mean `thinker`?"), "{}", ran.stderr);
}
