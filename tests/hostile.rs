//! Every hostile guest through the real binary, all of them in one run with quiet siblings among them.

use crate::harness::{QUIET, Ran, Run, fixture, on_one_worker, settled};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What each guest comes to: the cause of its failure, the dimension it ran out of, or `ok`.
const ENDS: [(&str, &[&str]); 9] = [
    ("ok", &["counter", "echo", "two_components"]),
    // HOSTILE 10, 12, 15, 37: what never ends by itself
    (
        "fuel",
        &[
            "adapter_flood",
            "bulk",
            "divide",
            "note_empty_flood",
            "post_return_spins",
            "realloc_spins",
            "spin",
            "start_spins",
            "table_grow",
        ],
    ),
    // HOSTILE 13
    ("memory", &["adapter_memories", "eight_memories", "memory_grow", "memory_huge"]),
    // HOSTILE 12, 36
    ("note_bytes", &["note_mib_flood"]),
    ("output_bytes", &["output_over_cap"]),
    // HOSTILE 14, 36, 37
    (
        "trap",
        &[
            "answer_bad_pointer",
            "calls",
            "handles",
            "note_4_gib",
            "note_bad_pointer",
            "note_not_utf8",
            "note_over_cap",
            "output_4_gib",
            "output_5_mib",
            "output_lone_surrogate",
            "output_not_utf8",
            "output_past_the_end",
            "output_unaligned",
            "realloc_at_the_end",
            "realloc_out_of_range",
            "realloc_traps",
            "realloc_unaligned",
            "recursion",
            "recursion_then_call",
            "result_bad_discriminant",
            "result_bad_pointer",
            "result_unaligned",
            "spawn_flood",
            "waits",
        ],
    ),
    ("invalid_output", &["output_at_cap", "output_empty", "output_one", "secret_keeper", "secret_seeker"]),
    ("returned", &["returns_error"]),
    ("missing_export", &["ill_typed_run", "no_run", "no_run_but_main"]),
];

fn names() -> BTreeSet<String> {
    let files = std::fs::read_dir(fixture("guests")).expect("the guests");
    files.map(|file| file.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

/// Whoever is not in the table is a component that must not be loaded (HOSTILE 24, 34).
fn wanted(guest: &str) -> &'static str {
    ENDS.iter().find(|(_, guests)| guests.contains(&guest)).map_or("agent_invalid", |(end, _)| end)
}

fn everyone() -> Run {
    let mut plan = "run: everyone\nvirtual: true\ngoal: g\nlimits: { max_tasks: 128, on_failure: skip }\nagents:\n  \
                    quiet: { script: quiet.yaml }\n"
        .to_owned();
    let mut tasks = "tasks:\n  - { id: before, agent: quiet, goal: g }\n".to_owned();
    for name in names() {
        let _ = writeln!(plan, "  {name}: {{ component: {name}.wasm, timeout: 60s, budget: {{ fuel: 5000000 }} }}");
        let _ = writeln!(tasks, "  - {{ id: {name}, agent: {name}, goal: g }}");
    }
    tasks.push_str("  - { id: after, agent: quiet, goal: g }\n");
    let run = Run::plan(&(plan + &tasks)).file("quiet.yaml", QUIET);
    names().iter().fold(run, |run, name| run.guest(name))
}

/// The one word for how a fork ended.
fn word(result: &Value) -> String {
    let details = &result["error"]["details"];
    let word = [&details["cause"], &details["dimension"], &result["status"]].into_iter().find_map(Value::as_str);
    word.expect("a word").to_owned()
}

fn words(ran: &Ran) -> BTreeMap<String, String> {
    let report = ran.report();
    let results = report["results"].as_array().expect("results");
    results.iter().map(|result| (result["task_id"].as_str().expect("an id").to_owned(), word(result))).collect()
}

fn all_ended_as_they_must(ran: &Ran) {
    let mut wanted: BTreeMap<String, String> =
        names().into_iter().map(|name| (name.clone(), wanted(&name).to_owned())).collect();
    wanted.extend(["before", "after"].map(|quiet| (quiet.to_owned(), "ok".to_owned())));
    assert_eq!(words(ran), wanted);
    let report = ran.report();
    assert_eq!((&report["status"], &report["usage"]["ledger_whole"]), (&"partial".into(), &true.into()));
    for result in report["results"].as_array().expect("results") {
        assert!(result["fuel_used"].as_u64().expect("a number") <= 5_000_000 || result["agent"] == "quiet", "{result}");
        assert!(result["peak_memory_bytes"].as_u64().expect("a number") <= 64 << 20, "{result}");
    }
    // HOSTILE 33: one start and one end each, whatever happened
    for kind in ["subagent_fork", "subagent_return"] {
        let mut tasks: Vec<String> =
            ran.events_of(kind).iter().map(|event| event["task_id"].as_str().expect("an id").to_owned()).collect();
        tasks.sort();
        assert_eq!(tasks, wanted.keys().cloned().collect::<Vec<_>>(), "{kind}");
    }
}

// HOSTILE 10, 12, 13, 14, 15, 24, 33, 34, 36, 37, 38
#[test]
fn every_hostile_guest_in_one_run_comes_to_its_end_and_its_siblings_notice_nothing() {
    all_ended_as_they_must(&settled(everyone, 3));
}

// The same without virtual time and with nothing but one thread for all of them: none stalls it.
#[test]
fn every_hostile_guest_comes_to_the_same_end_in_real_time_on_one_worker() {
    all_ended_as_they_must(&on_one_worker(everyone, 3));
}

#[test]
fn the_table_names_only_guests_that_exist_and_each_once() {
    let listed: Vec<&str> = ENDS.iter().flat_map(|(_, guests)| guests.iter().copied()).collect();
    let set: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(set.len(), listed.len());
    assert!(set.is_subset(&names()), "{:?}", set.difference(&names()));
}

// HOSTILE 24: the import is named, and what is offered instead
#[test]
fn a_component_that_wants_more_than_the_contract_is_told_what_it_may_have() {
    for (guest, import) in [
        ("wasi_environment", "wasi:cli/environment@0.2.0"),
        ("wasi_sockets", "wasi:sockets/tcp@0.2.0"),
        ("unknown_import", "acme:spy/wire"),
        ("newer_interface", "version 0.2.0"),
    ] {
        let plan = format!("run: t\nagents:\n  a: {{ component: {guest}.wasm }}\nroot: {{ agent: a, goal: g }}\n");
        let ran = settled(|| Run::plan(&plan).guest(guest), 1);
        let error = ran.result("root")["error"].clone();
        let message = error["message"].as_str().expect("text");
        assert!(message.contains(import) && message.contains("sandfork:agent/orchestrator@0.1.0"), "{message}");
        assert_eq!(error["details"]["cause"], "agent_invalid");
    }
}

// HOSTILE 28
#[test]
fn seven_ways_to_fail_have_seven_causes_and_the_run_follows_on_failure() {
    const WAYS: [(&str, &str); 7] = [
        ("recursion", "trap"),
        ("returns_error", "returned"),
        ("output_one", "invalid_output"),
        ("echo", "schema"),
        ("no_run", "missing_export"),
        ("empty", "exhausted"),
        ("wasi_sockets", "agent_invalid"),
    ];
    for (policy, code, status) in [("skip", 3, "partial"), ("propagate", 1, "failed")] {
        let make = || {
            let mut plan =
                "run: ways\ngoal: g\nagents:\n  empty: { script: empty.yaml }\n  quiet: { script: quiet.yaml }\n"
                    .to_owned();
            let mut tasks = "tasks:\n  - { id: quiet, agent: quiet, goal: g }\n".to_owned();
            let mut run = Run::args(["run", "plan.yaml"]);
            for (way, _) in WAYS {
                let _ = writeln!(tasks, "  - {{ id: {way}, agent: {way}, goal: g, on_failure: {policy} }}");
                if way != "empty" {
                    let schema = if way == "echo" { ", output_schema: { type: array }" } else { "" };
                    let _ = writeln!(plan, "  {way}: {{ component: {way}.wasm{schema} }}");
                    run = run.guest(way);
                }
            }
            let run = run.file("empty.yaml", "agent: empty\nturns: []\n").file("quiet.yaml", QUIET);
            run.file("plan.yaml", plan + &tasks)
        };
        let ran = settled(make, code);
        assert_eq!(ran.report()["status"], status);
        assert_eq!(ran.result("quiet")["status"], "ok");
        for (way, cause) in WAYS {
            let error = ran.result(way)["error"].clone();
            assert_eq!(
                (&error["code"], &error["details"]["cause"]),
                (&"subagent_failed".into(), &cause.into()),
                "{way}"
            );
        }
    }
}
