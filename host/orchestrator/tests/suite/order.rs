//! In what order things happen, and that it is the same every time.

use crate::fake::Fake;
use sandfork_model::{Ancestors, Cap};
use serde_json::{Value, json};

// HOSTILE 5
#[test]
fn a_chain_of_depth_5_finishes_with_one_slot() {
    for real in [false, true] {
        let fake = Fake::root("again")
            .agent("again", &["self"], json!([["spawn", [{"agent": "again", "goal": "deeper"}]], ["return_last"]]))
            .limits(|limits| {
                limits.ancestors = Ancestors::Allow;
                limits.max_depth = Cap::Finite(5);
                limits.max_concurrency = 1;
            });
        let finished = if real { fake.real() } else { fake }.run();
        assert_eq!(finished.record.tasks_used, 6);
    }
}

fn two(first_ms: u64, second_ms: u64) -> Fake {
    Fake::root("lead")
        .agent("lead", &["alpha", "beta"], json!([["spawn", [{"agent": "alpha"}, {"agent": "beta"}]], ["return_last"]]))
        .agent("alpha", &[], json!([["tool", "wait", {"ms": first_ms}]]))
        .agent("beta", &[], json!([["tool", "wait", {"ms": second_ms}]]))
}

// M4-33, M4-34, HOSTILE 8
#[test]
fn a_faster_second_child_still_comes_second() {
    let finished = two(240, 10).run();
    assert_eq!(finished.record.merged["told"], json!([["alpha", "ok", null], ["beta", "ok", null]]));
    let returns: Vec<&Value> =
        finished.events.iter().filter(|event| event["event_type"] == "subagent_return").map(|e| &e["agent"]).collect();
    assert_eq!(returns, ["beta", "alpha", "lead"], "arrival order stays in the log");
}

// M4-43: exact under virtual time
#[test]
fn parallel_children_take_as_long_as_the_slowest_and_serial_ones_the_sum() {
    let parallel = two(240, 240).run();
    assert_eq!(parallel.record.elapsed_ns, 240_000_000);
    let serial = two(240, 240).limits(|limits| limits.max_concurrency = 1).run();
    assert_eq!(serial.record.elapsed_ns, 480_000_000);
    let queued: Vec<u64> = serial.record.outcomes.iter().map(|outcome| outcome.counts.queued_ns).collect();
    assert_eq!(queued, [0, 0, 240_000_000], "a queued fork starts at the clock that freed its slot");
}

// HF-27, X-4
#[test]
fn waiting_for_a_slot_does_not_count_toward_the_timeout() {
    let finished = two(240, 240)
        .limits(|limits| {
            limits.max_concurrency = 1;
            limits.fork.timeout = std::time::Duration::from_millis(300);
        })
        .run();
    assert_eq!(finished.record.merged["told"], json!([["alpha", "ok", null], ["beta", "ok", null]]));
}

// HOSTILE 38, M4-35
#[test]
fn the_same_plan_gives_the_same_events_with_one_and_two_workers() {
    let tree = |workers| {
        let mut fake = Fake::root("lead")
            .agent(
                "lead",
                &["mid"],
                json!([
                    ["spawn", [{"agent": "mid", "goal": "1"}, {"agent": "mid", "goal": "2"}, {"agent": "mid", "goal": "3"}]],
                    ["return_last"],
                ]),
            )
            .agent(
                "mid",
                &["leaf"],
                json!([
                    ["note", "thinking"], ["tool", "model", {"ms": 7}], ["burn", 1234],
                    ["spawn", [{"agent": "leaf", "goal": "x"}, {"agent": "leaf", "goal": "y"}], {"return": "first_ok"}],
                    ["return_last"],
                ]),
            )
            .agent("leaf", &[], json!([["tool", "wait", {"ms": 5}], ["burn", 99]]))
            .limits(|limits| limits.max_concurrency = 2);
        fake.workers = workers;
        fake.run()
    };
    let first = tree(1);
    assert!(first.count("cancelled") > 0, "the tree has losers");
    for workers in [1, 2, 2, 4] {
        let again = tree(workers);
        assert_eq!(again.events, first.events);
        assert_eq!(again.record, first.record);
    }
}

// HOSTILE 38: found by the trees of `ledger`; a look at the clock out of turn had let either of the two go first
#[test]
fn two_deadlines_at_one_virtual_moment_end_in_tree_order_whatever_the_threads_do() {
    let forks = json!([{"agent": "deep", "goal": "1"}, {"agent": "slow", "goal": "2", "options": {"timeout_ms": 7}}]);
    let deeper = json!([{"agent": "slow", "goal": "3", "options": {"timeout_ms": 7}}]);
    let mut fake = Fake::root("lead")
        .agent("lead", &["deep", "slow"], json!([["spawn", forks], ["return_last"]]))
        .agent("deep", &["slow"], json!([["spawn", deeper], ["return_last"]]))
        .agent("slow", &[], json!([["tool", "model", {"ms": 12}]]));
    fake.workers = 2;
    let first = fake.run();
    for _ in 0..300 {
        assert_eq!(fake.run().events, first.events);
    }
}
