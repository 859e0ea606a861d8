//! Model calls that carry messages: who sends them pays for them, and what is reported is what is charged.

use crate::fake::{Fake, Finished};
use sandfork_model::{Cap, Dimension, Status};
use serde_json::{Value, json};

/// A root that makes these model calls and returns.
fn thinks(calls: &[Value]) -> Fake {
    let mut steps: Vec<Value> = calls.iter().map(|arguments| json!(["tool", "model", arguments])).collect();
    steps.push(json!(["return", {}]));
    Fake::root("lead").agent("lead", &[], json!(steps))
}

fn tokens(finished: &Finished) -> Vec<Value> {
    let calls = finished.events.iter().filter(|event| event["event_type"] == "model_call");
    calls.map(|event| json!([event["attrs"]["input_tokens"], event["attrs"]["output_tokens"]])).collect()
}

#[test]
fn what_is_sent_is_estimated_from_its_own_bytes_and_what_is_reported_is_believed() {
    let reported = json!({ "text": "hm", "usage": { "input_tokens": 7, "output_tokens": 9 } });
    let finished = thinks(&[
        json!({ "messages": [] }),
        json!({ "messages": ["x".repeat(4000)] }),
        json!({ "messages": [], "reply": reported }),
    ])
    .run();
    // `{"messages":[]}` has 15 bytes, `hm` two; 4 bytes are a token.
    assert_eq!(tokens(&finished), [json!([4, 1]), json!([1005, 1]), json!([7, 9])]);
    assert_eq!(finished.record.usage.spent.get(Dimension::InputTokens), 4 + 1005 + 7);
    assert_eq!(finished.record.usage.spent.get(Dimension::OutputTokens), 1 + 1 + 9);
    let counts = &finished.record.outcomes[0].counts;
    assert_eq!((counts.turns, counts.messages, counts.tool_messages), (3, 5, 0));
}

// A script has no messages of its own: a usage in its answers would be the guest's own word.
#[test]
fn a_call_without_messages_is_charged_as_before() {
    let reply = json!({ "text": "hm", "usage": { "input_tokens": 1, "output_tokens": 1_000_000_000 } });
    let finished = thinks(&[json!({ "reply": reply })]).run();
    let opening = finished.events.iter().find(|event| event["event_type"] == "model_call").expect("a call");
    assert!(opening["attrs"]["input_tokens"].as_u64().expect("a number") > 50, "the opening messages");
    assert_eq!(opening["attrs"]["output_tokens"], 1);
}

#[test]
fn a_call_that_cannot_be_paid_for_is_not_made() {
    let run = |calls: &[Value]| {
        thinks(calls).limits(|limits| limits.fork.input_tokens = Cap::Finite(100)).run().record.outcomes.remove(0)
    };
    // A root holds the run's tank: sixteen times a fork's share.
    let outcome = run(&[json!({ "messages": ["x".repeat(8000)] })]);
    let error = outcome.error.expect("an error");
    assert_eq!((outcome.status, error.code.as_str()), (Status::OutOfBudget, "out_of_budget"));
    assert_eq!(error.details["dimension"], "input_tokens");
    assert_eq!(outcome.counts.messages, 2, "nothing was answered");
    // What turns out to be dearer than it looked is found behind the call.
    let dear = json!({ "text": "", "usage": { "input_tokens": 1601, "output_tokens": 0 } });
    assert_eq!(run(&[json!({ "messages": [], "reply": dear })]).status, Status::OutOfBudget);
    let fair = json!({ "text": "", "usage": { "input_tokens": 1600, "output_tokens": 0 } });
    assert_eq!(run(&[json!({ "messages": [], "reply": fair })]).status, Status::Ok);
}

// M4-21: whatever the guest makes of errors, a fork for which nothing is written has failed
#[test]
fn a_fork_whose_replies_are_exhausted_ends_there() {
    let finished = thinks(&[json!({ "messages": [], "error": "replies_exhausted" })]).run();
    let outcome = &finished.record.outcomes[0];
    let error = outcome.error.as_ref().expect("an error");
    assert_eq!((outcome.status, error.code.as_str()), (Status::Failed, "subagent_failed"));
    assert_eq!((&error.details["cause"], &error.details["turn"]), (&json!("exhausted"), &json!(1)));
    assert_eq!(finished.count("model_call"), 1);
}

#[test]
fn any_other_error_of_a_model_is_the_guests_to_judge() {
    let finished = thinks(&[json!({ "messages": [], "error": "overloaded" })]).run();
    assert_eq!(finished.record.outcomes[0].status, Status::Ok);
    assert_eq!(finished.record.outcomes[0].counts.messages, 2);
}
