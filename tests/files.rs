//! `compile`, `check` and `inspect`: what they say about files, without running one.

use crate::harness::{Run, fixture, needs_building};
use serde_json::Value;

const SCRIPT: &str = "agent: a\ndescription: Says done\nturns:\n  - say: Hello.\n    return: { reply: done }\n";
const PLAN: &str = "run: demo\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: go }\n";

fn compiled() -> Vec<u8> {
    let ran = Run::args(["compile", "a.yaml", "-o", "a.wasm"]).file("a.yaml", SCRIPT).go().expect_code(0);
    std::fs::read(ran.path("a.wasm")).expect("written")
}

// HOSTILE 39
#[test]
fn a_compiled_script_runs_from_its_component_alone_with_the_same_outcome() {
    let outcome = |run: Run| {
        let ran = run.arg("--virtual-time").json().expect_code(0);
        let events = std::fs::read_to_string(ran.path("events.jsonl")).expect("events");
        (ran.stdout.clone(), events)
    };
    let from_source = outcome(Run::plan(PLAN).file("a.yaml", SCRIPT));
    let from_component =
        outcome(Run::plan(&PLAN.replace("script: a.yaml", "component: a.wasm")).file("a.wasm", compiled()));
    assert_eq!(from_source, from_component);
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    assert_eq!(compiled(), compiled());
}

#[test]
fn a_script_that_does_not_compile_leaves_no_component() {
    let ran = Run::args(["compile", "a.yaml", "-o", "a.wasm"]).file("a.yaml", "agent: a\ntruns: []\n").go();
    let ran = ran.expect_code(2);
    assert!(ran.stderr.contains("a.yaml:2:1"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(ran.home()).expect("there").count(), 1, "only the script is there");
}

#[test]
fn check_recognises_a_file_by_what_is_in_it() {
    let ran = Run::args(["check", "one", "two", "three"])
        .file("one", PLAN)
        .file("a.yaml", SCRIPT)
        .file("two", SCRIPT)
        .file("three", compiled())
        .go()
        .expect_code(0);
    assert_eq!(ran.stdout, "one: plan, ok\ntwo: script, ok\nthree: component, ok\n");
}

#[test]
fn check_of_a_plan_looks_into_its_scripts_and_components() {
    let broken_script = Run::args(["check", "plan.yaml"]).file("plan.yaml", PLAN).file("a.yaml", "agent: a\n");
    assert!(broken_script.go().expect_code(2).stderr.contains("a.yaml:1:1"));
    let plan = PLAN.replace("script: a.yaml", "component: a.wasm");
    let broken = Run::args(["check", "plan.yaml", "--json"]).file("plan.yaml", plan).file("a.wasm", "nothing");
    let ran = broken.go().expect_code(2);
    assert_eq!(ran.report()["error"]["details"]["problems"][0]["file"], "a.wasm");
}

// HOSTILE 35
#[test]
fn check_of_what_is_neither_says_what_it_looked_for() {
    for text in ["", "[1, 2]", "other: 1\n", "\u{0}", "a: &x [*x]\n"] {
        let ran = Run::args(["check", "file", "--json"]).file("file", text).go().expect_code(2);
        assert_eq!(ran.report()["error"]["code"], "invalid_file", "{text:?}");
        assert!(ran.stderr.contains("file"), "{}", ran.stderr);
    }
    Run::args(["check", "."]).go().expect_code(2);
}

/// The YAML files one level below `fixtures/`, but for plans whose components are built first.
fn shipped() -> Vec<String> {
    let directories = std::fs::read_dir(fixture("")).expect("fixtures").map(|entry| entry.expect("an entry").path());
    let files = directories
        .filter(|path| path.is_dir() && !needs_building(path))
        .flat_map(|path| std::fs::read_dir(path).expect("readable"));
    let paths = files.map(|entry| entry.expect("an entry").path().display().to_string());
    paths.filter(|path| path.ends_with(".yaml")).collect()
}

#[test]
fn every_shipped_plan_and_script_can_be_right() {
    let files = shipped();
    assert!(!files.is_empty());
    let ran = Run::args(["check"]).with(files.clone()).go().expect_code(0);
    assert_eq!(ran.stdout.lines().count(), files.len());
}

// HOSTILE 24, 34
#[test]
fn inspect_names_imports_exports_and_manifest() {
    let ran = Run::args(["inspect", "a.wasm", "--json"]).file("a.wasm", compiled()).go().expect_code(0);
    let document = ran.report();
    let imports: Vec<&str> = document["imports"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(imports[0], "instance sandfork:agent/orchestrator@0.1.0");
    assert!(imports[1..].iter().all(|import| import.starts_with("type ")), "{imports:?}");
    assert_eq!(document["manifest"]["name"], "a");
    assert_eq!(document["loadable"], true);
    let words = Run::args(["inspect", "a.wasm"]).file("a.wasm", compiled()).go().expect_code(0).stdout;
    assert!(words.contains("sandfork:agent/orchestrator@0.1.0") && words.contains("loadable   yes"), "{words}");
}

#[test]
fn inspect_of_no_component_is_refused_by_name() {
    let ran = Run::args(["inspect", "a.wasm", "--json"]).file("a.wasm", "(component)").go().expect_code(2);
    assert_eq!(ran.report()["error"]["code"], "invalid_component");
}

#[test]
fn what_goes_in_is_never_written_over() {
    let script = "agent: a\nturns:\n  - return: {}\n";
    let plan = "run: p\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: g }\n";
    let ran = Run::args(["compile", "a.yaml", "-o", "./a.yaml"]).file("a.yaml", script).go().expect_code(2);
    assert_eq!(std::fs::read_to_string(ran.path("a.yaml")).expect("the script"), script);
    let ran = Run::plan(plan).file("a.yaml", script).with(["--events", "plan.yaml"]).go().expect_code(2);
    assert_eq!(std::fs::read_to_string(ran.path("plan.yaml")).expect("the plan"), plan);
}

#[cfg(unix)]
#[test]
fn a_workspace_that_cannot_be_copied_leaves_nothing_behind() {
    let plan = "run: p\nagents:\n  a: { script: a.yaml }\nworkspace: ws\nroot: { agent: a, goal: g }\n";
    let run = Run::plan(plan).file("a.yaml", "agent: a\nturns:\n  - return: {}\n").file("ws/some.txt", "x");
    let ran = run.link("ws/out", "/etc").go().expect_code(2);
    let left = std::fs::read_dir(ran.path("state/runs")).map(Iterator::count).unwrap_or(0);
    assert_eq!(left, 0, "half a copy");
}

#[test]
fn a_check_warns_of_what_an_agent_asks_for_and_its_entry_does_not_list() {
    let plan = "run: across\nagents:\n  a: { script: a.yaml, tools: [read_file] }\n  b: { script: a.yaml, tools: \
                [read_file, edit_file], spawn: [self] }\nroot: { agent: a, goal: \"g\" }\n";
    let script = "agent: a\ntools: [read_file, edit_file]\nspawn: [self]\nturns:\n  - return: {}\n";
    let check = |args: &[&str]| {
        Run::args(["check", "plan.yaml"]).with(args.to_vec()).file("plan.yaml", plan).file("a.yaml", script).go()
    };
    let ran = check(&[]).expect_code(0);
    assert_eq!(ran.stderr.matches("warning: ").count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("add edit_file to agents.a.tools in the plan"), "{}", ran.stderr);
    assert!(ran.stderr.contains("add self to agents.a.spawn in the plan"), "{}", ran.stderr);

    let document: serde_json::Value = serde_json::from_str(&check(&["--json"]).expect_code(0).stdout).expect("JSON");
    assert_eq!(document["warnings"].as_array().map(Vec::len), Some(2));
    let refused = Run::plan(plan).file("a.yaml", script).json().expect_code(1);
    assert_eq!(refused.report()["results"][0]["error"]["code"], "grant_exceeds_parent");
}
