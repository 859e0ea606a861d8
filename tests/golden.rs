//! Components that were compiled when a version of the interface was published, and are never built again: every host runs
//! them. Which versions there are is found by walking `fixtures/golden`.

use crate::harness::{Ran, Run, fixture};
use sandfork_model::sha256_hex;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn published() -> Vec<PathBuf> {
    let mut versions: Vec<PathBuf> = std::fs::read_dir(fixture("golden"))
        .expect("fixtures/golden")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    versions.sort();
    assert!(!versions.is_empty(), "no version was published");
    versions
}

/// The run is `partial`: the fork below fails as it is asked to.
fn run(version: &Path) -> Ran {
    let plan = version.join("plan.yaml").display().to_string();
    Run::args(["run", &plan, "--virtual-time"]).json().expect_code(3)
}

#[test]
fn a_golden_component_is_the_one_that_was_published() {
    for version in published() {
        let component = std::fs::read(version.join("golden.wasm")).expect("a component");
        let line = std::fs::read_to_string(version.join("golden.wasm.sha256")).expect("a digest");
        assert_eq!(line.trim_end(), format!("{}  golden.wasm", sha256_hex(&component)), "{}", version.display());
    }
}

// OR-09, OR-10
#[test]
fn a_golden_component_still_runs_and_sees_what_it_saw() {
    for version in published() {
        let ran = run(&version);
        let seen = std::fs::read_to_string(version.join("output.json")).expect("what it saw");
        let seen: Value = serde_json::from_str(&seen).expect("JSON");
        assert_eq!(ran.report()["merged"], seen, "{}", version.display());
        let below = ran.result("root/below");
        assert_eq!(below["error"]["details"]["code"], json!("asked_to_fail"));
        assert_eq!(below["error"]["details"]["details"], json!({ "asked": true }));
        assert_eq!(ran.result("root")["notes"], json!(1));
    }
}

#[test]
fn a_golden_component_burns_the_same_fuel_in_every_run() {
    for version in published() {
        let (one, other) = (run(&version), run(&version));
        assert_eq!(one.stdout, other.stdout, "{}", version.display());
    }
}
