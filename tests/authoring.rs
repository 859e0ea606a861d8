//! An agent of one's own, from the commands alone: new, build, test, run, in each language. What a language needs is installed by
//! the one command that `build` itself names; Rust's target by `guest-agents/toolchain`. Each project is made and built once.

use crate::harness::{Run, install, repository, wanted};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

const LANGUAGES: [&str; 4] = ["rust", "js", "ts", "python"];

/// A project that was made and built by the commands.
struct Made {
    home: TempDir,
    dir: PathBuf,
}

/// Runs the binary in a directory.
fn sandfork(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandfork"));
    // Beside the project: what a run leaves must not be there while somebody copies it.
    command.args(args).current_dir(dir).env("SANDFORK_STATE_DIR", "../state").stdin(Stdio::null());
    // The target directory of the tests themselves is not where an agent is built.
    command.env_remove("CARGO_TARGET_DIR").env_remove("RUST_LOG").output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn ok(what: &str, output: Output) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
    out
}

/// The project of a language, made and built when the first test asks for it.
fn project(language: &str) -> &'static Made {
    static ALL: [OnceLock<Made>; 4] = [const { OnceLock::new() }; 4];
    let index = LANGUAGES.iter().position(|name| *name == language).expect("a language");
    ALL[index].get_or_init(|| make(language))
}

fn make(language: &str) -> Made {
    let home = tempfile::tempdir().expect("a directory");
    let told = ok("new", sandfork(home.path(), &["new", "--lang", language, "my-agent"]));
    assert!(told.contains("cd my-agent\n") && told.contains("sandfork build\n"), "{told}");
    let dir = home.path().join("my-agent");
    if language == "rust" {
        // Finds the target, or makes a private compiler that has it.
        let script = repository().join("guest-agents/toolchain");
        ok("toolchain", Command::new(script).stdin(Stdio::null()).output().expect("the script starts"));
    } else {
        // A fresh project has nothing installed; what build says is all that a newcomer has.
        let refused = sandfork(home.path(), &["build", "my-agent"]);
        let command = wanted(&refused).unwrap_or_else(|| panic!("{}", text(&refused.stderr)));
        install(&command, home.path());
    }
    let built = sandfork(&dir, &["build"]);
    let said = text(&built.stderr);
    ok("build", built);
    assert!(said.contains("built in"), "{said}");
    Made { home, dir }
}

/// A project's way from its fresh build to a run.
fn is_ready_to_go(language: &str) {
    let made = project(language);
    let tested = ok("test", sandfork(&made.dir, &["test"]));
    assert!(tested.contains("my-agent: 3 passed\n") && tested.matches("ok ").count() == 3, "{tested}");
    let report = ok("run", sandfork(&made.dir, &["run", "plan.yaml", "--json"]));
    let report: Value = serde_json::from_str(&report).expect("a report");
    assert_eq!(report["status"], "completed");
    let size = std::fs::metadata(made.dir.join("workspace/todo.txt")).expect("there").len();
    assert_eq!(report["results"][0]["output"]["bytes"], size, "{report:#}");
}

#[test]
fn a_newcomer_gets_from_new_to_run_in_rust() {
    is_ready_to_go("rust");
}

#[test]
fn a_newcomer_gets_from_new_to_run_in_javascript() {
    is_ready_to_go("js");
}

#[test]
fn a_newcomer_gets_from_new_to_run_in_typescript() {
    is_ready_to_go("ts");
}

#[test]
fn a_newcomer_gets_from_new_to_run_in_python() {
    is_ready_to_go("python");
}

// HOSTILE 24
#[test]
fn every_template_imports_our_interface_and_nothing_else_and_carries_its_manifest() {
    for language in LANGUAGES {
        let made = project(language);
        let document = ok("inspect", sandfork(&made.dir, &["inspect", "build/my-agent.wasm", "--json"]));
        let document: Value = serde_json::from_str(&document).expect("JSON");
        let imports = document["imports"].as_array().expect("a list").iter().filter_map(Value::as_str);
        let other: Vec<&str> = imports
            .filter(|name| *name != "instance sandfork:agent/orchestrator@0.1.0" && !name.starts_with("type "))
            .collect();
        assert_eq!(other, Vec::<&str>::new(), "{language}");
        assert_eq!(document["departures"], serde_json::json!([]), "{language}");
        assert_eq!(document["loadable"], true, "{language}");
        let manifest = &document["manifest"];
        assert_eq!((&manifest["name"], &manifest["version"]), (&Value::from("my-agent"), &Value::from("0.1.0")));
        assert_eq!(manifest["tools"], serde_json::json!(["read_file"]), "{language}");
        let words = ok("inspect", sandfork(&made.dir, &["inspect", "build/my-agent.wasm"]));
        assert!(words.contains("by its manifest it calls, if a plan grants them: read_file"), "{words}");
        assert!(words.contains("no file, clock, randomness, network or environment"), "{words}");
    }
}

#[test]
fn only_what_changed_is_built_again() {
    let made = copy("js");
    let dir = made.dir.as_path();
    let said = |args: &[&str]| {
        let output = sandfork(dir, args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    assert!(said(&["build"]).contains("up to date"));
    assert!(said(&["build", "--force"]).contains("built in"));
    std::fs::write(dir.join("README.md"), "changed").expect("written");
    std::fs::create_dir(dir.join("kept")).expect("made");
    std::fs::write(dir.join("kept/.gitignore"), "*\n").expect("written");
    std::fs::write(dir.join("kept/some.txt"), "x").expect("written");
    assert!(said(&["build"]).contains("up to date"), "what does not go in is no change");
    edit(&dir.join("agent.yaml"), "version: 0.1.0", "version: 0.2.0");
    assert!(said(&["build"]).contains("built in"), "the manifest goes in");
    let component = dir.join("build/my-agent.wasm");
    std::fs::write(&component, "not what was built").expect("written");
    assert!(said(&["build"]).contains("built in"), "somebody wrote over the component");
}

/// A built project to change at will, with a state directory of its own.
fn copy(language: &str) -> Made {
    let home = tempfile::tempdir().expect("a directory");
    // `-a` keeps links, which npm's programs are.
    let from = &project(language).dir;
    ok("cp", Command::new("cp").arg("-a").arg(from).arg(home.path()).output().expect("cp starts"));
    let dir = home.path().join("my-agent");
    Made { home, dir }
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{} has no `{from}`", path.display());
    std::fs::write(path, text.replacen(from, to, 1)).expect("written");
}

#[test]
fn a_wrong_program_is_told_in_its_toolchains_own_words() {
    let made = copy("ts");
    edit(&made.dir.join("agent.ts"), "file.bytes", "file.bites");
    let output = sandfork(&made.dir, &["build"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("my-agent: tsc failed") && said.contains("agent.ts(") && said.contains("bites"), "{said}");
    let tested = sandfork(&made.dir, &["test", "--json"]);
    assert_eq!(tested.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&tested.stdout).expect("a document");
    assert_eq!(document["error"]["code"], "build_failed");
}

#[test]
fn a_failed_case_shows_what_was_expected_and_what_came_and_update_accepts_it() {
    let made = copy("js");
    let dir = made.dir.as_path();
    let case = dir.join("cases/reads.yaml");
    let original = std::fs::read_to_string(&case).expect("the case");
    edit(&case, "bytes: 4 }\n  notes: 1", "bytes: 5 }\n  notes: 2");
    let failed = sandfork(dir, &["test"]);
    let told = text(&failed.stdout);
    assert_eq!(failed.status.code(), Some(1), "{told}");
    assert!(told.contains("FAILED") && told.contains("cases/reads.yaml:"), "{told}");
    let block = "        output.bytes\n          expected  5\n          got       4\n";
    assert!(told.contains(block) && told.contains("        notes\n          expected  2\n"), "{told}");
    assert!(told.contains("my-agent: 2 passed, 1 failed\n"), "{told}");
    let document = sandfork(dir, &["test", "--json", "--filter", "reads.yaml"]);
    let document: Value = serde_json::from_slice(&document.stdout).expect("one document");
    assert_eq!((&document["schema"], &document["failed"]), (&Value::from("sandfork.test.v1"), &Value::from(1)));
    assert_eq!(document["cases"].as_array().map(Vec::len), Some(1), "the filter");
    let difference = &document["cases"][0]["differences"][0];
    assert_eq!(difference, &serde_json::json!({ "path": "output.bytes", "expected": 5, "got": 4 }));
    assert!(ok("update", sandfork(dir, &["test", "--update"])).contains("updated"));
    assert!(ok("test", sandfork(dir, &["test"])).contains("3 passed"));
    let rewritten = std::fs::read_to_string(&case).expect("the case");
    let before = |text: &str| text.split("expect:").next().expect("a part").to_owned();
    assert_eq!(before(&rewritten), before(&original), "comments and everything else stay");
}

#[test]
fn a_case_may_stand_scripts_for_the_agents_that_are_forked() {
    let made = copy("js");
    let dir = made.dir.as_path();
    edit(&dir.join("agent.yaml"), "spawn: []", "spawn: [worker, absent]");
    let agent = "import { agent } from \"./sandfork.js\";\nexport const run = agent((task, host) => ({\n  \
                 ok: host.tool(\"fork_subagents\", { tasks: [{ agent: \"worker\", goal: \"w\" }] }).ok,\n}));\n";
    std::fs::write(dir.join("agent.js"), agent).expect("written");
    std::fs::write(
        dir.join("agent.yaml"),
        std::fs::read_to_string(dir.join("agent.yaml")).expect("it").split("output_schema").next().expect("a part"),
    )
    .expect("written");
    for file in ["reads.yaml", "refusals.yaml"] {
        std::fs::remove_file(dir.join("cases").join(file)).expect("removed");
    }
    let case = "task: { goal: go }\nagents:\n  worker:\n    turns:\n      - return: { done: true }\nexpect: { output: { ok: true } }\n";
    std::fs::write(dir.join("cases/forks.yaml"), case).expect("written");
    assert!(ok("test", sandfork(dir, &["test"])).contains("1 passed"));
    // A script that cannot be right is told where it stands in the case.
    std::fs::write(dir.join("cases/forks.yaml"), case.replace("return:", "retrun:")).expect("written");
    let wrong = sandfork(dir, &["test", "--no-build"]);
    let said = text(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(2), "{said}");
    assert!(said.contains("cases/forks.yaml:5:") && said.contains("retrun"), "{said}");
}

#[test]
fn nothing_of_a_case_is_left_in_the_state_directory() {
    let made = copy("js");
    ok("test", sandfork(&made.dir, &["test"]));
    let state = made.home.path().join("state");
    assert_eq!(std::fs::read_dir(state.join("cases")).expect("it was used").count(), 0);
    assert!(!state.join("runs").exists(), "a case is no run of the user's");
}

#[test]
fn a_missing_piece_is_named_with_the_one_command_that_installs_it() {
    for (language, piece, command) in [
        ("js", "componentize-qjs", "(cd 'my dir' && npm install)"),
        ("ts", "tsc", "(cd 'my dir' && npm install)"),
        (
            "python",
            "componentize-py",
            "(cd 'my dir' && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)",
        ),
    ] {
        let home = tempfile::tempdir().expect("a directory");
        ok("new", sandfork(home.path(), &["new", "--lang", language, "a", "--dir", "my dir"]));
        let output = sandfork(home.path(), &["build", "my dir"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{piece} is missing")), "{said}");
        assert!(said.contains(&format!("hint: run: {command}")), "{said}");
    }
}

#[test]
fn a_rust_project_without_the_target_says_what_to_run() {
    let home = tempfile::tempdir().expect("a directory");
    ok("new", sandfork(home.path(), &["new", "--lang", "rust", "a"]));
    // A compiler whose libraries lie in an empty directory, and no private one.
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).expect("made");
    let fake = "#!/bin/sh\ncase $1 in\n  -vV) echo 'rustc 1.95.0'; echo 'host: x86_64-unknown-linux-gnu';;\n  \
                *) dirname \"$0\";;\nesac\n";
    for name in ["rustc", "cargo", "wasm-component-ld"] {
        std::fs::write(bin.join(name), fake).expect("written");
        ok("chmod", Command::new("chmod").arg("+x").arg(bin.join(name)).output().expect("chmod starts"));
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a search path"));
    let mut command = Run::args(["build", "a"]).command();
    command.current_dir(home.path()).env("PATH", path).env("SANDFORK_GUEST_RUST", home.path().join("none"));
    let output = command.output().expect("the binary starts");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the target wasm32-unknown-unknown of rustc is missing"), "{said}");
    assert!(said.contains("hint: run: rustup target add wasm32-unknown-unknown"), "{said}");
}

#[test]
fn a_project_is_never_made_over_something() {
    let home = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(home.path().join("a")).expect("made");
    std::fs::write(home.path().join("a/mine"), "x").expect("written");
    let output = sandfork(home.path(), &["new", "--lang", "js", "a"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a is already there and not empty"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(home.path().join("a")).expect("there").count(), 1);
    for wrong in [["js", "../a"], ["js", "A"], ["rust", "proc-macro"], ["cobol", "a"]] {
        let output = sandfork(home.path(), &["new", "--lang", wrong[0], wrong[1]]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(std::fs::read_dir(home.path()).expect("there").count(), 1);
}

// HOSTILE 35
#[test]
fn a_broken_manifest_or_case_is_told_with_its_place_before_anything_is_built() {
    let home = tempfile::tempdir().expect("a directory");
    ok("new", sandfork(home.path(), &["new", "--lang", "js", "a"]));
    let dir = home.path().join("a");
    edit(&dir.join("cases/reads.yaml"), "expect:", "expcet:");
    let output = sandfork(&dir, &["test"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cases/reads.yaml:") && said.contains("did you mean `expect`?"), "{said}");
    edit(&dir.join("agent.yaml"), "language: js", "langauge: js");
    for command in ["build", "test"] {
        let output = sandfork(&dir, &[command]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("agent.yaml:") && said.contains("did you mean `language`?"), "{said}");
    }
    let nowhere = sandfork(home.path(), &["build", "nowhere"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(text(&nowhere.stderr).contains("sandfork new"), "{}", text(&nowhere.stderr));
}

#[test]
fn a_compiled_script_departs_from_the_contract_in_nothing() {
    let script =
        "agent: a\nspawn: [b]\nturns:\n  - do:\n      - { note: x }\n      - { spawn: [{ agent: b, goal: g }] }\n";
    let ran = Run::args(["compile", "a.yaml", "-o", "a.wasm"]).file("a.yaml", script).go().expect_code(0);
    let told = ok("inspect", sandfork(ran.home(), &["inspect", "a.wasm", "--json"]));
    let document: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(document["departures"], serde_json::json!([]), "{told}");
    assert_eq!(document["loadable"], true);
}

// HOSTILE 34
#[test]
fn a_wrong_world_is_explained_function_by_function() {
    let component = r#"(component
        (type $o (instance (export "note" (func (param "text" string) (result bool)))
                           (export "now" (func (result u64)))))
        (import "sandfork:agent/orchestrator@0.1.0" (instance (type $o))))"#;
    let component = wat::parse_str(component).expect("a component");
    let run = Run::args(["inspect", "a.wasm"]).file("a.wasm", component);
    let told = run.go().expect_code(0).stdout;
    for line in [
        "differs    import note of sandfork:agent/orchestrator@0.1.0\n",
        "           wit/agent.wit: func(text: string)\n",
        "           here:          func(text: string) -> bool\n",
        "differs    import now of sandfork:agent/orchestrator@0.1.0\n",
        "           wit/agent.wit: no such function\n",
        "differs    export run\n",
        "           here:          no such function\n",
        "loadable   no:",
    ] {
        assert!(told.contains(line), "{line:?} is not in\n{told}");
    }
}

/// The keys that a reader knows, as it lists them beside an unknown one.
fn known_keys(file: &str, text: &str) -> Vec<String> {
    let said = Run::args(["check", file]).file(file, text).go().expect_code(2).stderr;
    let listed = said.lines().find_map(|line| line.trim().strip_prefix("expected: one of ")).expect("a list");
    listed.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_of_manifests_and_cases_is_in_the_documentation() {
    for (page, file, text) in [
        ("authoring.md", "agent.yaml", "agent: a\nlanguage: js\nversion: 0.1.0\nunknown: 1\n"),
        ("authoring-cases.md", "first.yaml", "task: { goal: g }\nunknown: 1\n"),
        ("authoring-cases.md", "first.yaml", "task: { goal: g, unknown: 1 }\n"),
        ("authoring-cases.md", "first.yaml", "task: { goal: g }\nexpect: { unknown: 1 }\n"),
    ] {
        let page = std::fs::read_to_string(repository().join("docs").join(page)).expect("a page");
        for key in known_keys(file, text) {
            assert!(page.contains(&format!("`{key}`")), "{file}: {key} is not documented");
        }
    }
}

#[test]
fn what_a_toolchain_says_last_is_what_it_has_to_say_and_is_said_once() {
    let home = tempfile::tempdir().expect("a directory");
    ok("new", sandfork(home.path(), &["new", "--lang", "python", "a"]));
    let bin = home.path().join("a/.venv/bin");
    std::fs::create_dir_all(&bin).expect("made");
    // As componentize-py does: a Rust program with a trace of itself, if one is asked for.
    let fake = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'componentize-py 1' && exit 0\n\
                echo 'SyntaxError: invalid syntax (agent.py, line 7)' >&2\n\
                [ -n \"$RUST_BACKTRACE\" ] && seq 1 100 >&2\nexit 1\n";
    let path = bin.join("componentize-py");
    std::fs::write(&path, fake).expect("written");
    ok("chmod", Command::new("chmod").arg("+x").arg(&path).output().expect("chmod starts"));
    for args in [["build", "a"].as_slice(), &["build", "a", "-v"], &["test", "a", "-v"]] {
        let mut command = Run::args(args.iter().copied()).command();
        let output = command.current_dir(home.path()).env("RUST_BACKTRACE", "1").output().expect("the binary starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.matches("SyntaxError: invalid syntax (agent.py, line 7)").count(), 1, "{args:?}: {said}");
    }
}
