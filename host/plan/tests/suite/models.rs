//! Replies of models: what they come to, where they may stand, and what is wrong with them.

use crate::desk::{Desk, FULL, ROOT, TASKS, shown};
use sandfork_model::{ModelAnswer, ModelToolCall, ScriptedReply, TokenUsage};
use sandfork_source::Place;
use serde_json::json;
use std::time::Duration;

fn with(replies: &str) -> String {
    format!("{ROOT}models: {{ replies: {replies} }}\n")
}

#[test]
fn replies_are_read_turn_by_turn() {
    let models = Desk::new().valid(FULL).models.unwrap();
    let call = ModelToolCall {
        id: Some("c1".into()),
        name: "lookup".into(),
        arguments: serde_json::from_str(r#"{"key":1}"#).unwrap(),
    };
    assert_eq!(
        models.replies["lead"],
        [
            ScriptedReply {
                think: Duration::from_millis(80),
                answer: ModelAnswer { text: "Look.".into(), tool_calls: vec![call], ..ModelAnswer::default() },
            },
            ScriptedReply {
                think: Duration::ZERO,
                answer: ModelAnswer {
                    output: Some(json!({ "done": true })),
                    usage: TokenUsage { input_tokens: Some(10), output_tokens: Some(20) },
                    ..ModelAnswer::default()
                },
            },
        ]
    );
    assert_eq!(models.replies["root/1"][0].answer.tool_calls[0].arguments, json!("{no"));
    assert_eq!(Desk::new().valid(ROOT).models, None);
}

#[test]
fn replies_may_stand_in_a_file_of_their_own() {
    let desk = Desk::new();
    desk.write("replies.yaml", b"lead:\n  - say: \"Hello.\"\n");
    let models = desk.valid(&with("replies.yaml")).models.unwrap();
    assert_eq!(models.replies["lead"][0].answer.text, "Hello.");
    // JSON as well, as everything a plan names.
    desk.write("replies.json", br#"{"lead": [{"output": 1.50}]}"#);
    let models = desk.valid(&with("replies.json")).models.unwrap();
    assert_eq!(models.replies["lead"][0].answer.output.as_ref().unwrap().to_string(), "1.50");
}

#[test]
fn what_is_wrong_in_a_file_of_replies_is_shown_there() {
    let desk = Desk::new();
    desk.write("replies.yaml", b"lead:\n  - think: soon\n    say: \"Hello.\"\nlaed:\n  - say: 1\n");
    let problems = desk.wrong(&with("replies.yaml"));
    let text = shown(&problems);
    assert_eq!(problems.len(), 3, "{text}");
    assert!(problems.iter().all(|problem| problem.file.ends_with("replies.yaml")), "{text}");
    assert_eq!(problems[0].place, Place { line: 2, column: 12 });
    assert!(text.contains("`replies.lead[0].think` is `soon`"), "{text}");
    assert!(text.contains("replies for `laed`") && text.contains("did you mean `lead`?"), "{text}");
}

#[test]
fn wrong_replies_are_named_with_what_was_expected() {
    let desk = Desk::new();
    desk.write("list.yaml", b"[1]");
    desk.write("broken.yaml", b"lead: [");
    for (text, message, help) in [
        (format!("{ROOT}models: []\n"), "`models` is a list", "a map"),
        (format!("{ROOT}models: {{}}\n"), "the key `replies` is missing in `models`", ""),
        (format!("{ROOT}models: {{ replise: x }}\n"), "unknown key `replise` in `models`", "did you mean `replies`?"),
        (with("[1]"), "`models.replies` is a list", "the replies in place"),
        (with("nowhere.yaml"), "names `nowhere.yaml`, which cannot be read", "plan's directory"),
        (with("list.yaml"), "replies are a map of lists, not a list", ""),
        (with("broken.yaml"), "", ""),
        (with("plan.yaml"), "names the plan itself", ""),
        (with("{ lead: { say: x } }"), "`replies.lead` is a map", "a list"),
        (with("{ lead: [x] }"), "`replies.lead[0]` is text", "a map"),
        (with("{ lead: [{}] }"), "`replies.lead[0]` says nothing", "at least one of say, calls, output"),
        (with("{ lead: [{ think: 1ms }] }"), "says nothing", "say, calls, output"),
        (with("{ lead: [{ syas: x }] }"), "unknown key `syas`", "one of think, say, calls, output, usage"),
        (with("{ lead: [{ calls: [{}] }] }"), "the key `name` is missing in `replies.lead[0].calls[0]`", ""),
        (with("{ lead: [{ calls: x }] }"), "`replies.lead[0].calls` is text", "a list"),
        (
            with("{ lead: [{ say: x, usage: { input_tokens: -1 } }] }"),
            "input_tokens` is `-1`",
            "a whole number of tokens",
        ),
        (with("{ lead: [{ say: x, think: unlimited }] }"), "think` is `unlimited`", "as in 80ms"),
        (with("{ tool: [] }"), "replies for `tool`, which is neither an agent of the plan nor a task id", ""),
    ] {
        let problems = desk.wrong(&text);
        let said = shown(&problems);
        assert!(said.contains(message) && said.contains(help), "{text}\n{said}");
    }
}

#[test]
fn replies_may_be_for_any_task_that_the_plan_can_have() {
    let desk = Desk::new();
    for name in ["root", "root/1", "root/fetch/2"] {
        desk.valid(&with(&format!("{{ {name}: [] }}")));
    }
    let tasks = |name: &str| TASKS.replacen('{', &format!(r#"{{"models": {{"replies": {{"{name}": []}}}}, "#), 1);
    for name in ["research", "research.2", "research.review", "research/1", "researcher"] {
        desk.valid(&tasks(name));
    }
    assert!(!desk.wrong(&tasks("root")).is_empty());
    assert!(!desk.wrong(&tasks("resaerch/1")).is_empty());
    // A planner names tasks nobody knows beforehand.
    desk.valid(&format!("{}models: {{ replies: {{ anything: [] }} }}\n", crate::desk::PLANNER));
}
