//! Guests with WASI denied that sin against it, one sin each, all of them in one run: an exact end for each, and for the same
//! fuel whether one worker serves them or eight.

use crate::harness::{QUIET, Ran, Run, on_one_worker, settled};
use crate::wasi::{denied, denied_with};
use serde_json::Value;
use std::fmt::Write as _;

/// Enough to make a thousand handles, and to tell a call that is paid for from one that is not.
const FUEL: u64 = 5_000_000;

/// Name, end, and what `run` does. An end is a cause, a dimension or a status, and a part of the message after it.
const SINS: &[(&str, &str, &str, &str)] = &[
    // HOSTILE 13: what is held in the host is bounded, and never by the guest's memory alone
    ("keeps_handles", "trap", "handle limit", "(loop $l (drop (call $subscribe-duration (i64.const 1))) (br $l))"),
    (
        "polls_a_million",
        "trap",
        "too much data",
        "(drop (memory.grow (i32.const 100))) (local.set $a (call $subscribe-duration (i64.const 1))) (memory.fill (i32.const \
         0x20000) (i32.const 0) (i32.const 4000000)) (call $poll (i32.const 0x20000) (i32.const 1000000) (i32.const 0x200))",
    ),
    ("polls_nothing", "trap", "poll of nothing", "(call $poll (i32.const 0) (i32.const 0) (i32.const 0x200))"),
    ("polls_4_gib", "trap", "out of bounds", "(call $poll (i32.const 0) (i32.const -1) (i32.const 0x200))"),
    ("random_max", "fuel", "", "(call $random-bytes (i64.const -1) (i32.const 0x200))"),
    ("random_over", "trap", "at most 65536", "(call $insecure-bytes (i64.const 65537) (i32.const 0x200))"),
    ("zeroes_max", "fuel", "", "(call $write-zeroes (call $get-stdout) (i64.const -1) (i32.const 0x200))"),
    // Handles that are not the guest's
    (
        "drops_twice",
        "trap",
        "unknown handle",
        "(local.set $a (call $subscribe-instant (i64.const 0))) (call $drop-pollable (local.get $a)) (call $drop-pollable \
         (local.get $a))",
    ),
    (
        "borrows_what_it_dropped",
        "trap",
        "unknown handle",
        "(local.set $a (call $subscribe-instant (i64.const 0))) (call $drop-pollable (local.get $a)) (drop (call $ready \
         (local.get $a)))",
    ),
    ("forges_a_handle", "trap", "unknown handle", "(call $block (i32.const -1))"),
    ("forges_a_file", "trap", "unknown handle", "(call $get-type (i32.const 1) (i32.const 0x200))"),
    ("takes_a_stream_for_a_pollable", "trap", "wrong type", "(drop (call $ready (call $get-stdout)))"),
    // HOSTILE 12: what never ends is paid for
    (
        "blocks",
        "fuel",
        "",
        "(loop $l (local.set $a (call $subscribe-duration (i64.const -1))) (call $block (local.get $a)) (call $drop-pollable \
         (local.get $a)) (br $l))",
    ),
    (
        "reads",
        "fuel",
        "",
        "(local.set $a (call $get-stdin)) (loop $l (call $blocking-read (local.get $a) (i64.const -1) (i32.const 0x200)) (br $l))",
    ),
    ("waits_for_time", "fuel", "", "(loop $l (br_if $l (i64.eqz (call $now))))"),
    (
        "prints_nothing",
        "fuel",
        "",
        "(local.set $a (call $get-stderr)) (loop $l (call $write (local.get $a) (i32.const 0) (i32.const 0) (i32.const 0x200)) \
         (br $l))",
    ),
    (
        "prints_without_end_of_line",
        "note_bytes",
        "",
        "(local.set $a (call $get-stderr)) (loop $l (call $write-zeroes (local.get $a) (i64.const 4096) (i32.const 0x200)) (br $l))",
    ),
    // HOSTILE 36: what crosses
    (
        "prints_4_gib",
        "trap",
        "out of bounds",
        "(call $write (call $get-stdout) (i32.const 0x100) (i32.const -1) (i32.const 0x200))",
    ),
    (
        "prints_over",
        "trap",
        "at most 4096",
        "(call $write (call $get-stdout) (i32.const 0x100) (i32.const 4097) (i32.const 0x200))",
    ),
    ("answer_past_the_end", "trap", "out of bounds", "(call $flush (call $get-stdout) (i32.const -4))"),
    ("answer_unaligned", "trap", "not aligned", "(call $wall-now (i32.const 0x201))"),
    (
        "asks_for_a_surrogate",
        "trap",
        "utf-8",
        "(i32.store (i32.const 0x300) (i32.const 0x80a0ed)) (call $resolve (call $network) (i32.const 0x300) (i32.const 3) \
         (i32.const 0x200))",
    ),
    ("invents_a_family", "trap", "discriminant", "(call $tcp (i32.const 9) (i32.const 0x200))"),
    // Ends of its own making
    ("exits_well", "trap", "exit instead of a return", "(call $exit (i32.const 0))"),
    ("exits_badly", "trap", "exit instead of a return", "(call $exit (i32.const 1))"),
    ("exits_with_no_status", "trap", "discriminant", "(call $exit (i32.const 77))"),
    // Nothing is here, and no time passes
    (
        "looks_around",
        "ok",
        "",
        "(call $get-environment (i32.const 0x200)) (call $get-arguments (i32.const 0x210)) (call $get-directories (i32.const \
         0x220)) (call $initial-cwd (i32.const 0x230)) (call $wall-now (i32.const 0x240)) (if (i64.ne (i64.or (i64.or (i64.load \
         (i32.const 0x240)) (call $now)) (i64.extend_i32_u (i32.or (i32.or (i32.load (i32.const 0x204)) (i32.load (i32.const \
         0x214))) (i32.or (i32.load (i32.const 0x224)) (i32.or (i32.load8_u (i32.const 0x230)) (i32.load (i32.const 0x248))))))) \
         (i64.const 0)) (then unreachable))",
    ),
];

/// The same for guests whose sin lies elsewhere than in `run`: a part of the text, and what stands there instead.
const ELSEWHERE: &[(&str, &str, &str, &str, &str)] = &[
    (
        "prints_and_exits_before_it_starts",
        "trap",
        "exit instead of a return",
        "(func (export \"run\")",
        "(start $first) (func $first (call $write (call $get-stdout) (i32.const 0x100) (i32.const 7) (i32.const 0x200)) (call \
         $exit (i32.const 1))) (func (export \"run\")",
    ),
    (
        "asks_for_ever_before_it_starts",
        "fuel",
        "",
        "(func (export \"run\")",
        "(start $first) (func $first (loop $l (drop (call $now)) (br $l))) (func (export \"run\")",
    ),
    (
        "calls_when_it_has_returned",
        "trap",
        "cannot leave component instance",
        "(func (export \"run\") (param \"task\" string) (result (result string (error $error)))\n    (canon lift (core func $i \
         \"run\") (memory $m) (realloc $r))",
        "(core module $late (import \"wasi\" \"now\" (func $now (result i64))) (func (export \"post\") (param i32) (drop (call \
         $now)))) (core instance $j (instantiate $late (with \"wasi\" (instance (export \"now\" (func $now)))))) (func (export \
         \"run\") (param \"task\" string) (result (result string (error $error))) (canon lift (core func $i \"run\") (memory $m) \
         (realloc $r) (post-return (func $j \"post\")))",
    ),
    // HOSTILE 37: a realloc while the host writes the task
    (
        "realloc_traps",
        "trap",
        "unreachable",
        "(local.get $at)))\n  (core instance $mem",
        "unreachable))\n  (core instance $mem",
    ),
    (
        "realloc_spins",
        "fuel",
        "",
        "(local.get $at)))\n  (core instance $mem",
        "(loop $l (br $l)) unreachable))\n  (core instance $mem",
    ),
    (
        "realloc_out_of_range",
        "trap",
        "beyond end of memory",
        "(local.get $at)))\n  (core instance $mem",
        "(i32.const -8)))\n  (core instance $mem",
    ),
    // HOSTILE 24: what is not on offer, by version, by function, by type
    ("newer_version", "agent_invalid", "wasi:cli/exit@0.3.0", "wasi:cli/exit@0.2.0", "wasi:cli/exit@0.3.0"),
    ("other_interface", "agent_invalid", "wasi:cli/run@0.2.0", "wasi:cli/exit@0.2.0", "wasi:cli/run@0.2.0"),
    (
        "unknown_function",
        "agent_invalid",
        "wasi:cli/exit",
        "(export \"exit\" (func (param \"status\" (result))))",
        "(export \"exit\" (func (param \"status\" (result)))) (export \"kill\" (func))",
    ),
    (
        "other_type",
        "agent_invalid",
        "wasi:random/random",
        "(export \"get-random-u64\" (func (result u64)))",
        "(export \"get-random-u64\" (func (result s64)))",
    ),
    (
        "the_same_interface_twice",
        "ok",
        "",
        "(import \"wasi:cli/exit@0.2.0\"",
        "(import \"wasi:cli/exit@0.2.1\" (instance (export \"exit\" (func (param \"status\" (result)))))) (import \
         \"wasi:cli/exit@0.2.0\"",
    ),
];

fn everyone() -> Run {
    let mut plan = String::from(
        "run: denied\ngoal: g\nlimits: { max_tasks: 64, on_failure: skip }\nagents:\n  quiet: { script: quiet.yaml }\n",
    );
    let mut tasks = "tasks:\n  - { id: before, agent: quiet, goal: g }\n".to_owned();
    let mut run = Run::args(["run", "plan.yaml"]).file("quiet.yaml", QUIET);
    let bodies = SINS.iter().map(|(name, _, _, body)| (*name, denied(body)));
    let elsewhere = ELSEWHERE.iter().map(|(name, _, _, from, to)| (*name, denied_with("", from, to)));
    for (name, component) in bodies.chain(elsewhere) {
        let _ = writeln!(
            plan,
            "  {name}: {{ component: {name}.wasm, wasi: denied, timeout: 60s, budget: {{ fuel: {FUEL} }} }}"
        );
        let _ = writeln!(tasks, "  - {{ id: {name}, agent: {name}, goal: g }}");
        run = run.file(&format!("{name}.wasm"), component);
    }
    tasks.push_str("  - { id: after, agent: quiet, goal: g }\n");
    run.file("plan.yaml", plan + &tasks)
}

fn word(result: &Value) -> &str {
    let details = &result["error"]["details"];
    let word = [&details["cause"], &details["dimension"], &result["status"]].into_iter().find_map(Value::as_str);
    word.expect("a word")
}

fn all_ended_as_they_must(ran: &Ran) {
    let ends = SINS.iter().map(|(name, end, words, _)| (*name, *end, *words));
    for (name, end, words) in ends.chain(ELSEWHERE.iter().map(|(name, end, words, ..)| (*name, *end, *words))) {
        let result = ran.result(name);
        let message = result["error"]["message"].as_str().unwrap_or_default();
        assert!(word(&result) == end && message.contains(words), "{name} must be `{end}: {words}`: {result:#}");
        assert!(result["fuel_used"].as_u64().expect("a number") <= FUEL, "{result:#}");
        assert!(result["peak_memory_bytes"].as_u64().expect("a number") <= 64 << 20, "{result:#}");
    }
    for quiet in ["before", "after"] {
        assert_eq!(ran.result(quiet)["status"], "ok");
    }
    assert_eq!(ran.report()["usage"]["ledger_whole"], true);
    // HOSTILE 33
    assert_eq!(ran.events_of("subagent_return").len(), SINS.len() + ELSEWHERE.len() + 2);
}

fn fuel(ran: &Ran) -> Vec<Value> {
    ran.report()["results"].as_array().expect("results").iter().map(|result| result["fuel_used"].clone()).collect()
}

// HOSTILE 12, 13, 24, 33, 36, 37, 38
#[test]
fn every_sin_against_a_denied_wasi_comes_to_its_own_end_and_its_siblings_notice_nothing() {
    all_ended_as_they_must(&settled(everyone, 3));
}

#[test]
fn every_sin_against_a_denied_wasi_costs_the_same_on_one_worker_and_on_eight() {
    let one = on_one_worker(everyone, 3);
    let eight = everyone().with(["--workers", "8"]).json().expect_code(3);
    all_ended_as_they_must(&one);
    all_ended_as_they_must(&eight);
    assert_eq!(fuel(&one), fuel(&eight));
}

// HOSTILE 12: a name is copied before it is refused, and 4 MiB of it once cost what none of it costs: 20 000 copies of them
// for the fuel of twenty milliseconds.
#[test]
fn a_name_that_is_looked_up_in_vain_is_paid_for_by_its_length() {
    let asks = |bytes: u32| {
        let body = format!(
            "(drop (memory.grow (i32.const 64))) (call $resolve (call $network) (i32.const 0x1000) (i32.const {bytes}) (i32.const \
             0x200))"
        );
        let plan = "run: t\nagents:\n  a: { component: a.wasm, wasi: denied }\nroot: { agent: a, goal: g }\n";
        let ran = settled(|| Run::plan(plan).file("a.wasm", denied(&body)), 0);
        ran.result("root")["fuel_used"].as_u64().expect("a number")
    };
    assert_eq!(asks(3 << 20) - asks(0), 3 * 1024 * 128, "128 for each KiB");
}
