//! The agents that lie in `guest-agents`: each is built, holds to its own cases, imports nothing but our interface, and runs
//! its own plan. Which there are is found by walking.

use crate::harness::{Run, built, repository};
use serde_json::Value;
use std::path::PathBuf;

/// The directories of all of them, their components built: the plan of one may name another.
fn shipped() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(repository().join("guest-agents")).expect("guest-agents");
    let mut all: Vec<(String, PathBuf)> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("agent.yaml").is_file())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    all.sort();
    assert!(all.iter().any(|(name, _)| name == "researcher"), "they lie elsewhere now");
    for (name, _) in &all {
        built(name);
    }
    all
}

#[test]
fn every_shipped_agent_holds_to_its_own_cases() {
    for (name, path) in shipped() {
        let path = path.display().to_string();
        let ran = Run::args(["test", &path, "--no-build", "--json"]).with_kept_code().go().expect_code(0);
        let document = ran.report();
        assert!(document["cases"].as_array().is_some_and(|cases| !cases.is_empty()), "{name} has no case");
        assert_eq!(document["failed"], 0, "{name}: {document:#}");
    }
}

// HOSTILE 24
#[test]
fn every_shipped_agent_imports_our_interface_and_nothing_else() {
    for (name, _) in shipped() {
        let component = built(&name).display().to_string();
        let document = Run::args(["inspect", &component, "--json"]).go().expect_code(0).report();
        let imports = document["imports"].as_array().expect("a list").iter().filter_map(Value::as_str);
        let ours = |name: &&str| *name != "instance sandfork:agent/orchestrator@0.1.0" && !name.starts_with("type ");
        assert_eq!(imports.filter(ours).collect::<Vec<_>>(), Vec::<&str>::new(), "{name}");
        assert_eq!((&document["loadable"], &document["departures"]), (&true.into(), &serde_json::json!([])), "{name}");
        assert_eq!(document["manifest"]["name"], name);
    }
}

// Under virtual time: the same bytes on one worker and on two.
#[test]
fn every_shipped_plan_runs_to_its_end() {
    let mut plans = 0;
    for (name, path) in shipped() {
        let plan = path.join("plan.yaml");
        if !plan.is_file() {
            continue;
        }
        plans += 1;
        let run = |workers: &str| {
            let plan = plan.display().to_string();
            let ran = Run::args(["run", &plan, "--virtual-time", "--workers", workers]).with_kept_code().json();
            // A pair that is stopped by the depth has done what it is there for.
            let code = if name.starts_with("loop_") { 3 } else { 0 };
            ran.expect_code(code).stdout
        };
        assert_eq!(run("1"), run("2"), "{name}");
    }
    assert!(plans >= 5, "{plans}");
}
