//! `0`, absent and `unlimited` are three things for every limit. HOSTILE 16.

use crate::desk::{Desk, ROOT};
use sandfork_model::cap::{Cap, HOST_CEILING};
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_model::{Ask, RunLimits};
use sandfork_plan::{Overrides, defaults_table};
use std::time::Duration;

/// The value of a limit as one number: units, or nanoseconds; `None` where nothing is written.
fn value(limits: &RunLimits, key: &str) -> Option<u128> {
    let cap = |cap: Cap| Some(u128::from(cap.ceiling()));
    let number = |n: u64| Some(u128::from(n));
    let time = |time: Duration| Some(time.as_nanos());
    match key {
        "max_depth" => cap(limits.max_depth),
        "max_tasks" => cap(limits.max_tasks),
        "max_children" => cap(limits.max_children),
        "max_concurrency" => number(limits.max_concurrency),
        "max_live" => number(limits.max_live),
        "deadline" => time(limits.deadline),
        "model_calls" => limits.model_calls.and_then(cap),
        "tool_calls" => limits.tool_calls.and_then(cap),
        "memory_total" => number(limits.memory_total),
        "timeout" => time(limits.fork.timeout),
        "root_timeout" => time(limits.fork.root_timeout),
        "memory" => number(limits.fork.memory),
        "steps" => cap(limits.fork.steps),
        "fuel_per_step" => number(limits.fork.fuel_per_step),
        "host_calls" => cap(limits.fork.host_calls),
        "tool_result" => number(limits.fork.tool_result),
        "output" => number(limits.fork.output),
        "notes" => number(limits.fork.notes),
        "input_tokens" => cap(limits.fork.input_tokens),
        "output_tokens" => cap(limits.fork.output_tokens),
        "result_bytes" => cap(limits.fork.result_bytes),
        "retries" => cap(limits.fork.retries),
        other => panic!("a limit this test does not know: {other}"),
    }
}

/// Limits that are words or tables, not amounts.
const NO_AMOUNT: [&str; 14] = [
    "ancestors",
    "similar",
    "budget",
    "on_failure",
    "floors",
    "on_shortage",
    "water",
    "fuse",
    "tools",
    "deny_at_depth",
    "loop_detector",
    "tiers",
    "child_tier",
    "rounds",
];

fn with(key: &str, value: &str) -> Overrides {
    Overrides { limits: vec![(key.into(), value.into())], ..Overrides::default() }
}

// HOSTILE 16
#[test]
fn zero_absent_and_unlimited_are_three_things_for_every_limit() {
    let desk = Desk::new();
    for (key, _, _) in defaults_table() {
        if NO_AMOUNT.contains(&key) {
            continue;
        }
        let absent = desk.valid(ROOT).limits;
        assert_eq!(value(&absent, key), value(&RunLimits::default(), key), "{key}");

        let is_time = ["deadline", "timeout", "root_timeout"].contains(&key);
        let unlimited = desk.load(ROOT, &with(key, "unlimited")).unwrap().limits;
        let ceiling = if is_time { HOST_TIME_CEILING.as_nanos() } else { u128::from(HOST_CEILING) };
        assert_eq!(value(&unlimited, key), Some(ceiling), "{key}");

        let zero = desk.load(ROOT, &with(key, if is_time { "0s" } else { "0" }));
        if is_time || ["max_concurrency", "max_live"].contains(&key) {
            let problem = zero.unwrap_err().remove(0);
            assert_eq!(problem.file, format!("--limit {key}"));
            assert!(problem.hint.unwrap().contains("nothing could ever run"), "{key}");
        } else {
            assert_eq!(value(&zero.unwrap().limits, key), Some(0), "{key}");
        }
        assert_ne!(value(&absent, key), Some(0), "{key}");
        assert_ne!(value(&absent, key), value(&unlimited, key), "{key}");
    }
}

// HOSTILE 16
#[test]
fn zero_absent_and_unlimited_are_three_things_in_a_budget() {
    let desk = Desk::new();
    for key in Ask::KEYS {
        let slot = |text: &str| {
            let text = ROOT.replace("goal: \"Lead.\"", &format!("goal: x, budget: {{ {text} }}"));
            let mut plan = desk.valid(&text);
            let sandfork_model::Shape::Root(root) = &mut plan.shape else { panic!("no root") };
            *root.options.budget.slot(key).unwrap()
        };
        assert_eq!(slot(""), None, "{key}");
        assert_eq!(slot(&format!("{key}: 0")), Some(Cap::Finite(0)), "{key}");
        assert_eq!(slot(&format!("{key}: unlimited")), Some(Cap::Unlimited), "{key}");
    }
}

// HOSTILE 16
#[test]
fn a_time_limit_of_zero_is_an_invalid_plan_wherever_it_stands() {
    let desk = Desk::new();
    for (from, to) in [
        ("script: a.yaml", "script: a.yaml, timeout: 0s"),
        ("goal: \"Lead.\"", "goal: x, timeout: 0ms"),
        ("goal: \"Lead.\"", "goal: x, deadline_ms: 0"),
        ("goal: \"Lead.\"", "goal: x, timeout_ms: 0"),
    ] {
        let problems = desk.wrong(&ROOT.replace(from, to));
        assert_eq!(problems.len(), 1, "{to}");
    }
}

#[test]
fn the_table_of_defaults_can_be_written_back_into_a_plan() {
    let desk = Desk::new();
    for (key, value, meaning) in defaults_table() {
        assert!(!meaning.is_empty());
        if value != "absent" {
            let plan = desk.load(ROOT, &with(key, &value)).unwrap();
            assert_eq!(plan.limits, RunLimits::default(), "{key}: {value}");
        }
    }
    let shown = |key: &str| defaults_table().into_iter().find(|(have, _, _)| *have == key).unwrap().1;
    for (key, value) in [
        ("max_depth", "2"),
        ("max_tasks", "16"),
        ("deadline", "5m"),
        ("timeout", "10s"),
        ("root_timeout", "60s"),
        ("memory", "64MiB"),
        ("tool_result", "256KiB"),
        ("on_failure", "propagate"),
    ] {
        assert_eq!(shown(key), value);
    }
}

// GV-29, GV-31, GV-34, GV-49, HF-04, HF-19, HF-20, HF-26, HF-30
#[test]
fn policies_are_read_and_what_cannot_be_right_is_refused() {
    let desk = Desk::new();
    let scripted = "tools: { search: { script: [{ result: 1 }] }, compare: { script: [{ result: 1 }] } }";
    let plan = |limits: &str| format!("{ROOT}{scripted}\nlimits: {limits}\n");
    let limits = desk
        .valid(&plan(
            "{ floors: { root: { input_tokens: 5 }, acceptance: { output_tokens: 6 } }, on_shortage: { tier: fast }, \
             water: { save: 50 }, fuse: 98, tools: { search: { per_fork: 1, per_run: { soft: 8 }, result_tokens: 4000 } }, \
             deny_at_depth: { 1: [compare] }, loop_detector: {}, tiers: { fast: 25 }, child_tier: fast, \
             rounds: { parallel: 1, serial: 4 } }",
        ))
        .limits;
    let policy = limits.policy;
    assert_eq!(policy.floors.root.input_tokens, Some(Cap::Finite(5)));
    assert_eq!(policy.on_shortage, sandfork_model::OnShortage::Tier("fast".into()));
    assert_eq!((policy.water.save, policy.water.spare, policy.water.converge), (50, 80, 95));
    assert_eq!(policy.loop_detector.map(|detector| (detector.window, detector.threshold)), Some((6, 4)));
    assert_eq!(policy.tools["search"].per_run, Some(sandfork_model::RunCap::Soft(8)));
    for (limits, message) in [
        ("{ on_shortage: wait }", "`limits.on_shortage`"),
        ("{ on_shortage: { tier: fast } }", "not in `limits.tiers`"),
        ("{ water: { save: 90 } }", "do not rise"),
        ("{ fuse: 0 }", "`limits.fuse`"),
        ("{ tools: { search: { per_forks: 1 } } }", "`per_forks`"),
        ("{ deny_at_depth: { deep: [x] } }", "is no depth"),
        ("{ loop_detector: { window: 3 } }", "above its window"),
        ("{ rounds: { parallel: 1 } }", "serial"),
        ("{ child_tier: slow }", "not in `limits.tiers`"),
    ] {
        let problems = desk.wrong(&plan(limits));
        assert!(problems[0].message.contains(message), "{limits}: {}", problems[0].message);
    }
}
