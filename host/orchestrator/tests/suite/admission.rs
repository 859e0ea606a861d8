//! What the gate lets through, and what it says when it does not.

use crate::fake::{Fake, task};
use sandfork_model::{Ancestors, Ask, Cap, RequestOptions, RunStatus};
use serde_json::{Value, json};

fn chain() -> Fake {
    let spawn_self = json!([["spawn", [{"agent": "again", "goal": "deeper"}]], ["return_last"]]);
    Fake::root("again").agent("again", &["self"], spawn_self).limits(|limits| limits.ancestors = Ancestors::Allow)
}

// HOSTILE 2, X-1, OR-25
#[test]
fn depth_limits_of_0_to_3_run_1_to_4_generations() {
    for max_depth in 0..=3 {
        let finished = chain().limits(|limits| limits.max_depth = Cap::Finite(max_depth)).run();
        assert_eq!(finished.record.tasks_used, max_depth + 1, "max_depth {max_depth}");
        assert_eq!(finished.record.max_depth_reached, u32::try_from(max_depth).ok());
        assert_eq!(finished.count("depth_limit"), 1);
        assert_eq!(finished.count("spawn_refused"), 0);
    }
}

// HOSTILE 6, OR-28, OR-29
#[test]
fn a_fan_out_within_depth_is_stopped_by_the_total_with_one_outcome_per_request() {
    let eight: Vec<Value> = (0..8).map(|n| json!({"agent": "wide", "goal": format!("part {n}")})).collect();
    let finished = Fake::root("wide")
        .agent("wide", &["self"], json!([["spawn", eight], ["return_last"]]))
        .limits(|limits| {
            limits.max_tasks = Cap::Finite(4);
            limits.ancestors = Ancestors::Allow;
        })
        .run();
    assert_eq!(finished.record.tasks_used, 4);
    let told = finished.record.merged["told"].as_array().unwrap().clone();
    assert_eq!(told.len(), 8, "one outcome per request");
    let refused = told.iter().filter(|outcome| outcome[2] == "task_budget_exceeded").count();
    assert_eq!(refused, 5, "three of eight run beside the root");
    let codes = finished.record.outcomes.iter().filter(|o| o.counts.messages == 0);
    assert!(codes.clone().all(|o| o.error.as_ref().unwrap().code == "task_budget_exceeded"));
    assert_eq!(codes.count(), 5 + 3 * 8, "nothing is silently missing");
}

// HOSTILE 3
#[test]
fn an_ancestor_on_the_same_task_is_a_cycle_and_another_goal_is_none() {
    let other = |name: &str| json!([["spawn", [{"agent": name, "goal": "same"}]], ["return_last"]]);
    let finished = Fake::root("a").agent("a", &["b"], other("b")).agent("b", &["a"], other("a")).run();
    // the root works on "goal of root", so a -> b(same) -> a(same) repeats nothing yet and depth stops the next hop
    assert_eq!(finished.record.tasks_used, 3);
    let same = json!([["spawn", [{"agent": "c", "goal": "goal of root"}]], ["return_last"]]);
    let finished = Fake::root("c").agent("c", &["self"], same).run();
    assert_eq!(finished.record.merged["told"], json!([["c", "refused", "ancestor_cycle"]]));
    assert_eq!(finished.record.tasks_used, 1);
}

// X-2, GV-39
#[test]
fn an_agent_forks_only_what_its_entry_lists() {
    let finished = Fake::root("lead")
        .agent("lead", &[], json!([["spawn", [{"agent": "other"}]], ["return_last"]]))
        .agent("other", &[], json!([]))
        .run();
    assert_eq!(finished.record.merged["told"], json!([["other", "refused", "spawn_not_granted"]]));
    assert_eq!(finished.record.status, RunStatus::Partial, "HOSTILE 9: a refusal is not silent");
}

// OR-39, OR-51, X-7
#[test]
fn an_unknown_agent_fails_its_request_alone() {
    let requests = json!([{"agent": "nobody"}, {"agent": "other"}]);
    let finished = Fake::root("lead")
        .agent("lead", &["other"], json!([["spawn", requests], ["return_last"]]))
        .agent("other", &[], json!([]))
        .run();
    let told = json!([["nobody", "failed", "unknown_subagent"], ["other", "ok", null]]);
    assert_eq!(finished.record.merged["told"], told);
    let error = finished.record.outcomes[1].error.clone().unwrap();
    assert!(error.message.starts_with("unknown agent"), "{}", error.message);
}

// OR-39
#[test]
fn an_unknown_agent_in_the_plan_is_an_outcome_and_fails_the_run() {
    let finished = Fake::tasks(vec![task("t", "nobody", RequestOptions::default())]).agent("x", &[], json!([])).run();
    assert_eq!(finished.statuses(), [("t".to_owned(), "failed")]);
    assert_eq!(finished.record.status, RunStatus::Failed);
    assert_eq!(finished.record.tasks_used, 0);
}

// GV-40
#[test]
fn one_fork_starts_at_most_max_children() {
    let three: Vec<Value> = (0..3).map(|n| json!({"agent": "leaf", "goal": format!("{n}")})).collect();
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", three], ["return_last"]]))
        .agent("leaf", &[], json!([]))
        .limits(|limits| limits.max_children = Cap::Finite(2))
        .run();
    assert_eq!(finished.record.merged["told"][2], json!(["leaf", "refused", "children_exceeded"]));
}

// HOSTILE 26, GV-10
#[test]
fn a_child_cannot_get_what_its_parent_may_not_hand_on() {
    let requests = json!([
        {"agent": "leaf", "options": {"tools": ["wait", "write_file"]}},
        {"agent": "leaf", "options": {"tools": ["wait"]}},
    ]);
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", requests], ["return_last"]]))
        .agent("leaf", &[], json!([]))
        .run();
    let told = json!([["leaf", "refused", "grant_exceeds_parent"], ["leaf", "ok", null]]);
    assert_eq!(finished.record.merged["told"], told);
}

// GV-32, HOSTILE 17, HOSTILE 20
#[test]
fn four_children_asking_30_of_100_get_three_and_the_refusal_carries_the_numbers() {
    let four: Vec<Value> = (0..4)
        .map(|n| json!({"agent": "leaf", "goal": format!("{n}"), "options": {"budget": {"input_tokens": 30_000}}}))
        .collect();
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", four], ["return_last"]]))
        .agent("leaf", &[], json!([]))
        .limits(|limits| {
            limits.budget = Ask { input_tokens: Some(Cap::Finite(100_000)), ..Ask::default() };
        })
        .run();
    let refused = &finished.record.outcomes[4];
    let error = refused.error.clone().unwrap();
    assert_eq!(error.code, "budget_exceeded");
    let numbers =
        json!({"node": "root", "dimension": "input_tokens", "asked": 30_000, "left": 10_000, "limit": 100_000});
    assert_eq!(error.details, numbers);
    assert!(error.message.contains("30000") && error.message.contains("10000"), "{}", error.message);
    assert_eq!(finished.record.tasks_used, 4);
}

// HOSTILE 19
#[test]
fn a_sibling_that_burns_its_share_leaves_the_others_theirs() {
    let requests = json!([{"agent": "burner", "goal": "a"}, {"agent": "modest", "goal": "b"}]);
    let finished = Fake::root("lead")
        .agent("lead", &["burner", "modest"], json!([["spawn", requests], ["return_last"]]))
        .agent("burner", &[], json!([["spin"]]))
        .agent("modest", &[], json!([["burn", 400_000], ["return", {"done": true}]]))
        .limits(|limits| limits.budget = Ask { fuel: Some(Cap::Finite(1_000_000)), ..Ask::default() })
        .run();
    let told = json!([["burner", "out_of_fuel", "out_of_fuel"], ["modest", "ok", null]]);
    assert_eq!(finished.record.merged["told"], told);
}

// HOSTILE 6 (the host's own limit): never lifted, refuses, does not wait
#[test]
fn a_full_host_refuses_instead_of_waiting() {
    let two: Vec<Value> = (0..2).map(|n| json!({"agent": "leaf", "goal": format!("{n}")})).collect();
    let mut fake = Fake::root("lead").agent("lead", &["leaf"], json!([["spawn", two], ["return_last"]])).agent(
        "leaf",
        &[],
        json!([]),
    );
    fake.seats = 2;
    let finished = fake.run();
    assert_eq!(finished.record.merged["told"], json!([["leaf", "ok", null], ["leaf", "refused", "host_full"]]));
}

// HOSTILE 6: the host has room for fewer language guests than for scripts. Counted together with them, one too many was found out
// by the pool itself, which broke the run.
#[test]
fn language_guests_have_a_room_of_their_own_and_are_refused_where_it_ends() {
    let asked: Vec<Value> =
        ["big", "big", "small", "big", "small"].iter().map(|name| json!({"agent": name, "goal": "g"})).collect();
    let mut fake = Fake::root("lead")
        .agent("lead", &["big", "small"], json!([["spawn", asked], ["return_last"]]))
        .agent("small", &[], json!([]))
        .large()
        .agent("big", &[], json!([]));
    fake.large_seats = Some(2);
    let finished = fake.run();
    let ok = |name: &str| json!([name, "ok", null]);
    let told = json!([ok("big"), ok("big"), ok("small"), ["big", "refused", "host_full"], ok("small")]);
    assert_eq!(finished.record.merged["told"], told);
    let error = finished.record.outcomes.iter().find_map(|outcome| outcome.error.clone()).unwrap();
    assert_eq!((&error.details["limit"], &error.details["dimension"]), (&json!(2), &json!("live")));
    assert!(error.message.contains("limit for language guests 2"), "{}", error.message);
    // All seats together are still a limit of their own.
    fake.seats = 2;
    let told = fake.run().record.merged["told"].clone();
    let full = told.as_array().unwrap().iter().filter(|outcome| outcome[2] == "host_full").count();
    assert_eq!(full, 4, "the lead has one of the two: {told}");
}

// OR-27, OR-30, OR-46
#[test]
fn with_both_guards_removed_the_loop_runs_past_a_hundred_until_the_host_is_full() {
    let other = |name: &str| json!([["spawn", [{"agent": name, "goal": "same"}]], ["return_last"]]);
    let finished = Fake::root("a")
        .agent("a", &["b"], other("b"))
        .agent("b", &["a"], other("a"))
        .limits(|limits| {
            limits.ancestors = Ancestors::Allow;
            limits.max_depth = Cap::Unlimited;
            limits.max_tasks = Cap::Unlimited;
            limits.max_live = 150;
            limits.fork.steps = Cap::Unlimited;
            limits.fork.timeout = std::time::Duration::from_secs(3600);
            limits.fork.root_timeout = std::time::Duration::from_secs(3600);
            limits.deadline = std::time::Duration::from_secs(3600);
        })
        .run();
    assert_eq!(finished.record.tasks_used, 150);
    let last = finished.record.outcomes.last().unwrap();
    assert_eq!(last.error.as_ref().unwrap().code, "host_full");
}
