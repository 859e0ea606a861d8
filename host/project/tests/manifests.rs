//! `agent.yaml`: what is read from it, and what is refused with its place.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

use sandfork_project::{Language, Project};
use serde_json::json;

fn read(text: &str) -> Result<Project, String> {
    let home = tempfile::tempdir().expect("a directory");
    std::fs::write(home.path().join("agent.yaml"), text).expect("written");
    Project::read(home.path()).map_err(|problems| {
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        told.join("\n")
    })
}

const LEAST: &str = "agent: reader\nlanguage: js\nversion: 0.1.0\n";

#[test]
fn a_project_is_read_with_its_manifest() {
    let more = "description: Reads\nlicence: MIT\ntools: [read_file]\ndelegate: [a.b]\nspawn: [self]\n\
                input_schema: { type: object }\noutput_schema: true\n";
    let project = read(&format!("{LEAST}{more}")).expect("a project");
    assert_eq!(project.language, Language::Js);
    assert!(project.component().ends_with("build/reader.wasm"));
    let wanted = json!({
        "interface": "sandfork:agent@0.1.0", "name": "reader", "version": "0.1.0", "description": "Reads",
        "licence": "MIT", "tools": ["read_file"], "delegate": ["a.b"], "spawn": ["self"],
        "input_schema": { "type": "object" }, "output_schema": true,
    });
    assert_eq!(project.manifest.to_json(), wanted);
    let least = read(LEAST).expect("a project");
    assert!(least.manifest.to_json().get("input_schema").is_none());
    assert!(least.takes_any_tool && least.takes_any_agent, "it names none");
    assert!(!project.takes_any_tool && !project.takes_any_agent);
}

#[test]
fn what_cannot_be_right_is_told_with_its_place_and_a_hint() {
    for (from, to, told) in [
        ("agent: reader", "agent: re ader", "agent.yaml:1:8: `re ader` cannot name an agent"),
        ("agent: reader", "agent: ../x", "cannot name an agent"),
        ("agent: reader", "agent: self", "cannot name an agent"),
        ("agent: reader", "agent: .", "cannot name an agent"),
        ("agent: reader\n", "", "the key `agent` is missing"),
        ("language: js", "language: pyton", "did you mean `python`?"),
        ("language: js", "language: cobol", "one of rust, js, ts, python"),
        ("version: 0.1.0", "version: 0.1", "put it in quotes"),
        ("version: 0.1.0", "version: one", "three numbers, as in 0.1.0"),
        ("version: 0.1.0", "version: 0.1.0\nlicense: MIT", "did you mean `licence`?"),
        ("version: 0.1.0", "version: 0.1.0\ntools: [a, a]", "stands twice"),
        ("version: 0.1.0", "version: 0.1.0\ntools: read_file", "a list"),
        ("version: 0.1.0", "version: 0.1.0\nspawn: ['a b']", "cannot name an agent"),
        ("version: 0.1.0", "version: 0.1.0\noutput_schema: out.json", "written in place"),
        (
            "version: 0.1.0",
            "version: 0.1.0\ninput_schema: { type: objcet }",
            "agent.yaml:4:15: `input_schema` is no JSON Schema",
        ),
        (
            "version: 0.1.0",
            "version: 0.1.0\noutput_schema: { required: a }",
            "`output_schema` is no JSON Schema at /required",
        ),
    ] {
        let text = LEAST.replace(from, to);
        let found = read(&text).expect_err(&text);
        assert!(found.contains(told), "{text:?}: {found}");
    }
}

#[test]
fn every_problem_is_told_at_once() {
    let found = read("agent: ''\nlanguage: x\nversion: y\nmore: z\n").expect_err("wrong");
    for line in 1..=4 {
        assert!(found.contains(&format!("agent.yaml:{line}:")), "{found}");
    }
}

#[test]
fn a_directory_that_is_no_project_says_how_to_make_one() {
    let home = tempfile::tempdir().expect("a directory");
    let problems = Project::read(home.path()).expect_err("no project");
    assert!(problems[0].to_string().contains("sandfork new"), "{}", problems[0]);
}
