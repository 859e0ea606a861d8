//! Every shipped plan with its expected report beside it. A change of any figure shows up as a changed snapshot.

use crate::harness::{Run, fixture, needs_building};
use serde_json::Value;

/// The plans, found by walking: a new fixture is tested without being listed.
fn plans() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for directory in std::fs::read_dir(fixture("")).expect("fixtures").map(|entry| entry.expect("an entry").path()) {
        if needs_building(&directory) {
            continue;
        }
        for file in std::fs::read_dir(&directory).into_iter().flatten().map(|entry| entry.expect("an entry").path()) {
            let text = if file.extension().is_some_and(|ending| ending == "yaml") {
                std::fs::read_to_string(&file).expect("a text")
            } else {
                continue;
            };
            if text.lines().any(|line| line.starts_with("virtual: true")) {
                let name = |path: &std::path::Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
                found.push((name(&directory), name(&file)));
            }
        }
    }
    found.sort();
    found
}

// HOSTILE 38, M4-35, OR-58
#[test]
fn every_virtual_plan_gives_its_expected_report_with_one_and_two_workers() {
    let plans = plans();
    assert!(plans.len() >= 12, "{plans:?}");
    for (directory, plan) in plans {
        let run = |workers: &str| {
            let ran =
                Run::fixture(&format!("{directory}/{plan}.yaml")).with(["--virtual-time", "--workers", workers]).json();
            let events = std::fs::read_to_string(ran.path("events.jsonl")).expect("events");
            (ran.stdout, events)
        };
        let (report, events) = run("1");
        assert_eq!(run("2"), (report.clone(), events), "{directory}/{plan}");
        let report: Value = serde_json::from_str(&report).expect("a report");
        assert_eq!(report["usage"]["ledger_whole"], true, "{directory}/{plan}");
        insta::with_settings!({
            snapshot_path => fixture(&directory), prepend_module_to_snapshot => false, omit_expression => true,
        }, {
            let text = serde_json::to_string_pretty(&report).expect("a text");
            insta::assert_snapshot!(plan.as_str(), text);
        });
    }
}
