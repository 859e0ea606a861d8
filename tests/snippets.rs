//! docs/authoring.md in JavaScript, TypeScript and Python: its commands are run as they stand there, and its programs are built
//! and run. (Its Rust is tested by `guest-agents/authoring`.) A block that is no program is marked as `text`.

use crate::harness::{code_cache, repository};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The blocks of the page with this mark.
fn blocks(mark: &str) -> Vec<String> {
    let page = fs::read_to_string(repository().join("docs/authoring.md")).expect("the page");
    let parts = page.split("\n```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(mark)?.strip_prefix('\n').map(|text| format!("{text}\n"))).collect()
}

/// The programs of a language: blocks that say which file they are.
fn programs(mark: &str, first_line: &str) -> Vec<String> {
    let all = blocks(mark);
    for block in &all {
        assert!(block.starts_with(first_line), "a block of `{mark}` that does not begin with `{first_line}`:\n{block}");
    }
    assert!(!all.is_empty(), "no program in {mark}");
    all
}

/// Runs commands in a directory as somebody who reads them would; `sandfork` is the binary under test.
fn shell(home: &Path, directory: &Path, commands: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_sandfork")).parent().expect("a directory");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a search path"));
    let mut command = Command::new("/bin/sh");
    command.args(["-e", "-c", commands]).current_dir(directory).env("PATH", path).stdin(Stdio::null());
    command.env("SANDFORK_STATE_DIR", home.join("state")).env_remove("CARGO_TARGET_DIR").env_remove("RUST_LOG");
    let output = command.output().expect("a shell starts");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{commands}\n{out}\n{err}");
    out
}

/// Takes the page's way from nothing to a run, then puts these files in place of the project's, and tests it again.
fn is_as_the_page_says(language: &str, files: &[(&str, &str)], passed: usize) {
    let home = tempfile::tempdir().expect("a directory");
    fs::create_dir(home.path().join("state")).expect("made");
    std::os::unix::fs::symlink(code_cache(), home.path().join("state/cache")).expect("linked");
    let start = format!("sandfork new --lang {language} first-{language}\n");
    let all = blocks("sh");
    let commands = all.iter().find(|block| block.starts_with(&start)).unwrap_or_else(|| panic!("no `{start}`"));
    let said = shell(home.path(), home.path(), commands);
    assert!(said.contains(&format!("first-{language}: 3 passed\n")), "{said}");
    let project = home.path().join(format!("first-{language}"));
    for (path, text) in files {
        fs::write(project.join(path), text).expect("written");
    }
    let said = shell(home.path(), &project, "sandfork test");
    assert!(said.contains(&format!("first-{language}: {passed} passed\n")), "{said}");
}

/// What the three programs that both languages have are given, and what must come of it.
const CASES: &str = "cases:
  - name: the reader reads
    task: { goal: g, context: { program: 0, path: todo.txt } }
    tools: { read_file: { script: [{ match: { path: todo.txt }, result: { text: milk, bytes: 4 } }] } }
    expect: { status: ok, output: { reply: todo.txt has 4 bytes, bytes: 4 }, notes: 1 }
  - name: the lead collects what came back
    task: { goal: g, context: { program: 1 } }
    agents: { worker: { turns: [{ return: \"${task.context.place}\" }] } }
    expect: { status: ok, output: { found: [north, south] } }
  - name: the lead says when nothing came back
    task: { goal: g, context: { program: 1 } }
    agents: { worker: { turns: [{ do: [{ fail: { code: lost, message: lost } }] }] } }
    expect: { status: failed, error: { code: subagent_failed, details: { code: nothing_found, details: { asked: 2 } } } }
  - name: a file that is not there is no text
    task: { goal: g, context: { program: 2 } }
    tools: { read_file: { script: [{ error: { code: not_found, message: gone } }] } }
    expect: { status: ok, output: { text: \"\" } }
  - name: another error of the tool goes on
    task: { goal: g, context: { program: 2 } }
    tools: { read_file: { script: [{ error: { code: denied, message: no } }] } }
    expect: { status: failed, error: { code: subagent_failed, details: { code: denied } } }
";
const PASSED: usize = 5;

/// A manifest for all programs of a language together.
fn manifest(language: &str) -> String {
    format!(
        "agent: first-{language}\nversion: 0.1.0\ndescription: The programs of the page.\nlicence: MIT\nlanguage: \
         {language}\ntools: [read_file]\nspawn: [worker]\n"
    )
}

/// All programs of a language in one component, chosen by the task: packing one and compiling its code takes long.
fn together(language: &str, agent: &str, programs: &[String], extension: &str) {
    assert_eq!(programs.len(), 3, "a program was added: give it a case");
    let manifest = manifest(language);
    let names: Vec<String> = (0..programs.len()).map(|n| format!("program_{n}.{extension}")).collect();
    let mut files =
        vec![("agent.yaml", manifest.as_str()), ("cases/reads.yaml", CASES), ("cases/refusals.yaml", NOTHING)];
    let entry = format!("agent.{extension}");
    files.push((&entry, agent));
    files.extend(names.iter().map(String::as_str).zip(programs.iter().map(String::as_str)));
    is_as_the_page_says(language, &files, PASSED + 1);
}

/// Stands where the template's second file of cases was.
const NOTHING: &str = "name: the reader names what it lacks
task: { goal: g, context: { program: 0 } }
expect: { status: blocked, error: { code: blocked, details: { missing: [path] } } }
";

#[test]
fn the_commands_and_programs_in_javascript_do_what_the_page_says() {
    let agent = "import { run as reads } from \"./program_0.js\";\nimport { run as leads } from \"./program_1.js\";\n\
                 import { run as catches } from \"./program_2.js\";\nconst programs = [reads, leads, catches];\n\
                 export const run = (task) => programs[JSON.parse(task).context.program](task);\n";
    together("js", agent, &programs("js", "// agent.js\n"), "js");
}

#[test]
fn the_commands_and_programs_in_python_do_what_the_page_says() {
    let agent = "import json\n\nimport program_0\nimport program_1\nimport program_2\n\nPROGRAMS = [program_0, program_1, \
                 program_2]\n\n\nclass WitWorld:\n    def run(self, task: str) -> str:\n        program = \
                 PROGRAMS[json.loads(task)[\"context\"][\"program\"]]\n        return program.WitWorld().run(task)\n";
    together("python", agent, &programs("python", "# agent.py\n"), "py");
}

// The template's own cases hold for it: it is the reader as well.
#[test]
fn the_commands_and_the_program_in_typescript_do_what_the_page_says() {
    let programs = programs("ts", "// agent.ts\n");
    let [program] = programs.as_slice() else { panic!("a program was added: give it a case") };
    is_as_the_page_says("ts", &[("agent.ts", program)], 3);
}
