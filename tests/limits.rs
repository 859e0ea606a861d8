//! Limits that really limit, written in a plan and met by a guest: which one ended it, with its numbers.

use crate::harness::{QUIET, Ran, Run, on_one_worker, settled};
use serde_json::{Value, json};
use std::fmt::Write as _;

fn alone(guest: &str, entry: &str, limits: &str) -> impl Fn() -> Run {
    let plan = format!(
        "run: alone\ngoal: g\nlimits: {{ {limits} }}\nagents:\n  a: {{ component: {guest}.wasm, {entry} }}\ntasks: [{{ id: it, agent: a, goal: g }}]\n"
    );
    let guest = guest.to_owned();
    move || Run::plan(&plan).guest(&guest)
}

fn ended(ran: &Ran) -> (Value, Value) {
    let it = ran.result("it");
    (it["status"].clone(), it["error"]["details"].clone())
}

// HOSTILE 10
#[test]
fn a_spinning_guest_burns_exactly_its_fuel_every_time() {
    for ran in [
        settled(alone("spin", "budget: { fuel: 1000000 }", ""), 1),
        on_one_worker(alone("spin", "budget: { fuel: 1000000 }", ""), 1),
    ] {
        let it = ran.result("it");
        assert_eq!((&it["status"], &it["fuel_used"]), (&"out_of_fuel".into(), &json!(1_000_000)));
    }
}

// HOSTILE 12, 13, 20: the outcome names node, dimension and limit, and carries the numbers
#[test]
fn whichever_limit_ends_a_guest_is_named_with_its_numbers() {
    let mib = 1 << 20;
    for (guest, entry, limits, status, dimension, limit) in [
        ("note_empty_flood", "budget: { fuel: 1000000 }", "", "out_of_fuel", "fuel", 1_000_000),
        ("note_empty_flood", "budget: { host_calls: 1000 }", "", "out_of_budget", "host_calls", 1_000),
        ("note_empty_flood", "", "", "out_of_budget", "host_calls", 10_000),
        ("note_mib_flood", "", "", "out_of_budget", "note_bytes", mib),
        ("note_mib_flood", "", "notes: 3MiB", "out_of_budget", "note_bytes", 3 * mib),
        ("output_over_cap", "", "", "out_of_budget", "output_bytes", mib),
        ("echo", "budget: { output_bytes: 100 }", "", "out_of_budget", "output_bytes", 100),
        ("memory_grow", "", "", "out_of_budget", "memory", 64 * mib),
        ("memory_grow", "budget: { memory: 3MiB }", "", "out_of_budget", "memory", 3 * mib),
        ("eight_memories", "", "", "out_of_budget", "memory", 64 * mib),
        ("memory_grow", "", "memory_total: 1MiB", "out_of_budget", "memory_total", mib),
    ] {
        let ran = settled(alone(guest, entry, limits), 1);
        let (ended, details) = ended(&ran);
        let wanted = (Value::from(status), Value::from(dimension), Value::from(limit));
        assert_eq!((ended, details["dimension"].clone(), details["limit"].clone()), wanted, "{guest} {entry} {limits}");
        assert!(details["node"] == "it" && details["left"].is_u64(), "{details}");
        let message = ran.result("it")["error"]["message"].as_str().expect("text").to_owned();
        assert!(message.contains(&limit.to_string()) && message.contains("agent a"), "{message}");
        assert_eq!(ran.report()["usage"]["ledger_whole"], true);
    }
}

// HOSTILE 14: a failed outcome, not an abort
#[test]
fn infinite_recursion_is_the_guests_failure_alone() {
    for guest in ["recursion", "recursion_then_call"] {
        for ran in [settled(alone(guest, "", ""), 1), on_one_worker(alone(guest, "", ""), 1)] {
            assert_eq!(ended(&ran).1["trap"], "stack overflow", "{guest}");
        }
    }
}

// HOSTILE 15: fuel burnt before a hardware trap is charged, so that trapping again and again costs what it costs
#[test]
fn a_parent_that_retries_a_trapping_child_cannot_spend_more_than_its_tank() {
    let plan = "run: retry\nlimits: { max_tasks: unlimited, max_children: unlimited, ancestors: allow, budget: { fuel: \
                50000000, turns: 1000, retries: 1000 }, water: { save: 100, spare: 100, converge: 100 } }\nagents:\n  lead: { \
                script: lead.yaml, spawn: [divide] }\n  divide: { component: divide.wasm }\nroot: { agent: lead, goal: g }\n";
    let lead = "agent: lead\nspawn: [divide]\nturns:\n  - do:\n      - repeat: 100\n        until: { equal: [\"${got[0].error.code}\", \
                budget_exceeded] }\n        do:\n          - spawn: [{ agent: divide, goal: again, budget: { fuel: 8000000 } }]\n            as: \
                got\n      - return: { last: \"${got[0].error.code}\" }\n";
    let make = || Run::plan(plan).file("lead.yaml", lead).guest("divide");
    for ran in [settled(make, 3), on_one_worker(make, 3)] {
        let report = ran.report();
        assert_eq!(report["merged"]["last"], "budget_exceeded", "{report:#}");
        assert!(report["usage"]["fuel"].as_u64().expect("a number") <= 50_000_000);
        let spent: u64 =
            report["results"].as_array().expect("results").iter().map(|r| r["fuel_used"].as_u64().expect("fuel")).sum();
        assert_eq!(report["usage"]["fuel"], spent, "what the forks used is what the run paid");
        // A million turns of seven instructions: no attempt was cheaper than that.
        let tries = report["tasks_used"].as_u64().expect("a number") - 1;
        assert!((4..=7).contains(&tries), "{tries} tries");
        assert_eq!(report["usage"]["ledger_whole"], true);
    }
}

// HOSTILE 16: `0` is none, absent is the default, `unlimited` is the host's ceiling
#[test]
fn zero_absent_and_unlimited_are_three_things() {
    let ceiling = (1_u64 << 53) - 1;
    for (dimension, guest, default) in [
        ("fuel", "spin", 64_000_000),
        ("host_calls", "note_empty_flood", 10_000),
        ("note_bytes", "note_mib_flood", 1 << 20),
    ] {
        // One step's fuel less than the real default of ten million a step, so that the test spins for less.
        let with = |entry: &str, limits: &str| {
            ended(&settled(alone(guest, entry, &format!("fuel_per_step: 1000000, {limits}")), 1))
        };
        let (_, none) = with(&format!("budget: {{ {dimension}: 0 }}"), "");
        assert_eq!((&none["dimension"], &none["limit"]), (&dimension.into(), &json!(0)));
        let time = "timeout: 1ms";
        let (status, absent) = with("", "");
        assert_eq!((&absent["dimension"], &absent["limit"]), (&dimension.into(), &json!(default)), "{status}");
        let all = format!("budget: {{ {dimension}: unlimited }}");
        let (status, _) = with(&format!("{all}, {time}"), &all);
        assert_eq!(status, "timeout", "unlimited {dimension} leaves the time as the only limit");
        let ran = settled(alone(guest, &format!("{all}, {time}"), &all), 1);
        let forked = ran.events_of("subagent_fork");
        if dimension == "fuel" {
            assert_eq!(forked[0]["attrs"]["fuel"], ceiling, "unlimited is reported as the host's own ceiling");
        }
    }
    for limit in ["max_concurrency", "max_live", "deadline", "timeout", "root_timeout"] {
        for zero in ["0", "0s"] {
            let limits = format!("{limit}: {zero}");
            let ran = alone("echo", "", &limits)().arg("--json").go().expect_code(2);
            let problem = &ran.report()["error"]["details"]["problems"][0];
            assert_eq!((&problem["file"], &problem["line"]), (&"plan.yaml".into(), &json!(3)), "{limits}");
            assert!(problem["message"].as_str().expect("text").contains(limit), "{problem}");
        }
    }
    let ran = alone("echo", "", "max_tasks: 0")().json().expect_code(1);
    assert_eq!(ran.result("it")["error"]["code"], "task_budget_exceeded");
}

// HOSTILE 18
#[test]
fn a_run_wide_limit_holds_however_many_children_press_on_it() {
    let kid = "agent: kid\ntools: [tick]\nturns:\n  - do:\n      - { tool: tick, as: a }\n      - { tool: tick, as: b }\n      - { tool: \
               tick, as: c }\n      - return: {}\n";
    for (limit, children) in [(3, 2), (5, 4), (9, 8)] {
        let mut plan = format!(
            "run: press\ngoal: g\nlimits: {{ tool_calls: {limit}, water: {{ save: 100, spare: 100, converge: 100 }} }}\ntools: {{ tick: \
             {{ script: [{{ delay: 1ms, result: {{}} }}] }} }}\nagents:\n  kid: {{ script: kid.yaml, tools: [tick] }}\ntasks:\n"
        );
        for n in 0..children {
            let _ = writeln!(plan, "  - {{ id: k{n}, agent: kid, goal: g }}");
        }
        let make = || Run::plan(&plan).file("kid.yaml", kid);
        for ran in [settled(make, 0), on_one_worker(make, 0), make().with(["--workers", "2"]).json().expect_code(0)] {
            let answers = ran.events_of("tool_result");
            let executed = answers.iter().filter(|answer| answer["attrs"]["ok"] == true).count();
            assert_eq!((executed, answers.len()), (limit, 3 * children), "{children} children");
            let refused = answers.iter().filter(|answer| answer["attrs"]["code"] == "tool_calls_exceeded").count();
            assert_eq!(executed + refused, answers.len());
            assert_eq!(ran.report()["usage"]["tool_calls"], limit);
        }
    }
}

// HOSTILE 20: a refusal carries the numbers, too
#[test]
fn a_refused_request_says_which_node_asked_how_much_of_what() {
    let lead = "agent: lead\nspawn: [kid]\nturns:\n  - do:\n      - spawn: [{ agent: kid, goal: g, budget: { fuel: 900000000 } }]\n        \
                as: got\n      - return: \"${got[0].error}\"\n";
    let plan = "run: ask\nlimits: { budget: { fuel: 100000000 } }\nagents:\n  lead: { script: lead.yaml, spawn: [kid] }\n  kid: { \
                component: echo.wasm }\nroot: { agent: lead, goal: g }\n";
    let ran = settled(|| Run::plan(plan).file("lead.yaml", lead).guest("echo"), 3);
    let error = &ran.report()["merged"];
    let details = &error["details"];
    assert_eq!(error["code"], "budget_exceeded");
    assert_eq!(details["node"], "root");
    assert_eq!(details["dimension"], "fuel");
    assert_eq!(details["asked"], 900_000_000);
    assert_eq!(details["limit"], 100_000_000);
    let left = details["left"].as_u64().expect("a number");
    let message = error["message"].as_str().expect("text");
    for number in [900_000_000, left, 100_000_000] {
        assert!(message.contains(&number.to_string()), "{message}");
    }
}

// HOSTILE 6: the plan's own limit of live forks, on a host that has room for more than that
#[test]
fn a_plan_may_allow_fewer_live_forks_than_its_host_has_room_for() {
    use sandfork::{Host, Overrides, RunOptions};
    let home = tempfile::tempdir().expect("a directory");
    let lead = "agent: lead\nspawn: [quiet]\nturns:\n  - do:\n      - spawn: [{ agent: quiet, goal: a }, { agent: quiet, goal: b }]\n        \
                as: got\n      - return: [\"${got[0].status}\", \"${got[1].error.code}\"]\n";
    let plan = "run: two\nlimits: { max_live: 2 }\nagents:\n  lead: { script: lead.yaml, spawn: [quiet] }\n  quiet: { script: quiet.yaml \
                }\nroot: { agent: lead, goal: g }\n";
    for (file, text) in [("plan.yaml", plan), ("lead.yaml", lead), ("quiet.yaml", QUIET)] {
        std::fs::write(home.path().join(file), text).expect("written");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let finished = runtime.block_on(async {
        let host = Host::builder().live_forks(16).state_dir(home.path().join("state")).build().expect("room");
        let plan = host.load(&home.path().join("plan.yaml"), &Overrides::default()).await.expect("a plan");
        host.run(&plan, RunOptions::in_virtual_time()).await.expect("a run")
    });
    assert_eq!(finished.report["merged"], json!(["ok", "host_full"]));
}
