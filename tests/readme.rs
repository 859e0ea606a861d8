//! The README keeps its promises: its first script runs as written, its two commands exist, its test command is one.

use crate::harness::{Run, repository};

fn readme() -> String {
    std::fs::read_to_string(repository().join("README.md")).expect("the README")
}

/// The fenced blocks of one language, in order.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    readme().split(&fence).skip(1).map(|rest| rest.split("```").next().expect("an end").to_owned()).collect()
}

/// What stands in backticks just before the n-th YAML block.
fn file_names() -> Vec<String> {
    let text = readme();
    let before: Vec<&str> = text.split("```yaml\n").collect();
    let named = before.iter().take(before.len() - 1).map(|part| part.rsplit("\n\n").nth(1).expect("a sentence"));
    named.map(|sentence| sentence.split('`').nth(1).expect("a file name").to_owned()).collect()
}

#[test]
fn the_first_script_of_the_readme_runs_as_written() {
    let mut run = Run::args(["run", "plan.yaml"]).file("workspace/todo.txt", "Remember the milk.\n");
    let names = file_names();
    assert_eq!(names, ["reader.yaml", "plan.yaml"]);
    for (name, text) in names.iter().zip(blocks("yaml")) {
        run = run.file(name, text);
    }
    let ran = run.json().expect_code(0);
    assert_eq!(ran.result("root")["output"]["reply"], "Read the list: 19 bytes");
}

#[test]
fn the_two_commands_that_show_it_work_do() {
    let text = readme();
    for command in ["run", "bench"] {
        let line = format!("    cargo run --locked --bin sandfork -- {command} fixtures/fork-two-modules/plan.yaml\n");
        assert!(text.contains(&line), "{line}");
    }
    Run::fixture("fork-two-modules/plan.yaml").go().expect_code(0);
}

#[test]
fn the_readme_names_one_test_command() {
    assert_eq!(blocks("sh"), ["cargo test --workspace --locked\n"]);
    assert_eq!(readme().lines().filter(|line| line.starts_with("cargo test")).count(), 1);
}

#[test]
fn what_the_readme_links_to_is_there() {
    let text = readme();
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.starts_with("http")) {
        let file = link.split('#').next().expect("a file");
        assert!(repository().join(file).exists(), "{link}");
    }
}
