//! Two reports held against each other, and what stands out.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test stops at what it did not expect")]

use sandfork_report::Comparison;
use serde_json::{Value, json};

fn report(tokens: u64, elapsed_ms: f64, metrics: Value) -> Value {
    json!({
        "schema": "sandfork.report.v1", "run_id": "demo", "status": "completed", "elapsed_ms": elapsed_ms,
        "tasks_used": 2, "engine": {}, "metrics": metrics,
        "results": [{ "ok": true, "elapsed_ms": elapsed_ms }, { "ok": false, "elapsed_ms": 0.0 }],
        "usage": { "model_calls": 1, "tool_calls": 2, "input_tokens": tokens, "output_tokens": 0, "fuel": 7 },
    })
}

fn metrics(completed: u64, kept: u64, held: u64, waited_ms: f64) -> Value {
    json!({
        "quality": { "completion_permille": completed, "constraints_kept_permille": kept },
        "messages": { "held_permille": held, "dependency_wait_ms": waited_ms },
        "business": {},
    })
}

fn codes(a: &Value, b: &Value) -> Vec<&'static str> {
    let comparison = Comparison::of(("a.json", a), ("b.json", b)).expect("two reports");
    comparison.judgements.iter().map(|judgement| judgement.code).collect()
}

// GV-57
#[test]
fn a_tripled_bill_with_little_gain_is_a_wrong_split_and_with_a_gain_it_is_none() {
    let one = report(100, 400.0, metrics(900, 900, 0, 0.0));
    let dear = |completed, kept, elapsed_ms| report(300, elapsed_ms, metrics(completed, kept, 0, 0.0));
    assert_eq!(codes(&one, &dear(950, 900, 390.0)), ["wrong_split"]);
    assert_eq!(codes(&dear(950, 900, 390.0), &one), ["wrong_split"], "whichever is named first");
    for gain in [dear(1000, 900, 390.0), dear(900, 1000, 390.0), dear(900, 900, 200.0)] {
        assert!(!codes(&one, &gain).contains(&"wrong_split"));
    }
    assert_eq!(codes(&one, &report(299, 400.0, metrics(900, 900, 0, 0.0))), [""; 0]);
}

// GV-57
#[test]
fn fewer_tokens_with_lost_constraints_are_over_compression() {
    let long = report(100, 400.0, metrics(1000, 900, 0, 0.0));
    assert_eq!(codes(&report(90, 400.0, metrics(1000, 800, 0, 0.0)), &long), ["over_compression"]);
    assert_eq!(codes(&report(90, 400.0, metrics(1000, 801, 0, 0.0)), &long), [""; 0]);
    assert_eq!(codes(&report(91, 400.0, metrics(1000, 0, 0, 0.0)), &long), [""; 0]);
}

// GV-57
#[test]
fn much_that_is_held_or_much_waiting_is_a_graph_too_heavy() {
    let light = report(100, 400.0, metrics(1000, 1000, 49, 199.0));
    assert_eq!(codes(&light, &light), [""; 0]);
    assert_eq!(codes(&light, &report(100, 400.0, metrics(1000, 1000, 50, 0.0))), ["heavy_graph"]);
    assert_eq!(codes(&report(100, 400.0, metrics(1000, 1000, 0, 200.0)), &light), ["heavy_graph"]);
    // A task's wait for those it needs comes before its life: two that go one after the other are no heavy graph.
    let chain = |waited_ms: f64| {
        let mut metrics = metrics(1000, 1000, 0, waited_ms);
        metrics["messages"]["needs_wait_ms"] = json!(waited_ms);
        report(100, 400.0, metrics)
    };
    assert_eq!(codes(&chain(200.0), &light), [""; 0]);
    assert_eq!(codes(&chain(400.0), &light), ["heavy_graph"]);
}

#[test]
fn an_older_report_shows_dashes_and_is_judged_by_what_it_has() {
    let (old, new) = (report(100, 400.0, json!({})), report(400, 400.0, metrics(500, 1000, 0, 0.0)));
    let comparison = Comparison::of(("old.json", &old), ("new.json", &new)).expect("two reports");
    let text = comparison.words();
    assert!(text.contains("old.json has no metrics") && text.contains(" – "), "{text}");
    assert_eq!(comparison.judgements[0].code, "wrong_split");
    let completed = comparison.rows.iter().find(|row| row.name == "completed").expect("the row");
    assert_eq!((completed.cells(), completed.change()), (["–".into(), "50.0 %".into()], "–".into()));
    let input = comparison.rows.iter().find(|row| row.name == "input tokens").expect("the row");
    assert_eq!(input.change(), "+300 %");
    assert_eq!(comparison.document()["schema"], "sandfork.compare.v1");
}

#[test]
fn fuel_under_other_prices_is_said_to_be_incomparable() {
    let (a, mut b) = (report(1, 1.0, metrics(1, 1, 0, 0.0)), report(1, 1.0, metrics(1, 1, 0, 0.0)));
    b["engine"] = json!({ "price_table_digest": "other" });
    assert!(Comparison::of(("a", &a), ("b", &b)).expect("reports").words().contains("fuel are not comparable"));
}

#[test]
fn what_is_no_report_is_named_with_what_is_wrong() {
    let good = report(1, 1.0, json!({}));
    let mut bad = good.clone();
    bad["usage"]["fuel"] = json!("much");
    for (bad, why) in
        [(json!([]), "`schema`"), (json!({"schema": "sandfork.event"}), "`schema`"), (bad, "`usage.fuel`")]
    {
        let (name, wrong) = Comparison::of(("a.json", &good), ("b.json", &bad)).expect_err("no report");
        assert_eq!(name, "b.json");
        assert!(wrong.contains(why), "{wrong}");
    }
}

#[test]
fn a_run_id_of_control_characters_reaches_no_terminal() {
    let mut odd = report(1, 1.0, json!({}));
    odd["run_id"] = json!("x\u{1b}[2J");
    assert!(!Comparison::of(("a", &odd), ("b", &odd)).expect("reports").words().contains('\u{1b}'));
}
