//! `sandfork compare` on real reports: the shipped example, and files that are none.

use crate::harness::{Ran, Run, fixture};

/// The reports of a plan and its baseline in a directory, and the comparison of both.
fn compared(args: &[&str]) -> Ran {
    let report = |plan: &str| Run::fixture(plan).with(["--virtual-time", "--json"]).go().expect_code(0).stdout;
    let run = Run::args(["compare", "many.json", "one.json"]).with(args.iter().copied());
    run.file("many.json", report("fork-two-modules/plan.yaml")).file("one.json", report("baseline/plan.yaml")).go()
}

// GV-57
#[test]
fn two_agents_are_compared_with_the_same_job_as_one() {
    let text = compared(&[]).expect_code(0).stdout;
    insta::with_settings!({
        snapshot_path => fixture("baseline"), prepend_module_to_snapshot => false, omit_expression => true,
    }, {
        insta::assert_snapshot!("compare", text);
    });
}

// GV-57
#[test]
fn both_do_the_same_work() {
    let ran = Run::fixture("baseline/plan.yaml").arg("--virtual-time").json().expect_code(0);
    assert_eq!(ran.workspace_file("alpha_module.py").lines().nth(1), Some("VALUE = 42"));
    assert_eq!(ran.workspace_file("beta_module.py").lines().nth(1), Some("TIMEOUT = 30"));
}

#[test]
fn the_document_has_every_row_of_the_table() {
    let document = compared(&["--json"]).expect_code(0).report();
    assert_eq!(document["schema"], "sandfork.compare.v1");
    let rows = document["rows"].as_array().expect("rows");
    assert!(rows.len() >= 30 && rows.iter().all(|row| row["name"].is_string()), "{document:#}");
    assert_eq!(document["a"]["run_id"], "fork-two-modules");
}

#[test]
fn files_that_are_no_reports_are_a_usage_error_that_names_them() {
    let cases = [("{}", "`schema`"), ("no json", "as JSON"), ("{\"schema\":\"sandfork.report.v1\"}", "`run_id`")];
    for (text, why) in cases {
        let ran = Run::args(["compare", "a.json", "a.json", "--json"]).file("a.json", text).go().expect_code(2);
        assert!(ran.stderr.contains("a.json is no report") && ran.stderr.contains(why), "{}", ran.stderr);
        assert_eq!(ran.report()["error"]["code"], "invalid_report");
    }
    Run::args(["compare", "missing.json", "missing.json"]).go().expect_code(2);
}
