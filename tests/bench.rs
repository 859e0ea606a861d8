//! `sandfork bench`: the shape of its answers. How long anything takes is no test's business.

use crate::harness::Run;

const PLAN: &str = "run: demo\nagents:\n  a: { script: a.yaml, tools: [read_file, edit_file] }\nworkspace: workspace\n\
                    root: { agent: a, goal: Edit }\n";
const SCRIPT: &str = "agent: a\ntools: [edit_file]\nturns:\n  - do:\n      - { tool: edit_file, with: { path: x.txt, old: \
                      one, new: two }, as: e }\n      - if: { ok: e }\n        then: [ { return: { reply: done } } ]\n        \
                      else: [ { fail: { code: not_reset, message: the workspace was not reset } } ]\n";

fn bench(script: &str) -> Run {
    Run::args(["bench", "plan.yaml", "--rounds", "2"])
        .file("plan.yaml", PLAN)
        .file("a.yaml", script)
        .file("workspace/x.txt", "one")
}

// M4-44: each round finds the workspace as the plan says, or its edit would fail.
#[test]
fn every_round_has_a_fresh_workspace_and_its_two_times() {
    let ran = bench(SCRIPT).arg("--json").go().expect_code(0);
    let document = ran.report();
    let rounds = document["rounds"].as_array().expect("rounds");
    assert_eq!(rounds.len(), 2);
    for round in rounds {
        assert!(round["serial_ms"].is_f64() && round["parallel_ms"].is_f64(), "{round}");
    }
    for figure in ["serial_median_ms", "parallel_median_ms", "speedup"] {
        assert!(document[figure].as_f64().expect("a number") > 0.0, "{figure}");
    }
}

#[test]
fn without_json_a_table_is_shown() {
    let ran = bench(SCRIPT).go().expect_code(0);
    assert!(ran.stdout.contains("serial ms") && ran.stdout.contains("median"), "{}", ran.stdout);
}

#[test]
fn a_run_that_fails_is_not_timed() {
    let script = "agent: a\nturns:\n  - do:\n      - { fail: { code: no, message: not today } }\n";
    let ran = bench(script).arg("--json").go().expect_code(1);
    assert_eq!(ran.report()["rounds"], serde_json::json!([]));
    assert!(ran.stderr.contains("not today"), "{}", ran.stderr);
    let ran = bench(script).go().expect_code(1);
    assert!(ran.stderr.contains("only runs that complete can be timed"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "", "there is no figure to show");
}
