//! What happens when things get tight: shortages, water levels, the fuse, call caps, loops, rounds, cover, similar tasks.

use crate::fake::{Fake, Finished};
use sandfork_model::policy::{LoopDetector, OnShortage, Rounds, RunCap, ToolLimits};
use sandfork_model::{Ask, Cap, Cover, RunStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Four children that ask 30 000 tokens each of 100 000, and take some time.
fn overcommit(policy: OnShortage, options: Value) -> Finished {
    let four: Vec<Value> = (0..4)
        .map(|n| {
            let mut options = options.clone();
            options["budget"] = json!({ "input_tokens": 30_000 });
            json!({ "agent": "leaf", "goal": format!("part {n}"), "options": options })
        })
        .collect();
    Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", four], ["return_last"]]))
        .agent("leaf", &[], json!([["tool", "wait", {"ms": 10}]]))
        .limits(|limits| {
            limits.budget = Ask { input_tokens: Some(Cap::Finite(100_000)), ..Ask::default() };
            limits.policy.on_shortage = policy;
            limits.policy.tiers = BTreeMap::from([("fast".to_owned(), 25)]);
        })
        .run()
}

fn statuses(finished: &Finished) -> Vec<String> {
    let told = finished.record.merged["told"].as_array().expect("told").clone();
    told.iter().map(|outcome| outcome[1].as_str().expect("a status").to_owned()).collect()
}

// GV-32, GV-29: refuse
#[test]
fn of_four_overcommitted_children_three_run_and_one_is_refused() {
    assert_eq!(statuses(&overcommit(OnShortage::Refuse, json!({}))), ["ok", "ok", "ok", "refused"]);
}

// GV-29: queue
#[test]
fn a_queued_child_runs_once_a_sibling_has_ended() {
    let finished = overcommit(OnShortage::Queue, json!({}));
    assert_eq!(statuses(&finished), ["ok", "ok", "ok", "ok"]);
    assert_eq!(finished.record.elapsed_ns, 20_000_000, "the fourth started when the first three had ended");
    let order: Vec<&str> = finished
        .events
        .iter()
        .filter(|event| event["event_type"] == "subagent_fork")
        .map(|event| event["task_id"].as_str().expect("an id"))
        .collect();
    assert_eq!(order, ["root", "root/1", "root/2", "root/3", "root/4"]);
}

// GV-29: an ask that no end of a sibling can ever meet is refused at once
#[test]
fn an_ask_that_can_never_fit_does_not_wait() {
    let requests = json!([
        {"agent": "leaf", "goal": "a", "options": {"budget": {"input_tokens": 10}}},
        {"agent": "leaf", "goal": "b", "options": {"budget": {"input_tokens": 100_001}}},
    ]);
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", requests], ["return_last"]]))
        .agent("leaf", &[], json!([["tool", "wait", {"ms": 10}]]))
        .limits(|limits| {
            limits.budget = Ask { input_tokens: Some(Cap::Finite(100_000)), ..Ask::default() };
            limits.policy.on_shortage = OnShortage::Queue;
        })
        .run();
    assert_eq!(statuses(&finished), ["ok", "refused"]);
}

// GV-29: shrink
#[test]
fn a_shrunk_child_gets_what_is_left_if_that_is_its_minimum() {
    let enough = overcommit(OnShortage::Shrink, json!({ "budget_min": { "input_tokens": 8_000 } }));
    assert_eq!(statuses(&enough), ["ok", "ok", "ok", "ok"]);
    let too_little = overcommit(OnShortage::Shrink, json!({ "budget_min": { "input_tokens": 12_000 } }));
    assert_eq!(statuses(&too_little), ["ok", "ok", "ok", "refused"]);
    let unstated = overcommit(OnShortage::Shrink, json!({}));
    assert_eq!(statuses(&unstated), ["ok", "ok", "ok", "refused"], "nothing to shrink to without a minimum");
}

// GV-29: another model tier
#[test]
fn a_child_that_does_not_fit_may_fit_at_a_cheaper_tier() {
    assert_eq!(statuses(&overcommit(OnShortage::Tier("fast".into()), json!({}))), ["ok", "ok", "ok", "ok"]);
}

// GV-31, GV-32, GV-36
#[test]
fn floors_are_kept_back_from_dispatch() {
    let run = |floor: u64| {
        let four: Vec<Value> = (0..4)
            .map(|n| json!({"agent": "leaf", "goal": format!("{n}"), "options": {"budget": {"input_tokens": 30_000}}}))
            .collect();
        let finished = Fake::root("lead")
            .agent("lead", &["leaf"], json!([["spawn", four], ["return_last"]]))
            .agent("leaf", &[], json!([]))
            .limits(|limits| {
                limits.budget = Ask { input_tokens: Some(Cap::Finite(100_000)), ..Ask::default() };
                limits.policy.floors.root.input_tokens = Some(Cap::Finite(floor / 2));
                limits.policy.floors.acceptance.input_tokens = Some(Cap::Finite(floor - floor / 2));
            })
            .run();
        statuses(&finished).iter().filter(|status| *status == "ok").count()
    };
    assert_eq!(run(10_000), 3, "floors of 10 000 leave three");
    assert_eq!(run(10_001), 2, "any more leave two");
}

fn with_tool_limits(limits: ToolLimits) -> impl FnOnce(&mut sandfork_model::RunLimits) {
    move |run| {
        run.policy.tools.insert("wait".into(), limits);
    }
}

fn results(finished: &Finished) -> Vec<(bool, Option<String>)> {
    finished
        .events
        .iter()
        .filter(|event| event["event_type"] == "tool_result" && event["attrs"]["tool"] == "wait")
        .map(|event| {
            let code = event["attrs"]["code"].as_str().map(str::to_owned);
            (event["attrs"]["ok"].as_bool().expect("a flag"), code)
        })
        .collect()
}

fn calls(n: usize) -> Value {
    Value::Array((0..n).map(|_| json!(["tool", "wait", {"ms": 1}])).collect())
}

// HF-21: exactly one search admitted, the second refused
#[test]
fn a_call_cap_of_one_refuses_the_second_call() {
    let caps = ToolLimits { per_fork: Some(Cap::Finite(1)), ..ToolLimits::default() };
    let finished = Fake::root("one").agent("one", &[], calls(3)).limits(with_tool_limits(caps)).run();
    let codes: Vec<Option<String>> = results(&finished).into_iter().map(|(_, code)| code).collect();
    let over = Some("tool_calls_exceeded".to_owned());
    assert_eq!(codes, [None, over.clone(), over]);
}

// HF-24, HF-30, HF-31, HOSTILE 4
#[test]
fn a_soft_cap_over_the_tree_answers_one_more_and_a_hard_one_does_not() {
    let run = |cap: RunCap| {
        let requests = json!([{"agent": "leaf", "goal": "a"}, {"agent": "leaf", "goal": "b"}]);
        let caps = ToolLimits { per_run: Some(cap), ..ToolLimits::default() };
        let finished = Fake::root("lead")
            .agent("lead", &["leaf"], json!([["spawn", requests]]))
            .agent("leaf", &[], calls(3))
            .limits(with_tool_limits(caps))
            .run();
        results(&finished).iter().filter(|(is_ok, _)| *is_ok).count()
    };
    assert_eq!(run(RunCap::Soft(4)), 5, "N + 1 is answered, with the word to converge");
    assert_eq!(run(RunCap::Hard(Cap::Finite(4))), 4);
}

// HF-04, HF-05
#[test]
fn a_tool_denied_at_a_depth_is_granted_above_it() {
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["tool", "wait", {"ms": 1}], ["spawn", [{"agent": "leaf"}]]]))
        .agent("leaf", &[], calls(1))
        .limits(|limits| {
            limits.policy.deny_at_depth.insert(1, vec!["wait".into()]);
        })
        .run();
    assert_eq!(results(&finished), [(true, None), (false, Some("tool_denied_at_depth".into()))]);
}

// HF-20
#[test]
fn a_fork_in_circles_is_told_so() {
    let finished = Fake::root("one")
        .agent("one", &[], calls(6))
        .limits(|limits| limits.policy.loop_detector = Some(LoopDetector::default()))
        .run();
    assert_eq!(finished.count("loop_detected"), 2);
    assert_eq!(results(&finished)[4].1.as_deref(), Some("loop_detected"), "four repetitions of one answer");
}

// HF-25, HF-26
#[test]
fn after_the_parallel_round_nothing_is_forked_any_more() {
    let one = |n: u64| json!(["spawn", [{"agent": "leaf", "goal": format!("one {n}")}]]);
    let two = json!(["spawn", [{"agent": "leaf", "goal": "x"}, {"agent": "leaf", "goal": "y"}]]);
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([one(1), one(2), one(3), two, one(4), ["return_last"]]))
        .agent("leaf", &[], json!([]))
        .limits(|limits| limits.policy.rounds = Some(Rounds { parallel: 1, serial: 2 }))
        .run();
    let refused: Vec<(String, Value)> = finished
        .record
        .outcomes
        .iter()
        .filter_map(|outcome| {
            outcome.error.as_ref().map(|error| (error.code.clone(), error.details["dimension"].clone()))
        })
        .collect();
    let reason = |dimension: &str| ("children_exceeded".to_owned(), json!(dimension));
    assert_eq!(refused, [reason("serial_forks"), reason("parallel_rounds")], "two different reasons");
    assert_eq!(finished.record.tasks_used, 5);
}

// HF-12, HF-13
#[test]
fn missing_demands_are_added_and_their_outcomes_follow() {
    let mut fake = Fake::root("lead")
        .agent(
            "lead",
            &["leaf"],
            json!([["spawn", [{"agent": "leaf", "context": {"platform": "b"}}]], ["return_last"]]),
        )
        .agent("leaf", &[], json!([]));
    fake.plan.agents[0].cover =
        Some(Cover { key: "platform".into(), values: vec!["a".into(), "b".into(), "c".into()] });
    let finished = fake.run();
    assert_eq!(statuses(&finished).len(), 3);
    let added: Vec<bool> = finished.record.outcomes.iter().map(|outcome| outcome.is_added).collect();
    assert_eq!(added, [false, false, true, true]);
}

// HOSTILE 7, GV-41, GV-42
#[test]
fn a_task_that_goes_on_with_a_siblings_is_refused_in_the_same_call_and_a_later_one() {
    let finished = Fake::root("lead")
        .agent(
            "lead",
            &["leaf"],
            json!([
                ["spawn", [{"agent": "leaf", "goal": "search the logs"}, {"agent": "leaf", "goal": "deep search of the logs"}]],
                ["spawn", [{"agent": "leaf", "goal": "继续 search the logs"}, {"agent": "leaf", "goal": "compare the offers"}]],
                ["return_last"],
            ]),
        )
        .agent("leaf", &[], json!([]))
        .limits(|limits| limits.similar = Some(0.8))
        .run();
    let codes: Vec<Option<String>> =
        finished.record.outcomes.iter().map(|outcome| outcome.error.as_ref().map(|error| error.code.clone())).collect();
    let similar = Some("similar_task".to_owned());
    assert_eq!(codes, [None, None, similar.clone(), similar, None]);
}

/// A root that burns `percent` of the run's written fuel and then asks for children of each kind.
fn at_level(percent: u64) -> Vec<String> {
    let requests = json!([
        {"agent": "leaf", "goal": "low", "options": {"low_value": true, "budget": {"fuel": 10}}},
        {"agent": "leaf", "goal": "usual", "options": {"budget": {"fuel": 10}}},
        {"agent": "leaf", "goal": "critical", "options": {"critical": true, "budget": {"fuel": 10}}},
    ]);
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["burn", percent * 10_000], ["spawn", requests], ["return_last"]]))
        .agent("leaf", &[], json!([]))
        .limits(|limits| {
            limits.budget = Ask { fuel: Some(Cap::Finite(1_000_000)), ..Ask::default() };
            limits.fork.fuel_per_step = 10;
        })
        .run();
    statuses(&finished)
}

// GV-34: 60 / 80 / 95
#[test]
fn the_higher_the_water_the_less_is_admitted() {
    assert_eq!(at_level(59), ["ok", "ok", "ok"]);
    assert_eq!(at_level(60), ["refused", "ok", "ok"]);
    assert_eq!(at_level(80), ["refused", "refused", "ok"]);
    assert_eq!(at_level(95), ["refused", "refused", "refused"]);
}

// GV-34: forced convergence: tools are refused, the fork returns what it has
#[test]
fn a_converging_run_executes_no_more_tools() {
    let finished = Fake::root("one")
        .agent("one", &[], json!([["burn", 950_000], ["tool", "wait", {"ms": 1}], ["return", {"partial": true}]]))
        .limits(|limits| limits.budget = Ask { fuel: Some(Cap::Finite(1_000_000)), ..Ask::default() })
        .run();
    assert_eq!(results(&finished), [(false, Some("budget_converging".into()))]);
    assert_eq!(finished.record.merged, json!({"partial": true}));
    assert_eq!(finished.count("water_level"), 1, "one step passed all three marks; the highest is told");
}

// GV-49
#[test]
fn the_fuse_cancels_what_is_not_critical_and_leaves_the_rest_for_a_partial_answer() {
    let requests = json!([
        {"agent": "burner", "goal": "a", "options": {"critical": true}},
        {"agent": "waiter", "goal": "b"},
        {"agent": "waiter", "goal": "c", "options": {"critical": true}},
    ]);
    let run = |workers| {
        let mut fake = Fake::root("lead")
            .agent(
                "lead",
                &["burner", "waiter"],
                json!([["spawn", requests], ["spawn", [{"agent": "waiter", "goal": "d"}]], ["return_last"]]),
            )
            .agent("burner", &[], json!([["burn", 300_000], ["note", "hot"], ["return", {}]]))
            .agent("waiter", &[], json!([["tool", "wait", {"ms": 5}], ["return", {}]]))
            .limits(|limits| {
                limits.budget = Ask { fuel: Some(Cap::Finite(1_000_000)), ..Ask::default() };
                limits.policy.fuse = Some(25);
            });
        fake.workers = workers;
        fake.run()
    };
    let finished = run(1);
    assert_eq!(finished.count("fused"), 1);
    let statuses: Vec<&str> = finished.record.outcomes.iter().map(|outcome| outcome.status.name()).collect();
    assert_eq!(statuses, ["ok", "ok", "cancelled", "ok", "refused"]);
    assert_eq!(finished.record.status, RunStatus::Partial);
    assert_eq!(run(2).events, finished.events);
}

// HF-28, HF-29: five children, three calls each: whoever asks reads fifteen
#[test]
fn calls_are_summed_over_the_tree_for_whoever_asks() {
    let five: Vec<Value> = (0..5).map(|n| json!({"agent": "leaf", "goal": format!("{n}")})).collect();
    let finished = Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", five], ["tool_last", "budget", {}]]))
        .agent("leaf", &[], calls(3))
        .limits(with_tool_limits(ToolLimits::default()))
        .run();
    assert_eq!(finished.record.merged["run"]["calls"]["wait"], 15);
}
