//! The analyst on findings given and on findings stored.

use super::*;
use sandfork_guest::fake::FakeHost;

fn finding(source: &str, text: &str) -> Json {
    json!({ "source": source, "text": text })
}

fn supply() -> Json {
    json!([
        finding("rivers.md:1", "Two rivers."),
        finding("rivers.md:3", "The supply is safe."),
        finding("census.md:1", "People need a water supply."),
    ])
}

fn task(context: Json) -> Task {
    Task::new("Is the water supply safe?").context(context)
}

#[test]
fn findings_are_counted_and_those_that_speak_of_the_goal_come_first() {
    let run = FakeHost::new().run::<Analyst>(task(json!({ "findings": supply() })));
    let output = run.result.expect("an analysis");
    assert_eq!(output["counts"], json!({ "findings": 3, "sources": 2, "words": 11 }));
    assert_eq!(output["by_source"], json!({ "census.md": 1, "rivers.md": 2 }));
    let points = json!([
        { "text": "The supply is safe.", "source": "rivers.md:3", "matches": ["safe", "supply"] },
        { "text": "People need a water supply.", "source": "census.md:1", "matches": ["supply", "water"] },
    ]);
    assert_eq!(output["key_points"], points);
    assert_eq!(output["evidence_refs"], json!(["rivers.md:3", "census.md:1"]));
    assert_eq!(output["summary"], "Is the water supply safe?: 2 of 3 findings from 2 sources speak of it");
}

// GV-04, GV-13
#[test]
fn an_artifact_is_read_part_by_part_and_may_be_a_researchers_output() {
    let text = json!({ "findings": supply(), "summary": "…" }).to_string();
    let host = FakeHost::new().tool("artifact_get", move |arguments| {
        let from = arguments["offset"].as_u64().map_or(0, |offset| offset as usize);
        let to = text.floor_char_boundary(from + 50);
        Ok(json!({ "text": text[from..to], "more": to < text.len() }))
    });
    let mut task = task(json!({}));
    task.context_refs = vec!["artifact://findings/v1".to_owned()];
    let run = host.run::<Analyst>(task);
    assert_eq!(run.result.expect("an analysis")["counts"]["findings"], json!(3));
    assert!(run.calls.len() > 2);
    assert_eq!(run.calls[1].arguments, json!({ "ref": "artifact://findings/v1", "offset": 50 }));
}

#[test]
fn the_lines_of_any_other_artifact_are_findings() {
    let host = FakeHost::new().tool("artifact_get", |_| Ok(json!({ "text": "one supply\n\ntwo\n", "more": false })));
    let mut task = task(json!({}));
    task.context_refs = vec!["artifact://log/v2".to_owned()];
    let output = host.run::<Analyst>(task).result.expect("an analysis");
    assert_eq!(output["by_source"], json!({ "artifact://log/v2": 2 }));
    assert_eq!(output["evidence_refs"], json!(["artifact://log/v2:1"]));
}

#[test]
fn nothing_to_analyse_is_blocked_and_a_missing_or_endless_artifact_a_failure() {
    assert_eq!(FakeHost::new().run::<Analyst>(task(json!({}))).result, Err(Failure::blocked(["findings"])));
    let code = |host: FakeHost, task: Task| host.run::<Analyst>(task).result.expect_err("no analysis").code;
    assert_eq!(code(FakeHost::new(), task(json!({ "findings": [1] }))), "invalid_findings");
    let stored = || {
        let mut task = task(json!({}));
        task.context_refs = vec!["artifact://a/v1".to_owned()];
        task
    };
    let gone = FakeHost::new().tool("artifact_get", |_| Err(Failure::new("not_found", "gone")));
    assert_eq!(code(gone, stored()), "not_found");
    let endless = FakeHost::new().tool("artifact_get", |_| Ok(json!({ "text": "x", "more": true })));
    assert_eq!(code(endless, stored()), "too_large");
}

#[test]
fn findings_that_speak_of_something_else_leave_no_key_points() {
    let run = FakeHost::new().run::<Analyst>(task(json!({ "findings": [finding("a", "Nothing here.")] })));
    let output = run.result.expect("an analysis");
    assert_eq!((&output["key_points"], &output["counts"]["findings"]), (&json!([]), &json!(1)));
}
