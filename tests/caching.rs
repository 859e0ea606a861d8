//! Compiled code between runs: a run finds what an earlier one compiled, reports the same bytes either way, and two at once share
//! one cache.

use crate::harness::{Ran, Run};
use std::path::Path;
use tempfile::TempDir;

const PLAN: &str = "run: kept\nagents:\n  lead: { script: lead.yaml, spawn: [calls], delegate: [hammer] }\n  \
                    calls: { component: calls.wasm, tools: [hammer], spawn: [child] }\n  child: { script: child.yaml }\n\
                    tools: { hammer: { script: [{ result: [1] }] } }\nroot: { agent: lead, goal: g }\n";
const LEAD: &str = "agent: lead\nturns:\n  - do:\n      - { spawn: [{ agent: calls, goal: g }], as: done }\n    \
                    return: { got: \"${done[0].output}\" }\n";
const CHILD: &str = "agent: child\nturns:\n  - return: [1]\n";
/// What the host says on stderr when it did not have to compile.
const FOUND: &str = "compiled code was kept";

/// A run with its state in a directory that outlives it.
fn run(state: &Path) -> Run {
    Run::plan(PLAN)
        .file("lead.yaml", LEAD)
        .file("child.yaml", CHILD)
        .guest("calls")
        .env("SANDFORK_STATE_DIR", &state.display().to_string())
        .env("RUST_LOG", "sandfork_sandbox=debug")
        .arg("--virtual-time")
}

fn found(ran: &Ran) -> usize {
    ran.stderr.matches(FOUND).count()
}

fn kept(state: &Path) -> usize {
    std::fs::read_dir(state.join("cache/code")).map_or(0, Iterator::count)
}

#[test]
fn a_second_run_compiles_nothing_and_reports_the_same_bytes() {
    let state = TempDir::new().expect("a directory");
    let first = run(state.path()).json().expect_code(0);
    assert_eq!((found(&first), kept(state.path())), (0, 3), "{}", first.stderr);
    let second = run(state.path()).json().expect_code(0);
    assert_eq!(found(&second), 3, "{}", second.stderr);
    let off = run(state.path()).env("SANDFORK_CACHE", "off").json().expect_code(0);
    assert_eq!(found(&off), 0, "{}", off.stderr);
    for other in [&second, &off] {
        assert_eq!(other.stdout, first.stdout);
        assert_eq!(other.events(), first.events());
    }
}

#[test]
fn switched_off_nothing_is_made() {
    let state = TempDir::new().expect("a directory");
    run(state.path()).with(["--cache", "off"]).json().expect_code(0);
    assert!(!state.path().join("cache").exists());
}

#[test]
fn two_processes_at_once_share_one_cache() {
    let state = TempDir::new().expect("a directory");
    let runs = ["one", "two"].map(|id| run(state.path()).with(["--run-id", id, "--json"]));
    let started =
        runs.each_ref().map(|run| run.command().stdout(std::process::Stdio::piped()).spawn().expect("it starts"));
    let ended = started.map(|process| process.wait_with_output().expect("it ends"));
    assert!(ended.iter().all(|output| output.status.success()));
    assert_eq!(kept(state.path()), 3, "each once, and nothing unfinished");
    let after = run(state.path()).json().expect_code(0);
    assert_eq!(found(&after), 3, "{}", after.stderr);
}

#[test]
fn spoilt_code_is_compiled_again_and_changes_nothing() {
    let state = TempDir::new().expect("a directory");
    let first = run(state.path()).json().expect_code(0);
    for entry in std::fs::read_dir(state.path().join("cache/code")).expect("there") {
        let path = entry.expect("an entry").path();
        let mut bytes = std::fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        std::fs::write(&path, bytes).expect("written");
    }
    let second = run(state.path()).json().expect_code(0);
    assert_eq!((found(&second), &second.stdout), (0, &first.stdout));
}
