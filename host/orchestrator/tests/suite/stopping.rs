//! Stops land where they should, when they should, and nowhere else.

use crate::fake::{Fake, task};
use sandfork_model::{OnFailure, RequestOptions, RunStatus};
use serde_json::json;
use std::time::Duration;

fn timed(ms: u64) -> RequestOptions {
    RequestOptions { timeout: Some(Duration::from_millis(ms)), ..RequestOptions::default() }
}

// X-4, OR-31, OR-48
#[test]
fn a_late_answer_ends_the_fork_at_its_limit_and_is_recorded_once() {
    let finished = Fake::tasks(vec![task("slow", "slow", timed(1000))])
        .agent("slow", &[], json!([["tool", "wait", {"ms": 5000}], ["return", {"stale": true}]]))
        .run();
    let outcome = &finished.record.outcomes[0];
    assert_eq!(outcome.status.name(), "timeout");
    assert_eq!(outcome.output, None);
    assert_eq!(outcome.counts.elapsed_ns, 1_000_000_000);
    assert_eq!(finished.count("late_result_dropped"), 1);
    let late = finished.events.iter().find(|event| event["event_type"] == "late_result_dropped").unwrap();
    assert_eq!(late["attrs"]["late_ms"], 4000.0);
    assert_eq!(finished.record.elapsed_ns, 1_000_000_000);
    assert_eq!(finished.events.last().unwrap()["event_type"], "run_finished");
}

// HOSTILE 10 (virtual time): a deadline is a fuel cap
#[test]
fn a_spinning_guest_meets_its_deadline_exactly_and_its_sibling_is_untouched() {
    let skip = |ms| RequestOptions { on_failure: Some(OnFailure::Skip), ..timed(ms) };
    let finished = Fake::tasks(vec![task("spin", "spin", skip(100)), task("quick", "quick", skip(100))])
        .agent("spin", &[], json!([["spin"]]))
        .agent("quick", &[], json!([["tool", "wait", {"ms": 30}], ["return", {"quick": 1}]]))
        .run();
    assert_eq!(finished.statuses(), [("spin".to_owned(), "timeout"), ("quick".to_owned(), "ok")]);
    assert_eq!(finished.record.outcomes[0].counts.elapsed_ns, 100_000_000);
    assert_eq!(finished.record.outcomes[0].counts.fuel_used, 100_000_000);
    assert_eq!(finished.record.status, RunStatus::Partial);
}

// HOSTILE 11
#[test]
fn a_tool_that_never_answers_ends_in_a_timeout_in_both_times() {
    for real in [false, true] {
        let fake = Fake::tasks(vec![task("t", "stuck", timed(200)), task("u", "fine", timed(200))])
            .agent("stuck", &[], json!([["tool", "wait", {}]]))
            .agent("fine", &[], json!([["return", {"fine": true}]]));
        let finished = if real { fake.real() } else { fake }.run();
        assert_eq!(finished.statuses(), [("t".to_owned(), "timeout"), ("u".to_owned(), "ok")]);
        assert_eq!(finished.count("late_result_dropped"), 0, "what never comes is never late");
    }
}

// HOSTILE 30
#[test]
fn a_parent_that_times_out_takes_its_subtree_with_it() {
    for real in [false, true] {
        // Real time is long enough for a busy machine to get to the leaves before the clock does.
        let fake = Fake::tasks(vec![task("top", "top", timed(if real { 2000 } else { 100 }))])
            .agent("top", &["mid"], json!([["spawn", [{"agent": "mid"}]], ["return", {}]]))
            .agent("mid", &["leaf"], json!([["spawn", [{"agent": "leaf"}, {"agent": "leaf", "goal": "2"}]]]))
            .agent("leaf", &[], json!([["tool", "wait", {}]]))
            // one of the leaves never gets a slot: a cancel during start-up lands
            .limits(|limits| limits.max_concurrency = 1);
        let finished = if real { fake.real() } else { fake }.run();
        let statuses: Vec<&str> = finished.record.outcomes.iter().map(|o| o.status.name()).collect();
        // children are clamped to what their parent has left, minus 20 ms each level
        assert_eq!(statuses.len(), 4);
        assert_eq!(statuses[0..1], ["ok"][..], "the top lives on: its child was clamped to end before it");
        assert_eq!(finished.count("subagent_return"), 4);
    }
}

// DESIGN 5: first_ok and quorum cancel the rest, who have an outcome too
#[test]
fn losers_are_cancelled_and_do_not_count_against_the_run() {
    let race = |mode: serde_json::Value| {
        Fake::root("lead")
            .agent(
                "lead",
                &["fast", "slow"],
                json!([["spawn", [{"agent": "slow"}, {"agent": "fast"}, {"agent": "fast", "goal": "2"}], mode], ["return_last"]]),
            )
            .agent("fast", &[], json!([["tool", "wait", {"ms": 10}]]))
            .agent("slow", &[], json!([["tool", "wait", {"ms": 1000}]]))
            .run()
    };
    let first = race(json!({"return": "first_ok"}));
    let told = json!([["slow", "cancelled", "cancelled"], ["fast", "ok", null], ["fast", "cancelled", "cancelled"]]);
    assert_eq!(first.record.merged["told"], told);
    assert_eq!(first.record.status, RunStatus::Completed);
    assert_eq!(first.record.elapsed_ns, 10_000_000);
    assert_eq!(first.count("cancelled"), 2);
    assert_eq!(first.count("late_result_dropped"), 2, "both answers were under way");
    let quorum = race(json!({"return": {"quorum": 2}}));
    let told = json!([["slow", "cancelled", "cancelled"], ["fast", "ok", null], ["fast", "ok", null]]);
    assert_eq!(quorum.record.merged["told"], told);
}

// HOSTILE 31
#[test]
fn an_interrupt_stops_the_run_in_order_and_keeps_what_had_finished() {
    for real in [false, true] {
        let fake = Fake::tasks(vec![task("done", "done", timed(60_000)), task("hang", "hang", timed(60_000))])
            .agent("done", &[], json!([["return", {"kept": 1}]]))
            .agent("hang", &[], json!([["tool", "interrupt_me", {}], ["tool", "wait", {}]]));
        let mut fake = if real { fake.real() } else { fake };
        fake.workers = 2;
        let interrupt = fake.interrupt.clone();
        let sink = std::thread::spawn(move || interrupt.trip());
        sink.join().unwrap();
        let finished = fake.run();
        assert!(finished.record.is_interrupted);
        assert_eq!(finished.count("subagent_return"), 2);
        assert_eq!(finished.record.outcomes[1].status.name(), "cancelled");
    }
}

// HOSTILE 28, OR-32, M4-23
#[test]
fn each_way_to_fail_is_distinct_and_siblings_end_ok() {
    let tasks = ["trap", "fail", "fine"].map(|name| task(name, name, timed(1000))).to_vec();
    let finished = Fake::tasks(tasks)
        .agent("trap", &[], json!([["trap"]]))
        .agent("fail", &[], json!([["fail", "no_luck"]]))
        .agent("fine", &[], json!([["return", {"fine": true}]]))
        .run();
    let causes: Vec<_> =
        finished.record.outcomes.iter().map(|o| o.error.as_ref().map(|e| e.details["cause"].clone())).collect();
    assert_eq!(causes, [Some(json!("trap")), Some(json!("returned")), None]);
    assert_eq!(finished.record.status, RunStatus::Failed, "OR-33");
    assert_eq!(finished.record.merged, json!({"fine": true}), "OR-35");
}

// the run's deadline counts queueing and stops everything
#[test]
fn the_runs_deadline_stops_what_is_left() {
    for real in [false, true] {
        let fake = Fake::tasks(vec![task("t", "stuck", timed(60_000))])
            .agent("stuck", &[], json!([["tool", "wait", {}]]))
            .limits(|limits| limits.deadline = Duration::from_millis(50));
        let finished = if real { fake.real() } else { fake }.run();
        assert_eq!(finished.record.outcomes[0].status.name(), "timeout");
        assert_eq!(finished.record.status, RunStatus::Failed);
    }
}
