//! What an agent sees of a host, shown on the fake one: answers, errors, outcomes, in both directions.

use super::FakeHost;
use crate::{Agent, Context, Failure, Json, OnFailure, Request, Status, Task, json};
use serde::Deserialize;
use std::time::Duration;

/// Hands the whole of a test's closure-like function to the fake.
macro_rules! agent {
    ($name:ident, |$task:ident, $host:ident| $body:expr) => {
        struct $name;
        impl Agent for $name {
            fn run($task: &Task, $host: &mut Context) -> Result<Json, Failure> {
                $body
            }
        }
    };
}

#[derive(Deserialize)]
struct File {
    bytes: u64,
}

#[test]
fn a_typed_answer_is_read_and_the_call_is_remembered() {
    agent!(Reader, |task, host| {
        let file: File = host.tool_as("read_file", &json!({ "path": task.need_text("path")? }))?;
        Ok(json!({ "bytes": file.bytes }))
    });
    let run = FakeHost::new()
        .tool("read_file", |arguments| Ok(json!({ "path": arguments["path"], "bytes": 7 })))
        .run::<Reader>(json!({ "goal": "read", "context": { "path": "a.txt" } }));
    assert_eq!(run.result, Ok(json!({ "bytes": 7 })));
    assert_eq!(run.calls[0].tool, "read_file");
    assert_eq!(run.calls[0].arguments, json!({ "path": "a.txt" }));
}

#[test]
fn a_tool_that_was_not_added_is_an_error_that_names_it() {
    agent!(Caller, |_task, host| Ok(host.tool("write_file", &json!({}))?));
    let failure = FakeHost::new().run::<Caller>(Task::new("x")).result.expect_err("no such tool");
    assert_eq!((failure.code.as_str(), &failure.details["tool"]), ("tool_not_granted", &json!("write_file")));
}

#[test]
fn arguments_that_are_no_object_are_refused_as_the_host_does() {
    agent!(Caller, |_task, host| Ok(host.tool("t", &json!([1]))?));
    let run = FakeHost::new().tool("t", |_| Ok(json!({}))).run::<Caller>(Task::new("x"));
    assert_eq!(run.result.expect_err("a list").code, "invalid_arguments");
}

#[test]
fn an_answer_that_was_cut_is_not_mistaken_for_a_whole_one() {
    agent!(Reader, |_task, host| Ok(json!(host.tool_as::<File>("read_file", &json!({}))?.bytes)));
    let cut = json!({ "truncated": true, "head": "ab", "limit": 2 });
    let answer = cut.clone();
    let run = FakeHost::new().tool("read_file", move |_| Ok(answer.clone())).run::<Reader>(Task::new("x"));
    let failure = run.result.expect_err("cut");
    assert_eq!((failure.code.as_str(), &failure.details["head"]), ("truncated", &json!("ab")));
    let run = FakeHost::new().tool("read_file", |_| Ok(json!({ "size": 1 }))).run::<Reader>(Task::new("x"));
    assert_eq!(run.result.expect_err("another shape").code, "unexpected_answer");
}

#[test]
fn what_the_context_lacks_blocks_the_fork_and_names_the_field() {
    agent!(Needy, |task, _host| Ok(json!(task.need_text("city")?)));
    for context in [json!({}), json!({ "city": null }), json!({ "city": 3 }), json!([])] {
        let failure = FakeHost::new().run::<Needy>(Task::new("x").context(context)).result.expect_err("lacks it");
        assert_eq!((failure.code.as_str(), failure.details), ("blocked", json!({ "missing": ["city"] })));
    }
}

#[test]
fn a_childs_output_arrives_and_its_request_is_remembered_whole() {
    agent!(Lead, |_task, host| {
        let request = Request::new("worker", "count")
            .context(json!({ "n": 2 }))
            .id("first")
            .tools(["read_file"])
            .budget(json!({ "steps": 4 }))
            .timeout_ms(500)
            .on_failure(OnFailure::Skip)
            .critical()
            .acceptance_criteria(["whole numbers"])
            .context_refs(["artifact://a/v1"]);
        let child = host.spawn(request)?;
        Ok(json!([child.task_id, child.output]))
    });
    let run = FakeHost::new().child("worker", |request| Ok(request.context["n"].clone())).run::<Lead>(Task::new("x"));
    assert_eq!(run.result, Ok(json!(["root/first", 2])));
    let options = Json::Object(run.spawned[0].options.clone());
    let expected = json!({
        "id": "first", "tools": ["read_file"], "budget": { "steps": 4 }, "timeout_ms": 500, "on_failure": "skip",
        "critical": true, "acceptance_criteria": ["whole numbers"], "context_refs": ["artifact://a/v1"],
    });
    assert_eq!(options.to_string(), expected.to_string());
}

#[test]
fn a_childs_failure_is_handed_on_by_a_question_mark_or_looked_at() {
    agent!(HandsOn, |_task, host| Ok(json!(host.spawn(Request::new("worker", "x"))?.output)));
    agent!(Looks, |_task, host| match host.spawn(Request::new("worker", "x")) {
        Ok(_) => Ok(json!("fine")),
        Err(child) => Ok(json!([child.code(), child.outcome.own_code(), child.outcome.status.name()])),
    });
    let host = || FakeHost::new().child("worker", |_| Err(Failure::new("needs_split", "too much")));
    let failure = host().run::<HandsOn>(Task::new("x")).result.expect_err("handed on");
    assert_eq!((failure.code.as_str(), &failure.details["code"]), ("subagent_failed", &json!("needs_split")));
    assert_eq!(failure.details["child"], json!({ "task_id": "root/1", "agent": "worker", "status": "failed" }));
    assert_eq!(host().run::<Looks>(Task::new("x")).result, Ok(json!(["subagent_failed", "needs_split", "failed"])));
}

#[test]
fn a_blocked_child_blocks_the_parent_that_hands_it_on() {
    agent!(Lead, |_task, host| Ok(json!(host.spawn(Request::new("worker", "x"))?.output)));
    let run = FakeHost::new().child("worker", |_| Err(Failure::blocked(["city"]))).run::<Lead>(Task::new("x"));
    let failure = run.result.expect_err("blocked");
    assert_eq!((failure.code.as_str(), &failure.details["missing"]), ("blocked", &json!(["city"])));
}

#[test]
fn outcomes_keep_the_order_of_the_requests_and_the_rest_is_cancelled_once_enough_are_ok() {
    fn batch() -> Vec<Request> {
        ["bad", "good", "good", "nobody"].into_iter().map(|agent| Request::new(agent, "x")).collect()
    }
    agent!(All, |_task, host| Ok(statuses(&host.spawn_all(batch()))));
    agent!(First, |_task, host| Ok(statuses(&host.first_ok(batch()))));
    agent!(Two, |_task, host| Ok(statuses(&host.quorum(2, batch()))));
    fn statuses(outcomes: &[crate::Outcome]) -> Json {
        outcomes.iter().map(|outcome| json!([outcome.status.name(), outcome.code()])).collect()
    }
    let host = || {
        let host = FakeHost::new().child("bad", |_| Err(Failure::new("no", "no")));
        host.child("good", |_| Ok(json!(1)))
    };
    let bad = json!(["failed", "subagent_failed"]);
    let (good, cancelled) = (json!(["ok", null]), json!(["cancelled", "cancelled"]));
    let unknown = json!(["failed", "unknown_subagent"]);
    let task = || Task::new("x");
    assert_eq!(host().run::<All>(task()).result, Ok(json!([bad, good, good, unknown])));
    assert_eq!(host().run::<First>(task()).result, Ok(json!([bad, good, cancelled, cancelled])));
    assert_eq!(host().run::<Two>(task()).result, Ok(json!([bad, good, good, cancelled])));
}

#[test]
fn outputs_are_taken_together_or_not_at_all() {
    fn batch(agents: &[&str]) -> Vec<Request> {
        agents.iter().map(|agent| Request::new(*agent, "x")).collect()
    }
    agent!(Whole, |_task, host| Ok(json!(host.spawn_all(batch(&["good", "good"])).into_outputs()?)));
    agent!(Broken, |_task, host| Ok(json!(host.spawn_all(batch(&["good", "bad"])).into_outputs()?)));
    agent!(Winner, |_task, host| Ok(json!(host.first_ok(batch(&["bad", "good"])).into_first()?.output)));
    agent!(Nobody, |_task, host| Ok(json!(host.first_ok(batch(&[])).into_first()?.output)));
    let host = || {
        let host = FakeHost::new().child("bad", |_| Err(Failure::new("no", "no")));
        host.child("good", |_| Ok(json!(1)))
    };
    assert_eq!(host().run::<Whole>(Task::new("x")).result, Ok(json!([1, 1])));
    assert_eq!(host().run::<Broken>(Task::new("x")).result.expect_err("one is bad").code, "subagent_failed");
    assert_eq!(host().run::<Winner>(Task::new("x")).result, Ok(json!(1)));
    assert_eq!(host().run::<Nobody>(Task::new("x")).result.expect_err("nobody").code, "no_children");
}

// HOSTILE 2
#[test]
fn agents_that_fork_each_other_stop_at_the_depth_limit() {
    agent!(Again, |task, host| match host.spawn(Request::new("again", "x")) {
        Ok(child) => Ok(json!([task.depth, child.output])),
        Err(child) => Ok(json!([task.depth, child.code()])),
    });
    let run = FakeHost::new().agent::<Again>("again").run::<Again>(Task::new("x"));
    assert_eq!(run.result, Ok(json!([0, [1, [2, "delegation_depth_exceeded"]]])));
    let run = FakeHost::new().agent::<Again>("again").max_depth(0).run::<Again>(Task::new("x"));
    assert_eq!(run.result, Ok(json!([0, "delegation_depth_exceeded"])));
}

// HOSTILE 21
#[test]
fn a_childs_notes_are_not_its_parents() {
    agent!(Child, |_task, host| {
        host.note("CHILD-NOTE");
        Ok(json!({}))
    });
    agent!(Lead, |_task, host| {
        host.note("mine");
        Ok(json!(host.spawn(Request::new("child", "x"))?.output))
    });
    let run = FakeHost::new().agent::<Child>("child").run::<Lead>(Task::new("x"));
    assert_eq!(run.notes, ["mine"]);
}

#[test]
fn sleep_and_budget_answer_without_being_added_and_a_model_once_it_is() {
    agent!(Thinker, |_task, host| {
        host.sleep(Duration::from_millis(80))?;
        let left = host.budget()?.left;
        let answer = host.model(&json!({ "messages": [] }))?;
        Ok(json!([left.fuel, answer.text, answer.tool_calls[0].name, answer.usage.output_tokens]))
    });
    let run = FakeHost::new()
        .tool("budget", |_| Ok(json!({ "left": { "fuel": 9 } })))
        .tool("model", |_| {
            let call = json!({ "id": "1", "name": "read_file", "arguments": {} });
            Ok(json!({ "text": "hm", "tool_calls": [call], "usage": { "output_tokens": 2 } }))
        })
        .run::<Thinker>(Task::new("x"));
    assert_eq!(run.result, Ok(json!([9, "hm", "read_file", 2])));
    assert_eq!(run.calls[0].arguments, json!({ "ms": 80 }));
}

#[test]
fn a_status_that_is_not_known_yet_is_kept_as_a_word_and_is_not_ok() {
    assert_eq!(Status::from("paused".to_owned()), Status::Other("paused".to_owned()));
    assert_eq!(Status::from("out_of_fuel".to_owned()), Status::OutOfFuel);
}

#[test]
fn a_whole_task_document_is_read_and_newer_keys_do_no_harm() {
    let text = r#"{"run_id":"r","task_id":"root/1","parent_task_id":"root","agent":"a","depth":1,"goal":"g",
        "acceptance_criteria":["c"],"context":{"price":1.50},"shared":{"style":"s"},"context_refs":["artifact://x/v1"],
        "tools":[{"name":"t","description":"d","input_schema":{"type":"object"}}],"spawn":["b"],"output_schema":null,
        "budget":{"fuel":18446744073709551615,"steps":64,"tier":"small"},"messages":[{"role":"user","content":"hi"}],
        "from_the_future":1}"#;
    let task = Task::from_text(text).expect("a task");
    assert_eq!(task.parent_task_id.as_deref(), Some("root"));
    assert_eq!(task.context.to_string(), r#"{"price":1.50}"#);
    assert_eq!((task.budget.fuel, task.budget.tier.as_deref()), (u64::MAX, Some("small")));
    assert_eq!((task.tools[0].name.as_str(), task.messages[0].content.as_str()), ("t", "hi"));
    assert_eq!(Task::from_text("[]").map(drop).expect_err("no object").code, "invalid_task");
}
