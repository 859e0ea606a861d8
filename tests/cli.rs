//! The command line itself: help, exit codes, error documents. What a run does is proved elsewhere.

use crate::harness::Run;
use serde_json::Value;

/// The smallest plan that completes, and its script.
const PLAN: &str = "run: demo\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: go }\n";
const SCRIPT: &str = "agent: a\nturns:\n  - return: { reply: done }\n";

const COMMANDS: [&str; 12] = [
    "run",
    "bench",
    "compile",
    "check",
    "inspect",
    "new",
    "build",
    "test",
    "artifacts",
    "cache",
    "schema",
    "completions",
];

#[test]
fn help_of_every_command_has_examples_and_goes_to_stdout() {
    let top = Run::args(["--help"]).go().expect_code(0);
    assert!(top.stdout.contains("Examples:") && top.stdout.contains("Exit codes:"), "{}", top.stdout);
    for command in COMMANDS {
        assert!(top.stdout.contains(&format!("\n  {command}")), "{command} is not listed:\n{}", top.stdout);
        let help = Run::args([command, "--help"]).go().expect_code(0);
        assert!(help.stdout.contains("Example"), "{command}:\n{}", help.stdout);
        assert!(help.stderr.is_empty(), "{}", help.stderr);
    }
}

#[test]
fn completions_exist_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = Run::args(["completions", shell]).go().expect_code(0);
        assert!(ran.stdout.contains("sandfork") && ran.stdout.contains("virtual-time"), "{shell}");
    }
}

#[test]
fn an_unknown_flag_is_a_usage_error_that_leads_to_help() {
    let ran = Run::args(["run", "plan.yaml", "--virtual-tme"]).go().expect_code(2);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    assert!(ran.stderr.contains("--virtual-tme") && ran.stderr.contains("--help"), "{}", ran.stderr);
}

#[test]
fn with_json_a_usage_error_is_a_document_too() {
    let ran = Run::args(["run", "--json"]).go().expect_code(2);
    let document = ran.report();
    assert_eq!(document["schema"], "sandfork.error.v1");
    assert_eq!(document["error"]["code"], "usage");
    assert!(ran.stderr.contains("PLAN"), "{}", ran.stderr);
}

#[test]
fn no_command_at_all_shows_help_and_is_a_usage_error() {
    let ran = Run::args(Vec::<String>::new()).go().expect_code(2);
    assert!(ran.stderr.contains("Usage: sandfork"), "{}", ran.stderr);
}

#[test]
fn a_plan_that_is_not_there_is_named() {
    let ran = Run::args(["run", "nowhere.yaml", "--json"]).go().expect_code(2);
    let document = ran.report();
    assert_eq!(document["error"]["code"], "invalid_plan");
    assert!(document.to_string().contains("nowhere.yaml"), "{document}");
    assert!(ran.stderr.contains("nowhere.yaml"), "{}", ran.stderr);
}

// HOSTILE 35
#[test]
fn a_wrong_plan_is_refused_with_its_place() {
    let ran = Run::plan("run: demo\nagnts: {}\n").arg("--json").go().expect_code(2);
    let document = ran.report();
    assert_eq!(document["error"]["code"], "invalid_plan");
    let problems = document["error"]["details"]["problems"].as_array().expect("a list");
    let unknown = problems.iter().find(|one| one["message"].as_str().is_some_and(|words| words.contains("agnts")));
    let unknown = unknown.expect("the unknown key is among them");
    assert_eq!((&unknown["file"], &unknown["line"]), (&Value::from("plan.yaml"), &Value::from(2)));
    assert!(ran.stderr.contains("plan.yaml:2:1"), "{}", ran.stderr);
    assert!(!ran.path("state").join("runs").exists(), "nothing ran, so nothing is kept");
}

#[test]
fn a_wrong_limit_or_value_on_the_command_line_is_a_usage_error() {
    for wrong in [["--limit", "max_dpth=3"], ["--limit", "max_depth=x"], ["--set", "rot.goal=x"], ["--set", "goal"]] {
        let ran = Run::plan(PLAN).file("a.yaml", SCRIPT).with(wrong).arg("--json").go().expect_code(2);
        assert!(
            ran.report().to_string().contains(wrong[1].split('=').next().unwrap_or("")),
            "{wrong:?}: {}",
            ran.stdout
        );
    }
}

#[test]
fn a_run_id_that_could_leave_the_state_directory_is_refused() {
    let ran = Run::plan(PLAN).file("a.yaml", SCRIPT).with(["--run-id", "../x"]).arg("--json").go().expect_code(2);
    assert_eq!(ran.report()["error"]["code"], "usage");
    assert!(!ran.path("x").exists());
}

#[test]
fn schemas_are_json_schemas() {
    for of in ["plan", "script", "task", "report", "event"] {
        let ran = Run::args(["schema", of]).go().expect_code(0);
        let schema: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{of}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{of}");
    }
}

#[test]
fn the_defaults_can_be_pasted_into_a_plan() {
    let defaults = Run::args(["schema", "defaults"]).go().expect_code(0).stdout;
    for line in ["  max_depth: 2 ", "  max_tasks: 16 ", "  max_concurrency: 8 ", "  timeout: 10s ", "  memory: 64MiB "]
    {
        assert!(defaults.contains(line), "{line:?} is not in\n{defaults}");
    }
    let plan = format!("{PLAN}{defaults}");
    Run::args(["check", "plan.yaml"]).file("plan.yaml", plan).file("a.yaml", SCRIPT).go().expect_code(0);
}
