//! Worker, reviewer, verdict: only a `PASS` leads to an accepted output.

use crate::fake::{Fake, Finished, task};
use sandfork_model::{Cap, OnFailure, Outcome, RequestOptions, ReviewSpec, RunStatus, Status};
use serde_json::{Value, json};

/// A worker that says whether it was sent back, and one reviewed task for it.
fn reviewed(max_returns: u32, reviewer: Value) -> Fake {
    let options = RequestOptions { acceptance_criteria: vec!["is short".into()], ..RequestOptions::default() };
    let mut draft = task("draft", "worker", options);
    draft.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns });
    Fake::tasks(vec![draft])
        .agent(
            "worker",
            &[],
            json!([["burn", 5], ["when", "/context/review", ["return", {"text": "second"}]], ["return", {"text": "first"}]]),
        )
        .agent("reviewer", &[], reviewer)
}

/// Revises the first draft, passes what came of the comments.
fn strict() -> Value {
    json!([
        ["when", "/context/output/final", ["return", {"verdict": "PASS"}]],
        ["return", {"verdict": "REVISE", "comments": "make it final"}],
    ])
}

fn outcome<'a>(finished: &'a Finished, id: &str) -> &'a Outcome {
    finished.record.outcomes.iter().find(|outcome| &*outcome.task.task_id == id).unwrap()
}

fn code(outcome: &Outcome) -> &str {
    outcome.error.as_ref().map_or("", |error| error.code.as_str())
}

// GV-60
#[test]
fn a_pass_accepts_the_output_and_the_review_is_a_result_of_its_own() {
    let finished = reviewed(2, json!([["return", {"verdict": "PASS"}]])).run();
    assert_eq!(finished.statuses(), [("draft".into(), "ok"), ("draft.review".into(), "ok")]);
    assert_eq!(finished.record.status, RunStatus::Completed);
    assert_eq!(finished.record.merged, json!({"text": "first"}), "a verdict is no output of the run");
    assert_eq!(outcome(&finished, "draft.review").task.parent_task_id, None);
    assert_eq!(finished.count("reviewed"), 1);
}

// GV-08, GV-60
#[test]
fn a_reviewer_sees_the_task_and_the_output_and_nothing_else() {
    let finished = reviewed(2, json!([["return_task", "/context"]])).run();
    let seen = outcome(&finished, "draft.review");
    assert_eq!(seen.status, Status::Failed, "what it returned was no verdict: {:?}", seen.error);
    for pointer in ["/context/task/id", "/context/task/acceptance_criteria/0", "/context/output/text", "/output_schema"]
    {
        let passes = json!([["when", pointer, ["return", {"verdict": "PASS"}]], ["return", {"verdict": "BLOCKED"}]]);
        assert_eq!(reviewed(2, passes).run().record.status, RunStatus::Completed, "{pointer}");
    }
    let all =
        json!([["when", "/context/task/context", ["return", {"verdict": "PASS"}]], ["return", {"verdict": "BLOCKED"}]]);
    assert_eq!(reviewed(2, all).run().record.status, RunStatus::Failed, "not what the worker was told");
}

// GV-36, GV-60
#[test]
fn a_revised_task_is_forked_again_with_the_comments_and_reports_what_was_accepted() {
    let mut fake = reviewed(2, strict());
    fake.plan.agents.remove(0);
    let told =
        |pointer: &str| json!(["when", pointer, ["when", "/context/review/comments", ["return", {"final": true}]]]);
    let worker = json!([told("/context/review/previous_output/text"), ["return", {"text": "first"}]]);
    let finished = fake.agent("worker", &[], worker).run();
    let ids = ["draft", "draft.review", "draft.2", "draft.review.2"];
    assert_eq!(finished.statuses(), ids.map(|id| (id.to_owned(), "ok")));
    assert_eq!(outcome(&finished, "draft").output, Some(json!({"final": true})));
    assert_eq!(finished.record.merged, json!({"final": true}), "no conflict with the draft that was sent back");
    assert_eq!(finished.record.conflicts, []);
    assert_eq!(finished.record.status, RunStatus::Completed);
    assert_eq!(finished.record.tasks_used, 4);
}

// GV-60
#[test]
fn a_task_sent_back_once_too_often_is_rejected() {
    for max_returns in 0..3 {
        let finished = reviewed(max_returns, strict()).run();
        let draft = outcome(&finished, "draft");
        assert_eq!((draft.status, code(draft)), (Status::Failed, "review_rejected"));
        assert_eq!(draft.output, None, "a rejected output is none");
        assert_eq!(draft.error.as_ref().unwrap().details["comments"], "make it final");
        assert_eq!(finished.record.tasks_used, 2 * (u64::from(max_returns) + 1));
        assert_eq!(finished.record.merged, json!({}));
        assert_eq!(finished.record.status, RunStatus::Failed);
    }
}

// GV-60, GV-36: no way from running to passed without a PASS
#[test]
fn whatever_a_reviewer_does_instead_of_passing_the_task_is_not_ok() {
    let reviewers = [
        json!([["fail", "no_luck"]]),
        json!([["trap"]]),
        json!([["spin"]]),
        json!([["tool", "wait", {}]]),
        json!([["return", {}]]),
        json!([["return", "PASS"]]),
        json!([["return", ["PASS"]]]),
        json!([["return", {"verdict": "pass"}]]),
        json!([["return", {"verdict": ["PASS"]}]]),
        json!([["return", {"verdict": "PASS "}]]),
        json!([["return", {"Verdict": "PASS"}]]),
        json!("no steps"),
    ];
    for reviewer in reviewers {
        let fake =
            reviewed(2, reviewer.clone()).limits(|limits| limits.fork.timeout = std::time::Duration::from_millis(50));
        let finished = fake.run();
        let draft = outcome(&finished, "draft");
        assert_eq!((draft.status, code(draft)), (Status::Failed, "review_failed"), "{reviewer}");
        assert_eq!(draft.output, None, "{reviewer}");
        assert_eq!(finished.record.merged, json!({}), "{reviewer}");
        assert_eq!(finished.record.status, RunStatus::Failed, "{reviewer}");
        assert_eq!(finished.record.tasks_used, 2, "a review that failed is not the worker's second chance: {reviewer}");
    }
}

// GV-36: all workers done but nothing left for the reviewer is not complete
#[test]
fn a_reviewer_that_the_gate_refuses_accepts_nothing() {
    let fake = reviewed(2, json!([["return", {"verdict": "PASS"}]])).limits(|limits| limits.max_tasks = Cap::Finite(1));
    let finished = fake.run();
    assert_eq!(finished.statuses(), [("draft".into(), "failed"), ("draft.review".into(), "refused")]);
    let error = outcome(&finished, "draft").error.clone().unwrap();
    assert_eq!((error.code.as_str(), &error.details["code"]), ("review_failed", &json!("task_budget_exceeded")));
    assert_eq!(finished.record.status, RunStatus::Failed);
}

// GV-60
#[test]
fn a_blocked_verdict_ends_the_task_blocked() {
    let says = json!({"verdict": "BLOCKED", "missing": ["date"], "comments": "no date"});
    let finished = reviewed(2, json!([["return", says]])).run();
    let draft = outcome(&finished, "draft");
    assert_eq!((draft.status, code(draft)), (Status::Blocked, "blocked"));
    assert_eq!(draft.error.as_ref().unwrap().details["missing"], json!(["date"]));
}

// GV-60
#[test]
fn a_worker_that_fails_is_not_reviewed() {
    let mut draft =
        task("draft", "worker", RequestOptions { on_failure: Some(OnFailure::Skip), ..RequestOptions::default() });
    draft.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns: 2 });
    let finished = Fake::tasks(vec![draft])
        .agent("worker", &[], json!([["fail", "no_luck"]]))
        .agent("reviewer", &[], json!([["return", {"verdict": "PASS"}]]))
        .run();
    assert_eq!(finished.statuses(), [("draft".into(), "failed")]);
    assert_eq!(finished.record.status, RunStatus::Partial, "skip is for the task, reviewed or not");
}

// HOSTILE 16: `0` is none
#[test]
fn a_run_without_retries_sends_nothing_back() {
    let mut fake = reviewed(5, strict());
    fake.plan.limits.fork.retries = Cap::Finite(0);
    let finished = fake.run();
    assert_eq!(code(outcome(&finished, "draft")), "review_rejected");
    assert!(outcome(&finished, "draft").error.as_ref().unwrap().message.contains("no retries left"));
    assert_eq!(finished.record.tasks_used, 2);
}

// OR-36: plan order, whatever comes first
#[test]
fn reviews_stand_beside_their_tasks_and_do_not_wait_for_other_workers() {
    let mut slow = task("slow", "slow", RequestOptions::default());
    let mut quick = task("quick", "quick", RequestOptions::default());
    for one in [&mut slow, &mut quick] {
        one.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns: 1 });
    }
    let fake = Fake::tasks(vec![slow, quick])
        .agent("slow", &[], json!([["tool", "wait", {"ms": 100}], ["return", {"who": "slow"}]]))
        .agent("quick", &[], json!([["return", {"who": "quick"}]]))
        .agent("reviewer", &[], json!([["tool", "wait", {"ms": 20}], ["return", {"verdict": "PASS"}]]));
    let ids = ["slow", "slow.review", "quick", "quick.review"].map(|id| (id.to_owned(), "ok"));
    assert_eq!(fake.run().statuses(), ids);
    assert_eq!(fake.real().run().statuses(), ids, "in real time");
    let mut slow = task("slow", "slow", RequestOptions::default());
    slow.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns: 1 });
    let finished = Fake::tasks(vec![slow, task("quick", "quick", RequestOptions::default())])
        .agent("slow", &[], json!([["return", {"who": "slow"}]]))
        .agent("quick", &[], json!([["tool", "wait", {"ms": 100}], ["return", {"who": "quick"}]]))
        .agent("reviewer", &[], json!([["tool", "wait", {"ms": 20}], ["return", {"verdict": "PASS"}]]))
        .run();
    assert_eq!(finished.record.elapsed_ns, 100_000_000, "the review ran beside the other worker");
    assert_eq!(finished.record.merged, json!({"who": "slow"}));
    assert_eq!(finished.record.conflicts.len(), 1);
}

// HOSTILE 28
#[test]
fn a_run_that_ends_during_a_review_has_accepted_nothing() {
    let never = json!([["tool", "wait", {}]]);
    let fake = reviewed(2, never).limits(|limits| {
        limits.deadline = std::time::Duration::from_millis(30);
        limits.fork.timeout = std::time::Duration::from_secs(10);
    });
    let finished = fake.run();
    assert_eq!(code(outcome(&finished, "draft")), "review_failed");
    assert_eq!(finished.record.status, RunStatus::Failed);
    let fake = reviewed(2, json!([["return", {"verdict": "PASS"}]]));
    fake.interrupt.trip();
    let finished = fake.run();
    assert!(!outcome(&finished, "draft").is_ok());
    assert_eq!(finished.record.merged, json!({}));
}

// GV-60: names are never shared
#[test]
fn a_task_that_has_the_name_of_a_review_keeps_it() {
    let mut draft = task("draft", "worker", RequestOptions::default());
    draft.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns: 1 });
    let finished = Fake::tasks(vec![draft, task("draft.review", "worker", RequestOptions::default())])
        .agent("worker", &[], json!([["return", {}]]))
        .agent("reviewer", &[], json!([["return", {"verdict": "PASS"}]]))
        .run();
    let ids = ["draft", "draft.review.2", "draft.review"].map(|id| (id.to_owned(), "ok"));
    assert_eq!(finished.statuses(), ids);
}

// GV-34, GV-36, GV-49: a run that converges, or whose fuse is gone, still accepts what its workers have done
#[test]
fn acceptance_goes_on_when_nothing_else_does() {
    for fuse in [None, Some(90)] {
        let mut fake = reviewed(0, json!([["burn", 10], ["return", {"verdict": "PASS"}]])).limits(|limits| {
            limits.budget =
                sandfork_model::Ask { fuel: Some(Cap::Finite(1_000_000)), ..sandfork_model::Ask::default() };
            limits.policy.floors.acceptance.fuel = Some(Cap::Finite(20_000));
            limits.policy.fuse = fuse;
        });
        fake.plan.agents.remove(0);
        // The fuse cancels what is not critical.
        if let sandfork_model::Shape::Tasks(tasks) = &mut fake.plan.shape {
            tasks[0].options.critical = true;
        }
        let worker = json!([["burn", 970_000], ["note", "all but done"], ["return", {"text": "done"}]]);
        let finished = fake.agent("worker", &[], worker).run();
        let review = outcome(&finished, "draft.review");
        assert_eq!(review.status, Status::Ok, "fuse {fuse:?}: {:?}", review.error);
        assert_eq!(finished.count("fused"), u64::from(fuse.is_some()));
    }
}
