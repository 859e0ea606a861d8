//! A planner's list, the tasks it asks for, and the planner again for what came back open.

use crate::fake::{Fake, Finished};
use sandfork_model::{Cap, Outcome, RunStatus, Status};
use serde_json::{Value, json};

fn planner(max_replans: u32, first: &Value, again: &Value) -> Fake {
    let steps = json!([["when", "/context/replan", ["return", {"tasks": again}]], ["return", {"tasks": first}]]);
    Fake::planner("planner", max_replans)
        .agent("planner", &[], steps)
        .agent("fact", &[], json!([["return", {"fact": 1}]]))
        .agent(
            "dated",
            &[],
            json!([["when", "/context/date", ["return", {"dated": true}]], ["fail", "blocked", {"missing": ["date"]}]]),
        )
        .agent("large", &[], json!([["fail", "needs_split"]]))
        .agent("broken", &[], json!([["fail", "no_luck"]]))
}

fn outcome<'a>(finished: &'a Finished, id: &str) -> &'a Outcome {
    finished.record.outcomes.iter().find(|outcome| &*outcome.task.task_id == id).unwrap()
}

// GV-60
#[test]
fn a_planner_defines_the_tasks_and_its_list_is_no_output_of_the_run() {
    let list = json!([{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated", "context": {"date": 1}}]);
    let finished = planner(2, &list, &json!([])).run();
    assert_eq!(finished.statuses(), ["planner", "a", "b"].map(|id| (id.to_owned(), "ok")));
    assert_eq!(finished.record.merged, json!({"fact": 1, "dated": true}));
    assert_eq!(finished.record.status, RunStatus::Completed);
    assert!(finished.record.outcomes.iter().all(|o| o.task.depth == 0 && o.task.parent_task_id.is_none()));
    assert_eq!(finished.count("planned"), 1);
}

// GV-09
#[test]
fn a_blocked_task_goes_back_to_the_planner_and_the_replaced_attempt_does_not_count() {
    let first = json!([{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated"}]);
    let again = json!([{"id": "b", "agent": "dated", "context": {"date": 1}}]);
    let finished = planner(2, &first, &again).run();
    let seen = [("planner", "ok"), ("a", "ok"), ("b", "blocked"), ("planner.2", "ok"), ("b.2", "ok")];
    assert_eq!(finished.statuses(), seen.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!(finished.record.merged, json!({"fact": 1, "dated": true}));
    assert_eq!(finished.record.status, RunStatus::Completed, "what was done again counts as it ended");
}

// GV-09: the planner is told what is missing, never the history
#[test]
fn a_planner_is_told_what_is_open_and_what_was_accepted() {
    let steps = |pointer: &str| {
        json!([
            ["when", "/context/replan", ["fail", "stop"]],
            ["when", pointer, ["return", {"tasks": [{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated"}]}]],
            ["fail", "not_told"],
        ])
    };
    for pointer in ["/context/goal", "/context/agents/0/agent"] {
        let mut fake = planner(1, &json!([]), &json!([]));
        fake.plan.agents.remove(0);
        let finished = fake.agent("planner", &[], steps(pointer)).run();
        assert_eq!(outcome(&finished, "planner").status, Status::Ok, "{pointer}");
    }
    let told = |pointer: &str| {
        let mut fake = planner(1, &json!([]), &json!([]));
        fake.plan.agents.remove(0);
        let again = json!(["return", {"tasks": [{"id": "told", "agent": "fact"}]}]);
        let steps = json!([
            ["when", pointer, again],
            ["return", {"tasks": [{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated"}]}],
        ]);
        fake.agent("planner", &[], steps).run().statuses().iter().any(|(id, _)| id == "told")
    };
    for pointer in [
        "/context/blocked/0/missing/0",
        "/context/blocked/0/task_id",
        "/context/blocked/0/message",
        "/context/accepted/0/task_id",
        "/context/accepted/0/output_keys/0",
        "/context/previous_tasks/1/goal",
    ] {
        assert!(told(pointer), "{pointer}");
    }
    assert!(!told("/context/accepted/0/output"), "outputs are named, not handed over");
    assert!(!told("/context/blocked/1"), "only the open part");
}

// GV-39
#[test]
fn a_task_too_large_for_its_worker_is_split_by_the_planner_not_by_the_worker() {
    let first = json!([{"id": "big", "agent": "large"}]);
    let again = json!([{"id": "half", "agent": "fact"}, {"id": "other", "agent": "dated", "context": {"date": 1}}]);
    let finished = planner(2, &first, &again).run();
    let seen = [("planner", "ok"), ("big", "failed"), ("planner.2", "ok"), ("half", "ok"), ("other", "ok")];
    assert_eq!(finished.statuses(), seen.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!(finished.record.status, RunStatus::Completed);
}

// GV-09: bounded
#[test]
fn replans_are_bounded_and_what_is_open_then_stays_as_it_is() {
    let list = json!([{"id": "b", "agent": "dated"}]);
    for max_replans in 0..3 {
        let finished = planner(max_replans, &list, &list).run();
        let blocked = finished.record.outcomes.iter().filter(|o| o.status == Status::Blocked).count();
        assert_eq!(blocked, usize::try_from(max_replans).unwrap() + 1);
        assert_eq!(finished.record.tasks_used, 2 * (u64::from(max_replans) + 1));
        assert_eq!(finished.record.status, RunStatus::Failed);
    }
}

// GV-09
#[test]
fn any_other_failure_is_not_the_planners_business() {
    let list = json!([{"id": "a", "agent": "broken"}, {"id": "b", "agent": "fact"}]);
    let finished = planner(2, &list, &list).run();
    assert_eq!(finished.record.tasks_used, 3, "not planned again");
    assert_eq!(finished.record.status, RunStatus::Failed);
    assert_eq!(finished.record.merged, json!({"fact": 1}));
}

// GV-60
#[test]
fn a_list_that_cannot_be_used_fails_the_planner_and_the_run() {
    for list in [json!("no list"), json!([{"id": "a"}]), json!({"id": "a"}), json!(null)] {
        let finished = planner(2, &list, &json!([])).run();
        let planner = outcome(&finished, "planner");
        let error = planner.error.as_ref().unwrap();
        assert_eq!((planner.status, error.code.as_str()), (Status::Failed, "plan_invalid"), "{list}");
        assert!(error.details["problems"][0].is_string(), "{list}");
        assert_eq!(planner.output, None);
        assert_eq!(finished.record.status, RunStatus::Failed, "{list}");
        assert_eq!(finished.record.tasks_used, 1, "{list}");
        let returned = finished.events.iter().find(|event| event["event_type"] == "subagent_return").unwrap();
        assert_eq!(returned["attrs"]["code"], "plan_invalid", "the log says the same");
    }
}

// GV-09
#[test]
fn an_accepted_task_cannot_be_planned_again() {
    let first = json!([{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated"}]);
    let finished = planner(2, &first, &first).run();
    let error = outcome(&finished, "planner.2").error.clone().unwrap();
    assert_eq!(error.code, "plan_invalid");
    assert!(error.message.contains("tasks[0]") && error.message.contains("accepted already"), "{}", error.message);
    assert_eq!(outcome(&finished, "b").status, Status::Blocked, "it stays as it is");
    assert_eq!(finished.record.status, RunStatus::Failed);
    assert_eq!(finished.record.merged, json!({"fact": 1}));
}

// GV-60: an unknown planner is an outcome, as an unknown root is
#[test]
fn a_planner_that_fails_fails_the_run() {
    for (agent, steps) in [("planner", json!([["fail", "blocked", {"missing": ["goal"]}]])), ("nobody", json!([]))] {
        let finished = Fake::planner(agent, 2).agent("planner", &[], steps).run();
        assert_eq!(finished.record.outcomes.len(), 1, "{agent}");
        assert_eq!(finished.record.status, RunStatus::Failed, "{agent}");
    }
}

// GV-32: the planner is paid from the same tank
#[test]
fn the_planner_and_its_tasks_share_the_runs_totals() {
    let list = json!([{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated", "context": {"date": 1}}]);
    let finished = planner(2, &list, &json!([])).limits(|limits| limits.max_tasks = Cap::Finite(2)).run();
    assert_eq!(outcome(&finished, "b").error.as_ref().unwrap().code, "task_budget_exceeded");
    assert_eq!(finished.record.tasks_used, 2);
    assert_eq!(finished.record.status, RunStatus::Failed);
}

// GV-60, GV-09
#[test]
fn a_planned_task_is_reviewed_like_a_written_one_and_a_blocked_verdict_is_open() {
    let first = json!([{"id": "a", "agent": "fact", "review": "reviewer"}]);
    let again = json!([{"id": "b", "agent": "dated", "context": {"date": 1}}]);
    let finished = planner(1, &first, &again).agent("reviewer", &[], json!([["return", {"verdict": "BLOCKED"}]])).run();
    let seen = [("planner", "ok"), ("a", "blocked"), ("a.review", "ok"), ("planner.2", "ok"), ("b", "ok")];
    assert_eq!(finished.statuses(), seen.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!(finished.record.status, RunStatus::Completed);
    assert_eq!(finished.record.merged, json!({"dated": true}));
}

// HOSTILE 28
#[test]
fn a_run_interrupted_while_planning_is_not_complete() {
    let fake = planner(2, &json!([{"id": "a", "agent": "fact"}]), &json!([]));
    fake.interrupt.trip();
    let finished = fake.run();
    assert!(finished.record.is_interrupted);
    assert_eq!(finished.record.status, RunStatus::Failed);
}

// HOSTILE 38
#[test]
fn planning_and_reviewing_give_the_same_log_with_any_number_of_workers() {
    let first = json!([
        {"id": "a", "agent": "fact", "review": "reviewer"}, {"id": "b", "agent": "dated"}, {"id": "c", "agent": "large"},
    ]);
    let again = json!([{"id": "b", "agent": "dated", "context": {"date": 1}, "review": "reviewer"}]);
    let mut fake =
        planner(2, &first, &again).agent("reviewer", &[], json!([["burn", 7], ["return", {"verdict": "PASS"}]]));
    let one = fake.run();
    fake.workers = 4;
    for _ in 0..10 {
        let many = fake.run();
        assert_eq!(many.events, one.events);
        assert_eq!(many.record, one.record);
    }
}

// GV-22, GV-60: a later list may wait for what an earlier one brought
#[test]
fn a_planned_task_waits_for_others_of_its_list_and_for_accepted_ones() {
    let first = json!([{"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated", "needs": ["a"]}]);
    let again = json!([{"id": "b", "agent": "dated", "context": {"date": 1}, "needs": ["a"]}, {"id": "c", "agent": "told", "needs": ["a", "b"]}]);
    let finished = planner(2, &first, &again).agent("told", &[], json!([["return_task", "/dependencies"]])).run();
    let seen = [("planner", "ok"), ("a", "ok"), ("b", "blocked"), ("planner.2", "ok"), ("b.2", "ok"), ("c", "ok")];
    assert_eq!(finished.statuses(), seen.map(|(id, status)| (id.to_owned(), status)));
    let handed = outcome(&finished, "c").output.clone().unwrap();
    assert_eq!((&handed["a"]["task_id"], &handed["b"]["task_id"]), (&json!("a"), &json!("b.2")));
}

// GV-09: what fell with a blocked task is open with it
#[test]
fn a_task_that_fell_with_a_blocked_one_goes_back_to_the_planner_too() {
    let first = json!([{"id": "b", "agent": "dated"}, {"id": "c", "agent": "fact", "needs": ["b"]}, {"id": "x", "agent": "fact"}]);
    let again =
        json!([{"id": "b", "agent": "dated", "context": {"date": 1}}, {"id": "c", "agent": "fact", "needs": ["b"]}]);
    let finished = planner(2, &first, &again).run();
    let seen = [
        ("planner", "ok"),
        ("b", "blocked"),
        ("c", "cancelled"),
        ("x", "ok"),
        ("planner.2", "ok"),
        ("b.2", "ok"),
        ("c.2", "ok"),
    ];
    assert_eq!(finished.statuses(), seen.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!(finished.record.status, RunStatus::Completed);
    let alone = json!([{"id": "b", "agent": "broken"}, {"id": "c", "agent": "fact", "needs": ["b"]}]);
    assert_eq!(
        planner(2, &alone, &alone).run().record.tasks_used,
        2,
        "fallen with a failure, it is as little open as that"
    );
}

// GV-48, GV-50: an accepted join that rests on what is planned again is done again, and nothing else
#[test]
fn a_join_that_was_told_of_an_open_task_runs_again_once_that_is_done() {
    let first = json!([
        {"id": "a", "agent": "fact"}, {"id": "b", "agent": "dated"}, {"id": "j", "agent": "told", "needs": ["a"], "needs_optional": ["b"]},
    ]);
    let again = json!([{"id": "b", "agent": "dated", "context": {"date": 1}}]);
    let finished = planner(2, &first, &again).agent("told", &[], json!([["return_task", "/dependencies"]])).run();
    let seen = [
        ("planner", "ok"),
        ("a", "ok"),
        ("b", "blocked"),
        ("j", "ok"),
        ("planner.2", "ok"),
        ("b.2", "ok"),
        ("j.2", "ok"),
    ];
    assert_eq!(finished.statuses(), seen.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!(outcome(&finished, "j").output.as_ref().unwrap()["b"]["status"], "blocked");
    assert_eq!(outcome(&finished, "j.2").output.as_ref().unwrap()["b"]["status"], "ok");
    assert_eq!(finished.record.merged["b"]["task_id"], "b.2", "what the join came to with the new input");
    assert_eq!(finished.record.status, RunStatus::Completed);
}
