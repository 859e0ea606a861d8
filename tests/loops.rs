//! What stops delegation: depth for the deep chain, the total for the wide fan-out, and what happens with neither.

use crate::harness::{Ran, Run, fixture};
use serde_json::Value;

fn run(plan: &str, code: i32) -> Ran {
    Run::fixture(plan).arg("--virtual-time").json().expect_code(code)
}

// OR-21, OR-22, OR-23, OR-24, OR-25, OR-26, OR-46, X-1
#[test]
fn the_third_hop_of_a_delegation_loop_is_intercepted_and_told_to_the_guest() {
    let ran = run("delegation-loop/plan.yaml", 3);
    let report = ran.report();
    assert_eq!(report["tasks_used"], 3, "the intercepted hop consumes nothing");
    assert_eq!(report["max_depth_reached"], 2);
    assert_eq!(report["status"], "partial");
    let limits = ran.events_of("depth_limit");
    assert_eq!(limits.len(), 1);
    assert_eq!(limits[0]["attrs"]["code"], "delegation_depth_exceeded");
    assert_eq!(limits[0]["attrs"]["depth"], 3);
    assert!(ran.events_of("spawn_refused").is_empty(), "depth refusals have their own event");
    let deepest = &report["merged"]["below"]["below"];
    assert_eq!(deepest["stopped"], "delegation_depth_exceeded", "the guest got the refusal and returned: {report:#}");
    let refused = ran.result("root/1/1/1");
    assert_eq!(refused["status"], "refused");
    assert_eq!(
        refused["error"]["details"],
        serde_json::json!({
            "node": "root/1/1", "dimension": "depth", "asked": 3, "left": 0, "limit": 2
        })
    );
}

// OR-27, OR-30, OR-46, OR-57: the control group
#[test]
fn without_both_guards_the_same_loop_grows_past_a_hundred_forks() {
    let ran = run("delegation-loop/unguarded.yaml", 3);
    let report = ran.report();
    assert!(report["tasks_used"].as_u64().expect("a number") > 100);
    assert!(ran.events_of("depth_limit").is_empty());
    let refused: Vec<Value> = ran.events_of("spawn_refused");
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0]["attrs"]["code"], "host_full", "only the host's own ceiling stopped it");
    assert_eq!(report["usage"]["ledger_whole"], true);
}

// OR-28, OR-29, OR-30, OR-47, HOSTILE 6
#[test]
fn a_wide_fan_out_of_legal_depth_is_stopped_by_the_total() {
    let ran = run("fan-out/plan.yaml", 3);
    let report = ran.report();
    assert_eq!(report["tasks_used"], 4);
    let results = report["results"].as_array().expect("results");
    let refused: Vec<&Value> = results.iter().filter(|result| result["status"] == "refused").collect();
    assert_eq!(results.len() - refused.len(), 4);
    assert_eq!(refused.len(), 9, "one outcome for each of the three requests of each child");
    for refusal in refused {
        assert_eq!(refusal["error"]["code"], "task_budget_exceeded");
    }
    assert!(ran.events_of("depth_limit").is_empty(), "every request was of legal depth");
}

// HOSTILE 4: one tree-wide counter, whoever hops
#[test]
fn the_total_counts_the_tree_and_not_the_agent() {
    let ran = Run::fixture("delegation-loop/unguarded.yaml")
        .with(["--virtual-time", "--limit", "max_tasks=5"])
        .json()
        .expect_code(3);
    assert_eq!(ran.report()["tasks_used"], 5);
    assert_eq!(ran.events_of("spawn_refused")[0]["attrs"]["code"], "task_budget_exceeded");
}

// HOSTILE 3: the ancestor check, on by default, is what stops a loop on the same goal first
#[test]
fn with_the_ancestor_check_on_a_loop_is_a_cycle() {
    let ran = Run::fixture("delegation-loop/plan.yaml")
        .with(["--virtual-time", "--limit", "ancestors=refuse", "--limit", "max_depth=5"])
        .json()
        .expect_code(3);
    assert_eq!(ran.report()["tasks_used"], 2);
    assert_eq!(ran.events_of("spawn_refused")[0]["attrs"]["code"], "ancestor_cycle");
}

// HOSTILE 1: every child spawns itself and invented names
#[test]
fn invented_names_start_no_sandbox_and_the_caps_hold() {
    let script = "agent: wild\nspawn: [self]\nturns:\n  - do:\n      - for_each: [1, 2, 3, 4, 5, 6]\n        as: n\n        do:\n          - spawn:\n              - { agent: wild, goal: \"${task.goal} ${n}\" }\n              - { agent: \"invented\", goal: \"x\" }\n            as: got\n      - return: { last: \"${got[1].error.code}\" }\n";
    // A name that no plan has is not written in the script's own list; the gate is what must stop it.
    let plan = "run: wild\nagents:\n  wild: { script: wild.yaml, spawn: [self] }\nlimits: { max_tasks: 9 }\nroot: { agent: wild, goal: g }\n";
    let script = script.replace("spawn: [self]\n", "spawn: [wild, invented]\n").replacen(
        "      - return",
        "      - spawn: [{ agent: invented, goal: y }]\n        as: got\n      - return",
        1,
    );
    let script = script.replace("got[1]", "got[0]");
    let ran = Run::plan(plan).file("wild.yaml", script).arg("--virtual-time").json().expect_code(3);
    let report = ran.report();
    assert_eq!(report["tasks_used"], 9);
    assert_eq!(ran.events_of("subagent_fork").len(), 9);
    assert!(report["max_depth_reached"].as_u64().expect("a depth") <= 2);
    assert_eq!(report["merged"]["last"], "unknown_subagent");
}

// HOSTILE 2, X-1: from a plan file
#[test]
fn max_depth_0_1_2_3_from_the_command_line_run_1_2_3_4_generations() {
    for depth in 0..=3 {
        let limit = format!("max_depth={depth}");
        let ran = Run::fixture("delegation-loop/plan.yaml").with(["--virtual-time", "--limit", &limit]).json();
        assert_eq!(ran.expect_code(3).report()["tasks_used"], depth + 1);
    }
}

// M4-20's counterpart at the gate and HOSTILE 8: outcomes stand in request order whatever the order of ends
#[test]
fn a_refused_second_request_is_answered_second() {
    let script = "agent: lead\nspawn: [slow, nobody]\nturns:\n  - do:\n      - spawn: [{ agent: slow, goal: g }, { agent: nobody, goal: g }]\n        as: got\n      - return: [\"${got[0].status}\", \"${got[1].error.code}\"]\n";
    let plan = format!(
        "run: order\nagents:\n  lead: {{ script: lead.yaml, spawn: [slow] }}\n  slow: {{ script: {} }}\nroot: {{ agent: lead, goal: g }}\n",
        fixture("conflict/census.yaml").display()
    );
    let ran = Run::plan(&plan).file("lead.yaml", script).arg("--virtual-time").json();
    assert_eq!(ran.report()["merged"], serde_json::json!(["ok", "unknown_subagent"]), "{}", ran.stderr);
}

// OR-08: a result's task id names one request, whatever came of it
#[test]
fn a_repeated_id_is_refused_under_its_ordinal_and_self_is_the_agents_own_name() {
    let script = "agent: lead\nspawn: [self]\nturns:\n  - do:\n      - if: { equal: [\"${task.depth}\", 0] }\n        then:\n          - spawn:\n              - { agent: self, goal: one, id: same }\n              - { agent: self, goal: two, id: same }\n            as: got\n          - return: [\"${got[0].task_id}\", \"${got[1].task_id}\", \"${got[1].error.code}\"]\n      - return: {}\n";
    let plan = "run: ids\nagents:\n  lead: { script: lead.yaml, spawn: [self] }\nroot: { agent: lead, goal: g }\n";
    let ran = Run::plan(plan).file("lead.yaml", script).arg("--virtual-time").json().expect_code(3);
    assert_eq!(ran.report()["merged"], serde_json::json!(["root/same", "root/2", "invalid_request"]));
}
