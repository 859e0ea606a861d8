//! The direction of the rooms: words below, rooms beside each other, the facade above. A room that reaches into another is
//! found here, not in a review.

use crate::harness::repository;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// The rooms that any room may know.
const SHARED: [&str; 2] = ["sandfork-model", "sandfork-source"];
/// The only crate that sees them all.
const FACADE: &str = "sandfork";

/// Crate name to the names of its dependencies of one kind: `null` for ordinary, `"dev"` for tests.
fn dependencies(kind: &Value) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1"])
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    packages
        .iter()
        .map(|package| {
            let all = package["dependencies"].as_array().expect("dependencies").iter();
            (name(package), all.filter(|one| &one["kind"] == kind).map(name).collect())
        })
        .collect()
}

fn is_room(name: &str) -> bool {
    name == FACADE || name.starts_with("sandfork-")
}

#[test]
fn rooms_know_the_words_and_not_each_other() {
    for (room, knows) in dependencies(&Value::Null) {
        for other in knows.iter().filter(|name| is_room(name)) {
            let is_allowed = room == FACADE || SHARED.contains(&other.as_str());
            assert!(is_allowed, "{room} must not depend on {other}");
        }
    }
}

#[test]
fn the_words_know_nothing_that_runs() {
    let knows = dependencies(&Value::Null);
    for crate_name in SHARED {
        for heavy in ["tokio", "wasmtime", "clap", "tracing"] {
            assert!(!knows[crate_name].iter().any(|name| name == heavy), "{crate_name} must not depend on {heavy}");
        }
    }
    assert!(!knows["sandfork-model"].iter().any(|name| is_room(name)), "the words know no room");
}

#[test]
fn only_the_sandbox_room_knows_wasmtime() {
    for (room, knows) in dependencies(&Value::Null) {
        if room != "sandfork-sandbox" {
            assert!(!knows.iter().any(|name| name.starts_with("wasmtime")), "{room} must not depend on wasmtime");
        }
    }
}

#[test]
fn the_facade_sees_every_room() {
    let knows = dependencies(&Value::Null);
    for room in knows.keys().filter(|name| name.as_str() != FACADE) {
        assert!(knows[FACADE].contains(room), "{FACADE} does not wire {room}");
    }
}
