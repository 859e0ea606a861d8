//! Every metric at a value that tells something: a run with three agents, two of them below the first.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test stops at what it did not expect")]

use sandfork_model::{
    Amounts, Counts, Deliveries, Dimension, Event, EventBody, Judged, Measures, OnFailure, Outcome, RunId, RunRecord,
    RunStatus, Status, TaskRef, Tasks, Usage,
};
use sandfork_report::judging::judge;
use sandfork_report::metrics::metrics;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn run() -> RunId {
    RunId { name: "demo".into(), id: "demo-1".into() }
}

fn outcome(task: TaskRef, status: Status, counts: Counts) -> Outcome {
    Outcome {
        task: Arc::new(task),
        status,
        output: None,
        error: None,
        counts,
        on_failure: OnFailure::Skip,
        is_added: false,
        is_loser: false,
    }
}

fn counts(tokens: u64, fuel_used: u64, elapsed_ms: u64) -> Counts {
    let of = |fuel: u64| Amounts::from_fn(|dimension| if dimension == Dimension::Fuel { fuel } else { 0 });
    Counts {
        messages: 3,
        input_tokens: tokens,
        output_tokens: tokens / 10,
        fuel_used,
        elapsed_ns: elapsed_ms * 1_000_000,
        reserved: of(1000),
        returned: of(1000 - fuel_used),
        ..Counts::default()
    }
}

fn record() -> RunRecord {
    let lead = TaskRef::top(&run(), "root", "lead", 0);
    let (alpha, beta, never) = (lead.child("alpha", 0, None), lead.child("beta", 1, None), lead.child("beta", 2, None));
    let reads =
        Counts { artifact_reads: 4, artifact_parts: 3, constraints: 6, constraints_kept: 5, ..counts(300, 300, 40) };
    let waits = Counts { waited_ns: 90_000_000, ..counts(100, 100, 100) };
    let mut spent = Amounts::default();
    for (dimension, amount) in [(Dimension::Fuel, 800), (Dimension::InputTokens, 900), (Dimension::OutputTokens, 101)] {
        spent.set(dimension, amount);
    }
    RunRecord {
        status: RunStatus::Partial,
        is_interrupted: false,
        tasks_used: 3,
        max_depth_reached: Some(1),
        elapsed_ns: 100_000_000,
        outcomes: vec![
            outcome(lead, Status::Ok, waits),
            outcome(alpha, Status::Ok, reads),
            outcome(beta, Status::Failed, counts(600, 400, 90)),
            outcome(never, Status::Refused, Counts::default()),
        ],
        merged: Value::Null,
        conflicts: Vec::new(),
        events: BTreeMap::from([("fused", 1)]),
        usage: Usage { spent, ..Usage::default() },
        measures: Measures {
            opening_bytes: 9_000,
            repeated_bytes: 3_000,
            tasks: Tasks { own: 4, own_ok: 2, counted: 3, counted_ok: 2, blocked: 1 },
            deliveries: Deliveries { delivered: 200, applied: 196, held: 10, duplicates: 3, conflicts: 1, refused: 0 },
            judged: Judged { first_reviews: 3, first_passes: 2, similar_refused: 7 },
        },
        metrics: json!({ "context": { "forks": 3, "layers": {} } }),
    }
}

// GV-51
#[test]
fn context_tells_tokens_by_agent_what_is_told_again_and_what_is_read_in_part() {
    let context = &metrics(&record())["context"];
    assert_eq!(context["input_tokens_by_agent"], json!({ "alpha": 300, "beta": 600, "lead": 100 }));
    assert_eq!((&context["repeated_bytes"], &context["repeated_permille"]), (&json!(3000), &json!(333)));
    assert_eq!((&context["artifact_reads"], &context["artifact_part_permille"]), (&json!(4), &json!(750)));
    assert_eq!(context["forks"], 3, "what was gathered elsewhere stays");
}

// GV-52
#[test]
fn messages_tell_what_was_held_copied_and_in_conflict_and_how_long_forks_waited() {
    let messages = &metrics(&record())["messages"];
    let rates = ["held_permille", "duplicate_permille", "conflict_permille"].map(|key| messages[key].clone());
    assert_eq!(json!(rates), json!([50, 15, 5]));
    assert_eq!(messages["dependency_wait_ms"], 90.0);
}

// GV-53
#[test]
fn budget_tells_what_was_reserved_used_and_recovered_and_whose_share_it_was() {
    let budget = &metrics(&record())["budget"];
    assert_eq!(budget["dimensions"]["fuel"], json!({ "reserved": 3000, "used": 800, "recovered": 2200 }));
    assert_eq!(budget["share_by_agent"]["beta"], json!({ "tokens_permille": 600, "fuel_permille": 500 }));
    assert_eq!(budget["fuses"], 1);
}

// GV-54
#[test]
fn recursion_tells_depth_branches_and_what_was_refused_as_similar() {
    assert_eq!(metrics(&record())["recursion"], json!({ "max_depth": 1, "branches": 2, "similar_refused": 7 }));
}

// GV-55
#[test]
fn quality_tells_what_was_completed_accepted_at_first_and_kept() {
    let quality = &metrics(&record())["quality"];
    let rates = ["completion_permille", "first_pass_permille", "constraints_kept_permille"];
    assert_eq!(json!(rates.map(|key| quality[key].clone())), json!([667, 667, 833]));
}

// GV-45, GV-56
#[test]
fn business_tells_latency_cost_of_an_accepted_task_and_takeovers() {
    let business = &metrics(&record())["business"];
    assert_eq!(business["latency_p95_ms"], 100.0);
    assert_eq!(
        (&business["tokens_per_accepted_task"], &business["fuel_per_accepted_task"]),
        (&json!(501), &json!(400))
    );
    assert_eq!((&business["human_takeovers"], &business["human_takeover_permille"]), (&json!(1), &json!(250)));
}

#[test]
fn a_share_of_nothing_is_null_and_not_a_flattering_number() {
    let mut empty = record();
    empty.outcomes.clear();
    empty.measures = Measures::default();
    let metrics = metrics(&empty);
    for share in [
        "/context/repeated_permille",
        "/messages/held_permille",
        "/quality/first_pass_permille",
        "/quality/completion_permille",
        "/business/latency_p95_ms",
        "/business/tokens_per_accepted_task",
    ] {
        assert_eq!(metrics.pointer(share), Some(&Value::Null), "{share}");
    }
}

// GV-54, GV-55: the fold over the events alone
#[test]
fn first_attempts_and_similar_tasks_are_counted_from_the_events() {
    let task = Arc::new(TaskRef::orchestrator(&run()));
    let review = |attempt, verdict| EventBody::Reviewed { task_id: "a".into(), attempt, verdict };
    let refused = |code| EventBody::SpawnRefused { agent: "a".into(), task_id: "a".into(), code };
    let bodies =
        [review(1, "REVISE"), review(2, "PASS"), review(1, "PASS"), refused("similar_task"), refused("host_full")];
    let mut judged = Judged::default();
    for (seq_no, body) in (1..).zip(bodies) {
        let (task, artifact_refs) = (Arc::clone(&task), Vec::new());
        judge(&mut judged, &Event { task, seq_no, cause: None, at_ns: 0, body, artifact_refs, standing: None });
    }
    assert_eq!(judged, Judged { first_reviews: 2, first_passes: 1, similar_refused: 1 });
}
