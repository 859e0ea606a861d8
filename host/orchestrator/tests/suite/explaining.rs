//! What is explained is what the gate does: the same numbers, the same refusals, and nothing used up by asking.

use crate::fake::{Fake, task};
use sandfork_model::{Ancestors, Ask, Cap, OnFailure, OnShortage, RequestOptions, RetryChange, RetrySpec, ReviewSpec};
use sandfork_orchestrator::Explained;
use serde_json::json;
use std::time::Duration;

fn named<'a>(rows: &'a [Explained], task_id: &str) -> &'a Explained {
    rows.iter().find(|row| row.task_id == task_id).unwrap_or_else(|| panic!("no {task_id} in {rows:#?}"))
}

fn result(row: &Explained, name: &str) -> u64 {
    row.spend.iter().find(|one| one.name == name).unwrap().result
}

fn told(row: &Explained, words: &str) -> bool {
    row.taken.iter().any(|taken| taken.contains(words))
}

// GV-10, GV-32
#[test]
fn a_fork_gets_what_was_explained() {
    let options = RequestOptions {
        budget: Ask { steps: Some(Cap::Finite(3)), note_bytes: Some(Cap::Finite(77)), ..Ask::default() },
        timeout: Some(Duration::from_secs(7)),
        ..RequestOptions::default()
    };
    let tasks = vec![task("a", "worker", options), task("b", "worker", RequestOptions::default())];
    let fake = Fake::tasks(tasks).agent("worker", &[], json!([["return_task", "/budget"]]));
    let rows = fake.explain();
    for outcome in fake.run().record.outcomes {
        let row = named(&rows, &outcome.task.task_id);
        let budget = outcome.output.unwrap();
        for one in &row.spend {
            let key = if one.name == "time_ms" { "timeout_ms" } else { one.name };
            // Of the turns a document tells the whole purse, and its own as `steps`.
            let key = if key == "turns" { "steps" } else { key };
            assert_eq!(budget[key], one.result, "{}: {key}", row.task_id);
        }
    }
}

// GV-10, HF-04
#[test]
fn a_tool_that_is_missing_is_told_with_the_rule_that_took_it() {
    let options = RequestOptions { tools: Some(vec![]), ..RequestOptions::default() };
    let fake = Fake::tasks(vec![task("a", "worker", options), task("b", "worker", RequestOptions::default())]).agent(
        "worker",
        &[],
        json!([]),
    );
    let rows = fake.explain();
    assert_eq!(named(&rows, "a").tools, Vec::<String>::new());
    assert!(told(named(&rows, "a"), "wait: not among the task's tools"));
    assert_eq!(named(&rows, "b").tools, ["wait"]);
    let rows = fake.limits(|limits| drop(limits.policy.deny_at_depth.insert(0, vec!["wait".into()]))).explain();
    assert_eq!(named(&rows, "b").tools, Vec::<String>::new());
    assert!(told(named(&rows, "b"), "wait: denied from depth 0 on"));
}

//
#[test]
fn a_time_that_is_clamped_is_told_with_who_clamped_it() {
    let fake = Fake::root("lead")
        .agent("lead", &["leaf"], json!([]))
        .agent("leaf", &[], json!([]))
        .limits(|limits| limits.deadline = Duration::from_secs(1));
    let rows = fake.explain();
    assert_eq!(result(named(&rows, "root"), "time_ms"), 1_000);
    assert!(told(named(&rows, "root"), "time_ms: the default is 60000, it gets 1000: clamped by the run's deadline"));
    assert_eq!(result(named(&rows, "root/leaf"), "time_ms"), 980, "its parent keeps 20 ms");
    assert!(told(named(&rows, "root/leaf"), "what root has left"));
}

// HOSTILE 20
#[test]
fn a_request_that_the_gate_would_refuse_is_told_with_its_refusal() {
    let fake = Fake::root("lead").agent("lead", &["self", "nobody"], json!([])).limits(|limits| {
        limits.max_depth = Cap::Finite(1);
        limits.ancestors = Ancestors::Allow;
    });
    let rows = fake.explain();
    let refusal = |id: &str| named(&rows, id).refused.as_ref().map(|(code, _)| code.as_str());
    assert_eq!(refusal("root/lead"), None);
    assert_eq!(refusal("root/lead/lead"), Some("delegation_depth_exceeded"));
    assert_eq!(refusal("root/nobody"), Some("unknown_subagent"));
    let rows = Fake::tasks(vec![task("a", "nobody", RequestOptions::default())]).explain();
    assert_eq!(rows[0].refused.as_ref().map(|(code, _)| code.as_str()), Some("unknown_subagent"));
}

// GV-29
#[test]
fn a_request_that_would_wait_for_the_budget_is_no_refused_one() {
    let plan = |policy: OnShortage, second: u64| {
        let asks = |tokens| RequestOptions {
            budget: Ask { input_tokens: Some(Cap::Finite(tokens)), ..Ask::default() },
            ..RequestOptions::default()
        };
        let tasks = vec![task("a", "worker", asks(60_000)), task("b", "worker", asks(second))];
        Fake::tasks(tasks).agent("worker", &[], json!([["return", {}]])).limits(|limits| {
            limits.budget.input_tokens = Some(Cap::Finite(100_000));
            limits.policy.on_shortage = policy;
        })
    };
    let code = |told: &Option<(String, String)>| told.as_ref().map(|(code, _)| code.clone());
    let fake = plan(OnShortage::Queue, 60_000);
    let rows = fake.explain();
    assert_eq!((&rows[0].refused, &rows[0].queued), (&None, &None));
    assert_eq!((code(&rows[1].refused), code(&rows[1].queued)), (None, Some("budget_exceeded".into())));
    assert!(fake.run().record.outcomes.iter().all(sandfork_model::Outcome::is_ok), "in the run it waits, and is ok");
    for refused in [plan(OnShortage::Queue, 100_001), plan(OnShortage::Refuse, 60_000)] {
        let rows = refused.explain();
        assert_eq!((code(&rows[1].refused), code(&rows[1].queued)), (Some("budget_exceeded".into()), None));
    }
}

// GV-60
#[test]
fn reviewers_planners_and_agents_without_a_task_are_explained_too() {
    let mut draft = task("draft", "worker", RequestOptions::default());
    draft.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns: 1 });
    let fake = Fake::tasks(vec![draft, task("next", "worker", RequestOptions::default())])
        .agent("worker", &[], json!([]))
        .agent("reviewer", &[], json!([]))
        .agent("spare", &[], json!([]));
    let rows = fake.explain();
    let ids: Vec<&str> = rows.iter().map(|row| row.task_id.as_str()).collect();
    assert_eq!(ids, ["draft", "draft.review", "next", "spare"]);
    assert!(rows[1].asked_by.contains("reviewer") && rows[3].asked_by.contains("nobody"));
    let rows = Fake::planner("planner", 1).agent("planner", &[], json!([])).agent("worker", &[], json!([])).explain();
    assert_eq!(rows[1].asked_by, "a planner that lists it");
}

// HOSTILE 6: a plan of agents that fork each other has an end here as well
#[test]
fn explaining_agents_that_fork_each_other_ends() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut fake = Fake::root("a").limits(|limits| {
        limits.max_depth = Cap::Unlimited;
        limits.ancestors = Ancestors::Allow;
    });
    for name in names {
        fake = fake.agent(name, &names, json!([]));
    }
    assert!(fake.explain().len() <= 1_024);
}

// HOSTILE 17
#[test]
fn explaining_takes_nothing_so_that_siblings_are_told_alike() {
    let fake = Fake::root("lead")
        .agent("lead", &["x", "y", "z"], json!([]))
        .agent("x", &[], json!([]))
        .agent("y", &[], json!([]))
        .agent("z", &[], json!([]))
        .limits(|limits| {
            limits.max_tasks = Cap::Finite(2);
            limits.max_children = Cap::Finite(1);
        });
    let rows = fake.explain();
    assert_eq!(named(&rows, "root/x").spend, named(&rows, "root/z").spend);
    assert!(rows.iter().all(|row| row.refused.is_none()), "each is judged as the first of its kind: {rows:#?}");
    assert_eq!(rows, fake.explain());
}

// GV-46, GV-60
#[test]
fn what_follows_a_tasks_end_is_told_as_the_plan_says_it() {
    let mut draft =
        task("draft", "worker", RequestOptions { on_failure: Some(OnFailure::Skip), ..RequestOptions::default() });
    draft.retry = RetrySpec { times: 2, changes: vec![RetryChange::Shrink] };
    draft.review = Some(ReviewSpec { agent: "reviewer".into(), max_returns: 1 });
    let fake = Fake::tasks(vec![draft.clone(), task("next", "worker", RequestOptions::default())])
        .agent("worker", &[], json!([]))
        .agent("reviewer", &[], json!([]));
    let rows = fake.explain();
    let follows = named(&rows, "draft").follows.clone().unwrap();
    assert_eq!((follows.retry, follows.review, follows.on_failure), (draft.retry, draft.review, OnFailure::Skip));
    assert_eq!(named(&rows, "next").follows.as_ref().unwrap().on_failure, OnFailure::Propagate);
    assert_eq!(named(&rows, "draft.review").follows, None, "no task of its own");
    assert!(rows.iter().all(|row| !row.holds_tank));
    let rows = Fake::root("lead").agent("lead", &["leaf"], json!([])).agent("leaf", &[], json!([])).explain();
    assert_eq!((named(&rows, "root").holds_tank, named(&rows, "root/leaf").holds_tank), (true, false));
}

// GV-07
#[test]
fn what_a_fork_sees_is_weighed_by_layer() {
    let mut fake = Fake::root("lead").agent("lead", &[], json!([]));
    fake.plan.rules = vec!["Never.".into()];
    fake.plan.shared.insert("style".into(), json!("short"));
    let rows = fake.explain();
    let weight = |name: &str| rows[0].layers.iter().find(|(layer, _)| *layer == name).unwrap().1;
    assert!(weight("rules") > 6 && weight("shared") > 5 && weight("packet") > 5 && weight("budget") > 5);
    assert_eq!(weight("role"), 0, "nothing was written");
    assert_eq!(rows[0].shared, ["style"]);
}

// GV-22
#[test]
fn layers_and_needs_are_told_where_there_are_any_and_every_layer_finds_the_tank_full() {
    let chain = |ids: &[(&str, &[&str])]| {
        let tasks = ids.iter().map(|(id, needs)| crate::dependencies::waiting(id, "worker", needs, &[])).collect();
        Fake::tasks(tasks).agent("worker", &[], json!([["return", {}]])).limits(|limits| {
            limits.budget.steps = Some(Cap::Finite(12));
        })
    };
    let rows = chain(&[("c", &["a", "b"]), ("a", &[]), ("b", &["a"]), ("d", &[])]).explain();
    let told: Vec<_> = rows.iter().map(|row| (row.task_id.as_str(), row.waits.as_ref().unwrap().layer)).collect();
    assert_eq!(told, [("c", 2), ("a", 0), ("b", 1), ("d", 0)]);
    assert_eq!(rows[0].waits.as_ref().unwrap().needs, ["a", "b"]);
    assert_eq!((result(&rows[0], "turns"), result(&rows[1], "turns")), (12, 6), "a and d share, c comes alone");
    assert!(chain(&[("a", &[]), ("b", &[])]).explain().iter().all(|row| row.waits.is_none()));
}
