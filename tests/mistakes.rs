//! What a newcomer gets wrong: the wrong kind of file, a name that is nobody's, an input that is not the agent's. Each is told
//! once, with what to do.

use crate::harness::Run;
use serde_json::Value;

const PLAN: &str = "run: demo\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: go }\n";
const SCRIPT: &str = "agent: a\nturns:\n  - return: { reply: done }\n";
const MANIFEST: &str = "agent: a\nlanguage: js\nversion: 0.1.0\ntools: [read_file]\nspawn: []\n";
const CASE: &str = "task: { goal: go }\ntools:\n  read_file: { script: [{ result: {} }] }\nexpect:\n  status: ok\n";

/// A directory with one of each.
fn with_all(args: &[&str]) -> Run {
    Run::args(args.iter().copied())
        .file("plan.yaml", PLAN)
        .file("a.yaml", SCRIPT)
        .file("a/agent.yaml", MANIFEST)
        .file("a/cases/first.yaml", CASE)
        .file("a.wasm", wat::parse_str("(component)").expect("a component"))
}

// HOSTILE 35
#[test]
fn a_file_of_another_kind_is_told_as_what_it_is_and_what_is_done_with_it() {
    for (args, message, hint) in [
        (["run", "a.yaml"].as_slice(), "a.yaml is a script, not a plan", "script: a.yaml"),
        (&["run", "a.wasm"], "a.wasm is a component, not a plan", "component: a.wasm"),
        (&["run", "a/agent.yaml"], "a/agent.yaml is the manifest of an agent project, not a plan", "sandfork test"),
        (&["explain", "a/cases/first.yaml"], "is a file of cases, not a plan", "sandfork test"),
        (&["bench", "a"], "a is the directory of an agent project, not a plan", "plan.yaml beside"),
        (&["compile", "plan.yaml", "-o", "x.wasm"], "plan.yaml is a plan, not a script", "sandfork run"),
        (&["compile", "a/agent.yaml", "-o", "x.wasm"], "not a script", "sandfork build"),
        (&["inspect", "a.yaml"], "a.yaml is a script, not a component", "sandfork compile a.yaml"),
    ] {
        let ran = with_all(args).go().expect_code(2);
        let lines: Vec<&str> = ran.stderr.lines().collect();
        assert!(lines.len() == 2 && lines[0].contains(message) && lines[1].contains(hint), "{args:?}: {}", ran.stderr);
    }
    // What is a plan and wrong is told as before, whatever else its keys could be.
    let ran = Run::plan("run: demo\nagents: {}\ntask: []\n").go().expect_code(2);
    assert!(ran.stderr.contains("plan.yaml:3:1: unknown key `task`"), "{}", ran.stderr);
}

#[test]
fn manifests_cases_and_whole_projects_can_be_checked() {
    let told = with_all(&["check", "a/agent.yaml", "a/cases/first.yaml", "a", "plan.yaml"]).go().expect_code(0).stdout;
    let wanted = "a/agent.yaml: manifest, ok\na/cases/first.yaml: cases, ok\na: project, ok\nplan.yaml: plan, ok\n";
    assert_eq!(told, wanted);
    let misspelt = MANIFEST.replace("read_file", "read_fiel");
    let ran = with_all(&["check", "a"]).file("a/agent.yaml", &misspelt).go().expect_code(2);
    assert!(ran.stderr.contains("a/cases/first.yaml:3:3: the case answers `read_file`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `read_fiel`?"), "{}", ran.stderr);
    let ran = with_all(&["check", "a/agent.yaml"]).file("a/agent.yaml", &misspelt).go().expect_code(0);
    assert!(ran.stderr.contains("warning: a/agent.yaml: `read_fiel` is no built-in tool"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `read_file`?"), "{}", ran.stderr);
    let ran = with_all(&["check", "."]).go().expect_code(2);
    assert!(ran.stderr.contains("a directory without an agent.yaml"), "{}", ran.stderr);
    let ran = with_all(&["check", "nowhere.yaml"]).go().expect_code(2);
    assert!(ran.stderr.contains("nowhere.yaml: the file cannot be read: no such file\n"), "{}", ran.stderr);
}

#[test]
fn a_task_for_an_agent_that_is_not_there_is_a_warning_with_the_name_that_was_meant() {
    let plan =
        "run: demo\ngoal: go\nagents:\n  reader: { script: a.yaml }\ntasks:\n  - { id: x, agent: raeder, goal: go }\n";
    let ran = with_all(&["check", "plan.yaml"]).file("plan.yaml", plan).go().expect_code(0);
    assert!(ran.stderr.contains("warning: the task `x` is for the agent `raeder`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: did you mean `reader`?"), "{}", ran.stderr);
}

#[test]
fn a_context_that_is_not_what_the_manifest_asks_for_is_a_warning() {
    let script = "agent: a\nturns: []\n";
    let made = Run::args(["compile", "a.yaml", "-o", "a.wasm"]).file("a.yaml", script).go().expect_code(0);
    let component = std::fs::read(made.path("a.wasm")).expect("the component");
    let manifest = r#"{"interface":"sandfork:agent@0.1.0","name":"a","tools":[],"input_schema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}}"#;
    let component = sandfork::project::with_manifest(&component, manifest.as_bytes()).expect("a component");
    let check = |context: &str| {
        let plan = format!(
            "run: demo\nagents:\n  a: {{ component: a.wasm }}\nroot: {{ agent: a, goal: go, context: {context} }}\n"
        );
        Run::args(["check", "plan.yaml"]).file("plan.yaml", plan).file("a.wasm", &component).go().expect_code(0).stderr
    };
    assert_eq!(check("{ path: x }"), "");
    for (context, words) in [("{}", "\"path\" is a required property"), ("{ path: 7 }", "at /path: 7 is not of type")] {
        let told = check(context);
        assert!(told.contains("warning: a.wasm: the context of `root`") && told.contains(words), "{context}: {told}");
    }
}

#[test]
fn a_limit_of_the_run_is_named_as_one_and_advice_is_given_once() {
    let agents = "agent: a\nspawn: [b]\nturns:\n  - say: one\n    do:\n      - spawn:\n          - { agent: b, goal: g }\n  - say: two\n";
    let run = |limits: [&str; 2]| {
        let plan = "run: demo\nagents:\n  a: { script: a.yaml, spawn: [b] }\n  b: { script: b.yaml }\nroot: { agent: a, goal: go }\n";
        let slow = "agent: b\nturns:\n  - think: 1m\n    return: 1\n";
        Run::plan(plan)
            .file("a.yaml", agents)
            .file("b.yaml", slow)
            .with(limits)
            .with(["-q", "--virtual-time"])
            .go()
            .stdout
    };
    let calls = run(["--limit", "model_calls=1"]);
    assert!(calls.contains("hint: raise it with --limit model_calls=N"), "{calls}");
    let deadline = run(["--limit", "deadline=2s"]);
    assert!(
        deadline.contains("no more were left to give: raise its parent's `timeout`, or limits.deadline"),
        "{deadline}"
    );
    let depth = run(["--limit", "max_depth=0"]);
    assert_eq!(depth.matches("--limit max_depth=").count(), 1, "{depth}");
}

#[test]
fn a_component_that_needs_wasi_says_in_the_run_what_it_says_when_it_is_checked() {
    let component = r#"(component (import "wasi:cli/environment@0.2.0" (instance)))"#;
    let plan = "run: demo\nagents:\n  a: { component: a.wasm }\nroot: { agent: a, goal: go }\n";
    let run = Run::plan(plan).file("a.wasm", wat::parse_str(component).expect("a component")).arg("-q");
    let told = run.go().expect_code(1).stdout;
    assert!(
        told.contains("wasi:cli/environment@0.2.0") && told.contains("hint: ") && told.contains("`wasi: denied`"),
        "{told}"
    );
}

#[test]
fn what_is_no_event_log_is_told_as_that() {
    let told = with_all(&["events", "plan.yaml"]).go().expect_code(1).stdout;
    assert!(told.contains("hint: this is no event log") && !told.contains("at line 1 column"), "{told}");
}

#[test]
fn the_summary_shows_what_the_run_came_to() {
    let told = with_all(&["run", "plan.yaml", "-q"]).go().expect_code(0).stdout;
    assert!(told.contains("\nresult: {\"reply\":\"done\"}\n"), "{told}");
}

// GV-46
#[test]
fn explain_tells_what_follows_a_bad_end_and_why_a_root_holds_so_much() {
    let plan = "run: demo\ngoal: go\nagents:\n  a: { script: a.yaml }\ntasks:\n  - { id: x, agent: a, goal: go, retries: 1, on_failure: skip, review: { agent: a, max_returns: 3 } }\n";
    let told = with_all(&["explain", "plan.yaml", "x"]).file("plan.yaml", plan).go().expect_code(0).stdout;
    assert!(told.contains("  accepted  by a, who may send it back 3 times\n"), "{told}");
    assert!(told.contains("  if bad    done again, at most once; then the run goes on without it"), "{told}");
    let document = with_all(&["explain", "plan.yaml", "x", "--json"]).file("plan.yaml", plan).go().expect_code(0);
    let document: Value = serde_json::from_str(&document.stdout).expect("a document");
    assert_eq!(document["forks"][0]["follows"]["retry"]["times"], 1);
    let root = with_all(&["explain", "plan.yaml"]).go().expect_code(0).stdout;
    assert!(root.contains("a root is given the run's whole tank"), "{root}");
}

#[test]
fn an_artifact_without_its_version_and_a_run_without_its_number_are_told_what_there_is() {
    let script = "agent: a\ntools: [artifact_put]\nturns:\n  - do:\n      - { tool: artifact_put, with: { name: report, text: x } }\n  - return: 1\n";
    let plan = PLAN.replace("a.yaml }", "a.yaml, tools: [artifact_put] }");
    let ran = with_all(&["run", "plan.yaml", "-q"]).file("plan.yaml", plan).file("a.yaml", script).go().expect_code(0);
    let ask = |args: &[&str]| {
        let mut command = Run::args(["artifacts"]).with(args.iter().copied()).command();
        let output = command.current_dir(ran.home()).output().expect("the binary starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(
        ask(&["demo-1", "report"]).contains("say which version of report: report/v1"),
        "{}",
        ask(&["demo-1", "report"])
    );
    assert!(ask(&["demo"]).contains("; there is demo-1"), "{}", ask(&["demo"]));
}
