//! One fork's misfortune is not its siblings': time, budget and results of the others stay what they were.

use crate::harness::{QUIET, Run, on_one_worker, settled};
use serde_json::{Value, json};
use std::fmt::Write as _;

fn beside_quiet(guest: &str, entry: &str, limits: &str) -> impl Fn() -> Run {
    let plan = format!(
        "run: beside\ngoal: g\nlimits: {{ {limits} }}\nagents:\n  bad: {{ component: {guest}.wasm, {entry} }}\n  quiet: {{ script: \
         quiet.yaml }}\ntasks:\n  - {{ id: bad, agent: bad, goal: g, on_failure: skip }}\n  - {{ id: quiet, agent: quiet, goal: g }}\n"
    );
    let guest = guest.to_owned();
    move || Run::plan(&plan).guest(&guest).file("quiet.yaml", QUIET)
}

fn nine(policy: &str) -> impl Fn() -> Run {
    let mut plan = "run: nine\ngoal: g\ntools: { hang: { script: [{ never: true }] } }\nagents:\n  says: { script: \
                    says.yaml }\n  hangs: { script: hangs.yaml, tools: [hang] }\ntasks:\n"
        .to_owned();
    for n in 0..8 {
        let _ = writeln!(plan, "  - {{ id: t{n}, agent: says, goal: g, context: {{ n{n}: {n} }} }}");
    }
    let _ = writeln!(plan, "  - {{ id: hung, agent: hangs, goal: g, timeout: 200ms, on_failure: {policy} }}");
    move || {
        Run::plan(&plan)
            .file("says.yaml", "agent: says\nturns:\n  - return: \"${task.context}\"\n")
            .file("hangs.yaml", "agent: hangs\ntools: [hang]\nturns:\n  - do:\n      - { tool: hang }\n")
    }
}

fn lead(do_: &str) -> String {
    format!("agent: lead\nspawn: [spin, quiet]\nturns:\n  - do:\n{do_}")
}

fn led(lead_do: &str, limits: &str) -> impl Fn() -> Run {
    let plan = format!(
        "run: led\nlimits: {{ {limits} }}\nagents:\n  lead: {{ script: lead.yaml, spawn: [spin, quiet] }}\n  spin: {{ component: \
         spin.wasm }}\n  quiet: {{ script: quiet.yaml }}\nroot: {{ agent: lead, goal: g }}\n"
    );
    let script = lead(lead_do);
    move || Run::plan(&plan).guest("spin").file("quiet.yaml", QUIET).file("lead.yaml", &script)
}

// HOSTILE 10: a deadline is met to the nanosecond of virtual time, and a quick sibling's own time does not move
#[test]
fn a_spinning_fork_meets_its_deadline_and_its_sibling_is_not_delayed() {
    let spinning = settled(beside_quiet("spin", "timeout: 100ms", "budget: { fuel: unlimited }"), 3);
    let bad = spinning.result("bad");
    assert_eq!((&bad["status"], &bad["elapsed_ms"]), (&"timeout".into(), &json!(100.0)));
    assert_eq!(bad["fuel_used"], 100_000_000, "a nanosecond is a unit");
    let alone = settled(beside_quiet("echo", "timeout: 100ms", "budget: { fuel: unlimited }"), 0);
    for figure in ["elapsed_ms", "queued_ms", "fuel_used"] {
        assert_eq!(spinning.result("quiet")[figure], alone.result("quiet")[figure], "{figure}");
    }
}

// HOSTILE 10, in real time: on the only thread, and yet the timeout lands and the sibling runs
#[test]
fn a_spinning_fork_is_stopped_on_the_only_worker() {
    for guest in ["spin", "start_spins", "bulk", "post_return_spins"] {
        let ran = on_one_worker(
            beside_quiet(guest, "timeout: 100ms", "budget: { fuel: unlimited }, fuel_per_step: 100000000000"),
            3,
        );
        assert_eq!(ran.result("bad")["status"], "timeout", "{guest}");
        assert_eq!(ran.result("quiet")["status"], "ok", "{guest}");
        assert_eq!(ran.report()["usage"]["ledger_whole"], true, "{guest}");
    }
}

// HOSTILE 11, 29
#[test]
fn of_nine_children_one_hangs_and_eight_deliver() {
    for (policy, code, status) in [("skip", 3, "partial"), ("propagate", 1, "failed")] {
        for ran in [settled(nine(policy), code), on_one_worker(nine(policy), code)] {
            let report = ran.report();
            assert_eq!(report["status"], status);
            let statuses: Vec<&Value> =
                report["results"].as_array().expect("results").iter().map(|result| &result["status"]).collect();
            assert_eq!(json!(statuses), json!(["ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "timeout"]));
            let outputs = json!({"n0": 0, "n1": 1, "n2": 2, "n3": 3, "n4": 4, "n5": 5, "n6": 6, "n7": 7});
            assert_eq!(report["merged"], outputs, "all eight outputs are there");
            assert_eq!(report["usage"]["ledger_whole"], true);
        }
    }
}

// HOSTILE 17
#[test]
fn of_four_children_asking_thirty_of_a_hundred_three_start() {
    let child = |n: u32| format!("{{ agent: spin, goal: g{n}, budget: {{ fuel: 3000000 }} }}");
    let children: Vec<String> = (0..4).map(child).collect();
    let script = format!(
        "      - spawn: [{}]\n        as: got\n      - return: [\"${{got[0].status}}\", \"${{got[1].status}}\", \"${{got[2].status}}\", \
         \"${{got[3].error.code}}\"]\n",
        children.join(", ")
    );
    for ran in [
        settled(led(&script, "budget: { fuel: 10000000 }"), 3),
        on_one_worker(led(&script, "budget: { fuel: 10000000 }"), 3),
    ] {
        let report = ran.report();
        assert_eq!(report["merged"], json!(["out_of_fuel", "out_of_fuel", "out_of_fuel", "budget_exceeded"]));
        assert!(report["usage"]["fuel"].as_u64().expect("a number") <= 10_000_000);
        assert_eq!(report["usage"]["ledger_whole"], true);
        let details = &ran.result("root/4")["error"]["details"];
        assert_eq!((&details["dimension"], &details["asked"]), (&"fuel".into(), &json!(3_000_000)));
    }
}

// HOSTILE 19
#[test]
fn a_child_that_burns_its_share_leaves_its_siblings_untouched() {
    let script = "      - spawn: [{ agent: spin, goal: burn }, { agent: quiet, goal: work }]\n        as: got\n      - return: \
                  [\"${got[0].status}\", \"${got[1].output}\"]\n";
    let ran = settled(led(script, "budget: { fuel: 10000000 }"), 3);
    assert_eq!(ran.report()["merged"], json!(["out_of_fuel", { "fine": true }]));
    let later = "      - spawn: [{ agent: spin, goal: burn }]\n        as: first\n      - spawn: [{ agent: quiet, goal: work, critical: \
                 true }]\n        as: second\n      - return: [\"${first[0].status}\", \"${second[0].status}\"]\n";
    let ran = settled(led(later, "budget: { fuel: 10000000 }"), 3);
    assert_eq!(ran.report()["merged"][0], "out_of_fuel");
    assert_eq!(ran.report()["usage"]["ledger_whole"], true);
}

// HOSTILE 17, for sandboxes: what is taken comes back, however its fork ended
#[test]
fn a_seat_is_free_again_after_every_end() {
    let script = "      - for_each: [1, 2, 3, 4]\n        as: n\n        do:\n          - spawn: [{ agent: quiet, goal: \"${n}\" }]\n          \
                  - spawn: [{ agent: spin, goal: \"${n}\", budget: { fuel: 1000 } }]\n      - return: {}\n";
    for ran in [settled(led(script, "max_live: 2"), 3), on_one_worker(led(script, "max_live: 2"), 3)] {
        let report = ran.report();
        let results = report["results"].as_array().expect("results");
        let statuses: Vec<&str> =
            results.iter().skip(1).map(|result| result["status"].as_str().expect("a status")).collect();
        assert_eq!(statuses, ["ok", "out_of_fuel"].repeat(4));
    }
}
