//! The loop against a fake host whose model says what each test wrote down.

use crate::React;
use sandfork_guest::fake::{FakeHost, Run};
use sandfork_guest::{Failure, Json, Task, json};
use std::cell::RefCell;
use std::collections::VecDeque;

/// A host whose model gives these answers, one a turn.
fn saying(replies: Vec<Json>) -> FakeHost {
    let replies = RefCell::new(VecDeque::from(replies));
    FakeHost::new().tool("model", move |_| {
        replies.borrow_mut().pop_front().ok_or_else(|| Failure::new("replies_exhausted", "no reply is left"))
    })
}

fn calls(calls: Json) -> Json {
    let calls: Vec<Json> = calls
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(at, call)| json!({ "id": format!("c{at}"), "name": call[0], "arguments": call[1] }))
        .collect();
    json!({ "text": "working", "tool_calls": calls })
}

fn task(more: Json) -> Task {
    let tool = |name: &str| json!({ "name": name, "description": "d", "input_schema": { "type": "object" } });
    let mut document = json!({
        "task_id": "root/1", "goal": "g", "tools": [tool("read"), tool("search"), tool("budget")],
        "messages": [{ "role": "system", "content": "You are x." }, { "role": "user", "content": "Task: g" }],
    });
    for (key, value) in more.as_object().unwrap() {
        document[key.as_str()] = value.clone();
    }
    Task::from(document)
}

fn asked(run: &Run) -> Vec<&Json> {
    run.calls.iter().filter(|call| call.tool == "model").map(|call| &call.arguments).collect()
}

fn done(text: &str) -> Json {
    json!({ "text": text })
}

fn failure(run: &Run) -> &Failure {
    run.result.as_ref().expect_err("a failure")
}

#[test]
fn calls_are_executed_in_the_order_they_were_asked_for_and_told_to_the_model() {
    let host = saying(vec![
        calls(json!([["search", { "q": 1 }], ["read", { "path": "a" }], ["search", { "q": 2 }]])),
        done("All read."),
    ]);
    let host = host.tool("search", |arguments| Ok(json!({ "found": arguments["q"] })));
    let run = host.tool("read", |_| Err(Failure::new("not_found", "no a"))).run::<React>(task(json!({})));
    assert_eq!(run.result, Ok(json!({ "reply": "All read." })));
    let tools: Vec<&str> = run.calls.iter().map(|call| call.tool.as_str()).filter(|tool| *tool != "budget").collect();
    assert_eq!(tools, ["model", "search", "read", "search", "model"]);
    let messages = asked(&run)[1]["messages"].as_array().unwrap().clone();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool"]);
    assert_eq!(messages[3]["content"], r#"{"found":1}"#);
    assert!(messages[4]["content"].as_str().unwrap().contains("not_found"), "an error is an answer: {}", messages[4]);
    assert_eq!(messages[2]["tool_calls"][2]["id"], messages[5]["tool_call_id"]);
}

// X-10, OR-60, HF-09, HF-10
#[test]
fn the_rule_when_to_fork_is_told_to_whoever_may_fork() {
    let alone = saying(vec![done("x")]).run::<React>(task(json!({})));
    let lead = saying(vec![done("x")]).run::<React>(task(json!({ "spawn": ["alpha", "beta"] })));
    let identity = |run: &Run| asked(run)[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(identity(&alone).starts_with("You are x.") && !identity(&alone).contains("fork_subagents"));
    for part in ["all three hold", "in parallel", "needs isolation", "three or more deep", "small talk", "alpha, beta"]
    {
        assert!(identity(&lead).contains(part), "{part}");
    }
    let names: Vec<&Json> = asked(&alone)[0]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["read", "search", "budget", "blocked", "give_up"]);
}

#[test]
fn a_fork_is_a_call_like_any_other_and_its_answer_one_message() {
    let tasks = json!({ "tasks": [{ "agent": "alpha", "goal": "a" }, { "agent": "beta", "goal": "b" }] });
    let tool = json!({ "name": "fork_subagents", "description": "d", "input_schema": {} });
    let run = saying(vec![calls(json!([["fork_subagents", tasks]])), done("Both are back.")])
        .tool("fork_subagents", |_| Ok(json!({ "ok": true, "text": "two lines", "outcomes": [] })))
        .run::<React>(task(json!({ "tools": [tool], "spawn": ["alpha", "beta"] })));
    assert_eq!(run.result, Ok(json!({ "reply": "Both are back." })));
    assert_eq!(asked(&run)[1]["messages"].as_array().unwrap().len(), 4);
}

#[test]
fn blocked_and_give_up_end_the_fork_with_their_own_codes() {
    for (call, expected) in [
        (json!(["blocked", { "missing": ["order_number"] }]), Failure::blocked(["order_number"])),
        (
            json!(["give_up", { "code": "needs_split", "message": "too large", "details": { "parts": 3 } }]),
            Failure::new("needs_split", "too large").details(json!({ "parts": 3 })),
        ),
        (json!(["give_up", r#"{"code":"unreachable","message":"elm"}"#]), Failure::new("unreachable", "elm")),
    ] {
        let run = saying(vec![calls(json!([call, ["read", {}]]))]).run::<React>(task(json!({})));
        assert_eq!(run.result, Err(expected));
        assert!(!run.calls.iter().any(|call| call.tool == "read"), "nothing is executed behind it");
    }
}

#[test]
fn an_end_that_is_not_said_properly_is_asked_for_again() {
    for call in [
        json!(["blocked", {}]),
        json!(["blocked", { "missing": [] }]),
        json!(["blocked", { "missing": [1] }]),
        json!(["blocked", { "missing": vec!["x"; 65] }]),
        json!(["give_up", { "code": "Not A Code", "message": "x" }]),
        json!(["give_up", { "code": "blocked", "message": "x" }]),
        json!(["give_up", { "code": "x" }]),
    ] {
        let run = saying(vec![calls(json!([call])), done("Then not.")]).run::<React>(task(json!({})));
        assert_eq!(run.result, Ok(json!({ "reply": "Then not." })), "{call}");
        let told = asked(&run)[1]["messages"][3]["content"].as_str().unwrap();
        assert!(told.contains("invalid_arguments"), "{told}");
    }
}

// HF-20
#[test]
fn a_model_that_repeats_itself_is_nudged_and_then_stopped() {
    let same = || calls(json!([["search", { "q": "lamp" }]]));
    let run = saying((0..9).map(|_| same()).chain([done("Nothing.")]).collect())
        .tool("search", |_| Ok(json!({ "found": [] })))
        .run::<React>(task(json!({})));
    assert_eq!(run.result, Ok(json!({ "reply": "Nothing." })));
    assert_eq!(run.notes.iter().filter(|note| note.starts_with("nudged")).count(), 3);
    assert!(run.notes.iter().any(|note| note.starts_with("converging")), "{:?}", run.notes);
    let sent = asked(&run);
    assert!(sent[3]["messages"].to_string().contains("learnt nothing new"));
    assert_eq!(sent[9]["tools"], json!([]), "the last answer has no tools");
}

// HF-20: the host's own detector
#[test]
fn a_loop_that_the_host_detects_is_nudged_too() {
    let run = saying(vec![calls(json!([["search", { "q": 1 }]])), done("x")])
        .tool("search", |_| Err(Failure::new("loop_detected", "in circles")))
        .run::<React>(task(json!({})));
    assert_eq!(run.notes, ["nudged: search repeated without a new answer"]);
}

// GV-34, HF-30
#[test]
fn a_word_to_converge_leads_to_one_last_answer_without_tools() {
    type Answer = fn(&Json) -> Result<Json, Failure>;
    let marked: Answer = |_| Ok(json!({ "found": 1, "converge": "the calls are used up" }));
    let refused: Answer = |_| Err(Failure::new("budget_converging", "the run is converging"));
    for answer in [marked, refused] {
        let run = saying(vec![calls(json!([["search", {}]])), done("One offer.")])
            .tool("search", answer)
            .run::<React>(task(json!({})));
        assert_eq!(run.result, Ok(json!({ "reply": "One offer." })));
        let last = asked(&run)[1];
        assert_eq!(last["tools"], json!([]));
        assert!(last["messages"].to_string().contains("Give your final answer"), "{last}");
    }
}

#[test]
fn whoever_goes_on_calling_at_the_end_returns_what_there_is() {
    let budget = |_: &Json| Ok(json!({ "left": { "steps": 1 }, "run": {} }));
    let run = saying(vec![calls(json!([["search", {}]]))]).tool("budget", budget).run::<React>(task(json!({})));
    assert_eq!(run.result, Ok(json!({ "reply": "working", "partial": true, "unresolved": ["this is the last turn"] })));
    assert!(!run.calls.iter().any(|call| call.tool == "search"));
    // Where no turn is left at all, the model is not even asked.
    let budget = |_: &Json| Ok(json!({ "left": { "steps": 0 }, "run": {} }));
    let run = saying(vec![]).tool("budget", budget).run::<React>(task(json!({})));
    assert_eq!(run.result.unwrap()["partial"], true);
    // Where a schema asks for more than words, half an answer is none.
    let schema = json!({ "output_schema": { "type": "object", "required": ["price"] } });
    let run = saying(vec![]).tool("budget", budget).run::<React>(task(schema));
    assert_eq!(failure(&run).code, "converged");
}

// GV-34, GV-35
#[test]
fn at_the_first_level_old_results_are_replaced_and_the_newest_is_not() {
    let budget = |_: &Json| Ok(json!({ "left": {}, "run": { "level_percent": 60 } }));
    let big = |name: &str| json!({ "text": format!("{} SF-417 in src/{name}.rs: E0308 {}", "well ".repeat(300), "so ".repeat(300)) });
    let run = saying(vec![
        calls(json!([["read", { "path": "a" }]])),
        calls(json!([["read", { "path": "b" }]])),
        done("Read."),
    ])
    .tool("budget", budget)
    .tool("read", move |arguments| Ok(big(arguments["path"].as_str().unwrap())))
    .run::<React>(task(json!({})));
    let last = asked(&run)[2]["messages"].clone();
    let (old, new) = (last[3]["content"].as_str().unwrap(), last[5]["content"].as_str().unwrap());
    assert!(old.starts_with("[replaced: a result of read"), "{old}");
    assert!(["SF-417", "src/a.rs", "E0308"].iter().all(|piece| old.contains(piece)), "{old}");
    assert!(new.len() > 2000, "the newest is whole");
    assert!(run.notes[0].starts_with("replaced 1 results") && run.notes[0].contains("SF-417"), "{:?}", run.notes);
}

#[test]
fn where_artifacts_may_be_stored_a_replaced_result_has_a_reference() {
    let tool = |name: &str| json!({ "name": name, "description": "d", "input_schema": {} });
    let tools = json!({ "tools": [tool("read"), tool("artifact_put"), tool("artifact_get")] });
    let run = saying(vec![calls(json!([["read", {}]])), calls(json!([["read", {}]])), done("Read.")])
        .tool("read", |_| Ok(json!({ "text": "well ".repeat(20_000) })))
        .tool("artifact_put", |arguments| {
            Ok(json!({ "ref": format!("artifact://{}/v1", arguments["name"].as_str().unwrap()) }))
        })
        .run::<React>(task(tools));
    let old = asked(&run)[2]["messages"][3]["content"].as_str().unwrap();
    assert!(old.contains("read it again from artifact://root-1.c0/v1"), "{old}");
}

#[test]
fn an_output_that_misses_its_schema_is_asked_for_once_more() {
    let schema = json!({
        "output_schema": { "type": "object", "required": ["price"], "properties": { "price": { "type": "number" } } },
    });
    let run = |replies| saying(replies).run::<React>(task(schema.clone()));
    let price = json!({ "price": 19.5 });
    for replies in [
        vec![json!({ "text": "", "output": price })],
        vec![done("```json\n{\"price\": 19.5}\n```")],
        vec![done("It costs 19.5."), json!({ "output": price })],
        vec![json!({ "output": { "price": "much" } }), done("{\"price\": 19.5}")],
    ] {
        assert_eq!(run(replies).result, Ok(price.clone()));
    }
    let stubborn = run(vec![done("no"), json!({ "output": { "price": "much" } })]);
    assert_eq!(failure(&stubborn).code, "output_unmet");
    assert_eq!(failure(&stubborn).details["path"], "/price");
    let told = asked(&stubborn)[1]["messages"].as_array().unwrap().last().unwrap()["content"].clone();
    assert!(told.as_str().unwrap().contains("no JSON"), "{told}");
}

// Hostile models: each end is bounded and has a code.
#[test]
fn a_model_that_cannot_be_followed_ends_the_fork_with_a_code() {
    let nothing = || json!({ "text": "  " });
    let unknown = || calls(json!([["rm", { "path": "/" }]]));
    let malformed = || calls(json!([["read", "{no"], ["read", [1]], ["search", 7]]));
    let flood = calls(json!(vec![json!(["read", {}]); 10_000]));
    for (replies, code, turns) in [
        (vec![unknown(), unknown(), unknown()], "model_misbehaved", 3),
        (vec![malformed(), malformed(), malformed()], "model_misbehaved", 3),
        (vec![nothing(), unknown(), malformed()], "model_misbehaved", 3),
        (vec![flood], "too_many_calls", 1),
        (vec![done(&"x".repeat((256 << 10) + 1))], "answer_too_large", 1),
        (vec![json!({ "text": 1 })], "unexpected_answer", 1),
        (vec![], "replies_exhausted", 1),
    ] {
        let run = saying(replies).tool("read", |_| Ok(json!({}))).run::<React>(task(json!({})));
        assert_eq!((failure(&run).code.as_str(), asked(&run).len()), (code, turns));
        assert!(run.calls.iter().all(|call| call.tool == "model" || call.tool == "budget"), "nothing was executed");
    }
    // A good answer in between makes up for the bad ones.
    let good = || calls(json!([["read", {}]]));
    let replies = vec![unknown(), unknown(), good(), unknown(), unknown(), done("Well.")];
    let run = saying(replies).tool("read", |_| Ok(json!({}))).run::<React>(task(json!({})));
    assert_eq!(run.result, Ok(json!({ "reply": "Well." })));
}

#[test]
fn messages_without_bound_are_not_sent() {
    // Results that name nothing but paths cannot be made shorter.
    let paths: Vec<String> = (0..30_000).map(|n| format!("src/{n}.rs")).collect();
    let text = paths.join("\n");
    let replies = (0..8).map(|n| calls(json!([["read", { "n": n }]]))).collect();
    let run = saying(replies).tool("read", move |_| Ok(json!({ "text": text }))).run::<React>(task(json!({})));
    assert_eq!(failure(&run).code, "context_too_large");
    let largest = asked(&run).iter().map(|arguments| arguments.to_string().len()).max().unwrap();
    assert!(largest < 2 * crate::limits::HARD_BYTES, "{largest}");
}
