//! Thousands of random trees: the ledger is whole after each, every limit holds, every fork ends once, and the same tree
//! runs the same way twice.

use crate::fake::Fake;
use proptest::prelude::*;
use sandfork_model::{Ancestors, Ask, Cap};
use serde_json::{Value, json};
use std::collections::HashMap;

fn step() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0_u64..3_000_000).prop_map(|fuel| json!(["burn", fuel])),
        Just(json!(["note", "a line"])),
        (0_u64..40).prop_map(|ms| json!(["tool", "wait", {"ms": ms}])),
        (0_u64..20).prop_map(|ms| json!(["tool", "model", {"ms": ms}])),
        Just(json!(["tool", "not_granted", {}])),
        prop_oneof![9 => Just(json!(["note", ""])), 1 => Just(json!(["trap"])), 1 => Just(json!(["fail", "x"]))],
        Just(json!(["spin"])).boxed().prop_map(|spin| spin),
        spawn(),
        spawn(),
    ]
}

fn spawn() -> impl Strategy<Value = Value> {
    let options = prop_oneof![
        Just(json!({})),
        (1_u64..5_000_000).prop_map(|fuel| json!({"budget": {"fuel": fuel}})),
        (1_u64..60).prop_map(|ms| json!({"timeout_ms": ms})),
        Just(json!({"tools": ["write_file"]})),
        Just(json!({"unknown": 1})),
    ];
    let request = (prop_oneof![4 => 0_usize..4, 1 => Just(9_usize)], 0_u32..3, options).prop_map(
        |(agent, goal, options)| json!({"agent": format!("a{agent}"), "goal": format!("g{goal}"), "options": options}),
    );
    let mode = prop_oneof![
        2 => Just(json!({})),
        1 => Just(json!({"return": "first_ok"})),
        1 => Just(json!({"return": {"quorum": 2}})),
    ];
    (prop::collection::vec(request, 1..5), mode).prop_map(|(requests, mode)| json!(["spawn", requests, mode]))
}

fn tree() -> impl Strategy<Value = (Vec<Vec<Value>>, u64, u64, u64)> {
    (prop::collection::vec(prop::collection::vec(step(), 0..5), 4), 1_u64..4, 1_u64..12, 1_u64..12)
}

fn build(programs: &[Vec<Value>], slots: u64, tasks: u64, live: u64) -> Fake {
    let names = ["a0", "a1", "a2", "a3"];
    let mut fake = Fake::root("a0");
    for (name, program) in names.iter().zip(programs) {
        fake = fake.agent(name, &names, json!(program));
    }
    fake.limits(|limits| {
        limits.ancestors = Ancestors::Allow;
        limits.max_concurrency = slots;
        limits.max_tasks = Cap::Finite(tasks);
        limits.max_live = live;
        limits.max_depth = Cap::Finite(3);
        limits.fork.timeout = std::time::Duration::from_millis(80);
        limits.fork.root_timeout = std::time::Duration::from_millis(200);
        limits.budget = Ask { fuel: Some(Cap::Finite(20_000_000)), ..Ask::default() };
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    // HOSTILE 17, HOSTILE 18, HOSTILE 33, GV-28, GV-30
    #[test]
    fn every_tree_leaves_the_ledger_whole_and_every_fork_ended_once(
        (programs, slots, tasks, live) in tree(), workers in 1_usize..3,
    ) {
        let mut fake = build(&programs, slots, tasks, live);
        fake.workers = workers;
        // `run` asserts that the ledger is whole.
        let finished = fake.run();
        prop_assert!(finished.record.tasks_used <= tasks);
        prop_assert!(finished.record.usage.spent.get(sandfork_model::Dimension::Fuel) <= 20_000_000);
        let mut returns: HashMap<String, u32> = HashMap::new();
        let mut running = 0_u64;
        for event in &finished.events {
            let task = event["task_id"].as_str().unwrap().to_owned();
            match event["event_type"].as_str().unwrap() {
                "subagent_fork" => running += 1,
                "subagent_return" => *returns.entry(task).or_default() += 1,
                _ => {}
            }
        }
        let forks = finished.record.outcomes.iter().filter(|o| o.counts.messages > 0).count();
        prop_assert_eq!(returns.len(), forks);
        prop_assert!(returns.values().all(|&count| count == 1), "one terminal event per fork");
        prop_assert!(running <= tasks);
        let spent: u64 = finished.record.outcomes.iter().map(|o| o.counts.fuel_used).sum();
        prop_assert!(spent <= 20_000_000, "the sum over the tree is the root's at most");
    }

    // HOSTILE 38
    #[test]
    fn every_tree_runs_the_same_way_twice((programs, slots, tasks, live) in tree()) {
        let mut fake = build(&programs, slots, tasks, live);
        let first = fake.run();
        fake.workers = 2;
        let second = fake.run();
        prop_assert_eq!(first.events, second.events);
        prop_assert_eq!(first.record, second.record);
    }
}
