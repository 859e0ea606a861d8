//! Calls with messages, answered from a file.

use crate::testing::{answer, code, reply};
use crate::{Model, Replies};
use sandfork_model::{
    ModelAnswer, ModelProvider, ModelRequest, ModelToolCall, Models, RunId, ScriptedReply, TaskRef, TokenUsage,
    ToolCall, ToolProvider,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn says(text: &str) -> ScriptedReply {
    let answer = ModelAnswer { text: text.into(), ..ModelAnswer::default() };
    ScriptedReply { think: Duration::from_millis(80), answer }
}

fn model(entries: &[(&str, Vec<ScriptedReply>)]) -> Model {
    let replies = entries.iter().map(|(name, replies)| ((*name).to_owned(), replies.clone())).collect();
    Model::answered_by(Arc::new(Replies::new(Models { replies })))
}

/// The n-th call of a fork `root` of agent `lead`.
fn nth(model: &Model, nth: u64) -> Result<Value, sandfork_model::AgentError> {
    let run = RunId { name: "test".into(), id: "test".into() };
    let task = Arc::new(TaskRef::top(&run, "root", "lead", 0));
    let call = ToolCall { task, name: "model".into(), arguments: json!({ "messages": [] }), nth, event: None };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(model.call(call)).result.map(|text| serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn each_turn_has_its_reply_and_the_task_goes_before_the_agent() {
    let by_agent = model(&[("lead", vec![says("one"), says("two")])]);
    assert_eq!(nth(&by_agent, 0).expect("a reply")["text"], "one");
    assert_eq!(nth(&by_agent, 1).expect("a reply")["text"], "two");
    assert_eq!(nth(&by_agent, 1).expect("a reply")["turn"], 2);
    let by_task = model(&[("lead", vec![says("agent")]), ("root", vec![says("task")])]);
    assert_eq!(nth(&by_task, 0).expect("a reply")["text"], "task");
}

// M4-21
#[test]
fn past_the_last_reply_there_is_nothing_to_say() {
    for (model, at, written) in [(model(&[("lead", vec![says("one")])]), 1, 1), (model(&[("other", vec![])]), 0, 0)] {
        let error = nth(&model, at).expect_err("exhausted");
        assert_eq!(error.code, "replies_exhausted");
        assert!(error.message.starts_with("replies exhausted"), "{}", error.message);
        assert_eq!(error.details, json!({ "turn": at + 1, "written": written }));
    }
}

#[test]
fn an_answer_has_ids_for_all_its_calls_and_tokens_whoever_counted_them() {
    let call = |id: Option<&str>| ModelToolCall { id: id.map(Into::into), name: "t".into(), arguments: json!("{no") };
    let answer_of = |usage| ModelAnswer {
        text: "hm".into(),
        tool_calls: vec![call(None), call(Some("mine"))],
        output: Some(json!(null)),
        usage,
    };
    let reply_of = |usage| ScriptedReply { think: Duration::ZERO, answer: answer_of(usage) };
    let given = TokenUsage { input_tokens: Some(7), output_tokens: Some(9) };
    let model = model(&[("lead", vec![reply_of(given), reply_of(TokenUsage::default())])]);
    assert_eq!(
        nth(&model, 0).expect("a reply"),
        json!({
            "text": "hm", "turn": 1, "output": null, "usage": { "input_tokens": 7, "output_tokens": 9 },
            "tool_calls": [
                { "id": "call_1_1", "name": "t", "arguments": "{no" },
                { "id": "mine", "name": "t", "arguments": "{no" },
            ],
        })
    );
    // `{"messages":[]}` has 15 bytes; what is said has 131.
    let usage = nth(&model, 1).expect("a reply")["usage"].clone();
    assert_eq!(usage, json!({ "input_tokens": 4, "output_tokens": 33 }));
}

#[test]
fn thinking_is_named_and_not_waited_for() {
    let reply = reply(&model(&[("lead", vec![says("one")])]), "model", json!({ "messages": [{ "role": "user" }] }));
    assert_eq!(reply.delay, Duration::from_millis(80));
}

#[test]
fn a_call_whose_messages_do_not_fit_is_refused() {
    let model = model(&[("lead", vec![says("one")])]);
    for (arguments, expected) in [
        (json!({ "messages": "hello" }), "invalid_arguments"),
        (json!({ "messages": ["hello"] }), "invalid_arguments"),
        (json!({ "messages": [], "tools": {} }), "invalid_arguments"),
        (json!({ "messages": [], "max_output_tokens": -1 }), "invalid_arguments"),
        (json!({ "messages": [], "temperature": 1 }), "invalid_arguments"),
        (json!({ "tools": [] }), "invalid_arguments"),
    ] {
        assert_eq!(code(&model, "model", arguments.clone()), expected, "{arguments}");
    }
    assert!(answer(&model, "model", json!({ "messages": [], "tools": [], "max_output_tokens": 5 })).is_ok());
}

// The seam for a live model: whatever answers sees messages and tools as they were sent.
#[test]
fn another_provider_sees_what_was_sent() {
    struct Echo;
    impl ModelProvider for Echo {
        fn complete(&self, request: ModelRequest) -> sandfork_model::BoxFuture<'_, sandfork_model::Completed> {
            let text = json!([request.messages, request.tools, request.max_output_tokens, request.turn]).to_string();
            let result = Ok(ModelAnswer { text, ..ModelAnswer::default() });
            Box::pin(std::future::ready(sandfork_model::Completed { result, delay: Duration::ZERO }))
        }
    }
    let arguments = json!({ "messages": [{ "role": "user", "content": "hi" }], "tools": [{}], "max_output_tokens": 3 });
    let answer = answer(&Model::answered_by(Arc::new(Echo)), "model", arguments).expect("an answer");
    assert_eq!(answer["text"], r#"[[{"role":"user","content":"hi"}],[{}],3,1]"#);
}
