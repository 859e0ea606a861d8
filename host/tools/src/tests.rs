//! The tools that touch no file, and the table of all.

use crate::testing::{answer, code, reply};
use crate::{Model, Scripted, Sleep, Workspace, built_in_specs};
use sandfork_model::grant::ALWAYS_GRANTED;
use sandfork_model::plan::{ScriptedError, ScriptedRule, ScriptedTool};
use sandfork_model::{Reply, ToolProvider};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

// M4-41
#[test]
fn a_model_answers_its_turn_after_the_time_it_thinks() {
    for (arguments, text, think_ns) in [
        (
            json!({"provider": "scripted", "turn": 2, "think_ns": 80_000_000, "say": "hi"}),
            r#"{"turn":2,"text":"hi"}"#,
            80_000_000,
        ),
        (json!({"provider": "scripted", "turn": 1}), r#"{"turn":1,"text":""}"#, 0),
        (json!({"provider": "scripted", "turn": 1, "exhausted": false}), r#"{"turn":1,"text":""}"#, 0),
        (
            json!({"provider": "scripted", "turn": 1, "think_ns": 86_400_000_000_000_u64}),
            r#"{"turn":1,"text":""}"#,
            86_400_000_000_000,
        ),
    ] {
        let expected = Reply { result: Ok(text.into()), delay: Duration::from_nanos(think_ns) };
        assert_eq!(reply(&Model::default(), "model", arguments), expected);
    }
}

// M4-21
#[test]
fn a_model_without_replies_says_so_at_once() {
    let arguments = json!({"provider": "scripted", "turn": 1, "exhausted": true, "think_ns": 5});
    let reply = reply(&Model::default(), "model", arguments);
    let error = reply.result.expect_err("exhausted");
    assert_eq!((error.code.as_str(), error.message.as_str()), ("replies_exhausted", "script replies exhausted"));
    assert_eq!(error.details, json!({"turn": 1}));
    assert_eq!(reply.delay, Duration::ZERO);
}

#[test]
fn a_model_call_that_does_not_fit_is_refused() {
    for (arguments, expected) in [
        (json!({"provider": "openai", "messages": []}), "provider_unknown"),
        (json!({"provider": ""}), "provider_unknown"),
        (json!({"turn": 1}), "invalid_arguments"),
        (json!({"provider": 1, "turn": 1}), "invalid_arguments"),
        (json!({"provider": "scripted"}), "invalid_arguments"),
        (json!({"provider": "scripted", "turn": 1, "model": "x"}), "invalid_arguments"),
        (json!({"provider": "scripted", "turn": -1}), "invalid_arguments"),
        (json!({"provider": "scripted", "turn": 1, "think_ns": 86_400_000_000_001_u64}), "invalid_arguments"),
        (json!({"provider": "scripted", "turn": 1, "say": null}), "invalid_arguments"),
        (json!({"provider": "scripted", "turn": 1, "exhausted": "no"}), "invalid_arguments"),
    ] {
        assert_eq!(code(&Model::default(), "model", arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn sleep_answers_later() {
    for (arguments, ms) in [
        (json!({"ms": 0}), 0),
        (json!({"ms": 80}), 80),
        (json!({"duration": "1.5s"}), 1500),
        (json!({"duration": "24h"}), 86_400_000),
    ] {
        let expected = Reply { result: Ok("{}".into()), delay: Duration::from_millis(ms) };
        assert_eq!(reply(&Sleep, "sleep", arguments), expected);
    }
}

#[test]
fn sleep_refuses_what_is_no_time() {
    for arguments in [
        json!({}),
        json!({"ms": 1, "duration": "1ms"}),
        json!({"ms": -1}),
        json!({"ms": 1.5}),
        json!({"ms": 86_400_001}),
        json!({"duration": "25h"}),
        json!({"duration": "soon"}),
        json!({"duration": 80}),
        json!({"seconds": 1}),
    ] {
        assert_eq!(code(&Sleep, "sleep", arguments.clone()), "invalid_arguments", "{arguments}");
    }
}

fn rule(when: Option<Value>, answer: Option<Result<Value, ScriptedError>>) -> ScriptedRule {
    let when = when.and_then(|when| when.as_object().cloned());
    ScriptedRule { when, delay: Duration::from_millis(7), answer }
}

fn fetch() -> Scripted {
    let error = ScriptedError { code: "down".into(), message: "b is down".into(), details: json!({"retry": true}) };
    Scripted::new(vec![ScriptedTool {
        name: "fetch".into(),
        description: "fetches".into(),
        rules: vec![
            rule(Some(json!({"site": "a", "page": 1})), Some(Ok(json!({"price": 1.50})))),
            rule(Some(json!({"site": "a"})), Some(Ok(json!("other page")))),
            rule(Some(json!({"site": "b"})), Some(Err(error))),
            rule(Some(json!({"site": "c"})), None),
        ],
    }])
}

#[test]
fn the_first_rule_that_fits_answers() {
    for (arguments, expected) in [
        (json!({"site": "a", "page": 1}), json!({"price": 1.5})),
        (json!({"site": "a", "page": 1.0, "more": true}), json!({"price": 1.5})),
        (json!({"site": "a", "page": 2}), json!("other page")),
        (json!({"site": "a"}), json!("other page")),
    ] {
        let reply = reply(&fetch(), "fetch", arguments);
        assert_eq!(reply.delay, Duration::from_millis(7));
        assert_eq!(serde_json::from_str::<Value>(&reply.result.expect("a result")).expect("JSON"), expected);
    }
}

#[test]
fn a_scripted_error_is_answered_as_it_stands() {
    let reply = reply(&fetch(), "fetch", json!({"site": "b"}));
    let error = reply.result.expect_err("scripted");
    assert_eq!((error.code.as_str(), error.message.as_str()), ("down", "b is down"));
    assert_eq!((error.details, reply.delay), (json!({"retry": true}), Duration::from_millis(7)));
}

#[test]
fn a_call_that_no_rule_fits_is_an_error() {
    for (tool, arguments, expected) in [
        ("fetch", json!({}), "no_rule"),
        ("fetch", json!({"site": "A"}), "no_rule"),
        ("fetch", json!({"page": 1}), "no_rule"),
        ("other", json!({"site": "a"}), "unknown_tool"),
    ] {
        assert_eq!(code(&fetch(), tool, arguments), expected);
    }
}

// HOSTILE 11
#[test]
fn a_rule_without_an_answer_never_answers() {
    assert_eq!(reply(&fetch(), "fetch", json!({"site": "c"})).delay, Reply::NEVER);
}

#[test]
fn every_built_in_tool_says_what_it_takes() {
    let specs = built_in_specs();
    let names: BTreeSet<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names.len(), specs.len(), "no name twice");
    assert!(ALWAYS_GRANTED.iter().all(|name| names.contains(name)));
    for spec in &specs {
        assert!(!spec.description.is_empty(), "{}", spec.name);
        let properties = spec.input_schema["properties"].as_object().expect("properties");
        for required in spec.input_schema["required"].as_array().expect("required") {
            assert!(properties.contains_key(required.as_str().expect("a name")), "{}: {required}", spec.name);
        }
    }
}

// The schema a guest sees and the arguments a provider reads are two lists; this keeps them one.
#[test]
fn every_argument_of_a_schema_is_known_to_its_provider() {
    let files = Workspace::empty().expect("a directory");
    let providers: [&dyn ToolProvider; 3] = [&Model::default(), &Sleep, &files];
    for (provider, spec) in
        providers.iter().flat_map(|provider| provider.specs().into_iter().map(move |spec| (provider, spec)))
    {
        for argument in spec.input_schema["properties"].as_object().expect("properties").keys() {
            if let Err(error) = answer(*provider, &spec.name, json!({ argument: [] })) {
                assert!(!error.message.contains("unknown argument"), "{}", error.message);
            }
        }
        assert_eq!(code(*provider, &spec.name, json!({"provider": "scripted", "surprise": 1})), "invalid_arguments");
    }
}
