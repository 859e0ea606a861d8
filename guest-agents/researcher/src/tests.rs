//! The researcher against a fake workspace.

use super::*;
use sandfork_guest::fake::{FakeHost, Run};

const RIVERS: &str = "Two rivers.\n\nThe supply is safe\nfor ten years.\n";

fn host() -> FakeHost {
    FakeHost::new()
        .tool("read_file", |arguments| match arguments["path"].as_str() {
            Some("rivers.md") => Ok(json!({ "path": "rivers.md", "text": RIVERS, "bytes": RIVERS.len(), "lines": 4 })),
            Some("census.md") => {
                Ok(json!({ "path": "census.md", "text": "14M people need a supply.", "bytes": 25, "lines": 1 }))
            }
            _ => Err(Failure::new("not_found", "no such file")),
        })
        .tool("search_files", |arguments| {
            let place = |path: &str, line: u32| json!({ "path": path, "line": line, "text": "…" });
            let matches = match arguments["pattern"].as_str() {
                Some("supply") => json!([place("census.md", 1), place("gone.md", 2), place("rivers.md", 3)]),
                Some("ten|supply") => json!([place("rivers.md", 3), place("rivers.md", 4)]),
                _ => json!([]),
            };
            Ok(json!({ "matches": matches, "truncated": false, "skipped": 0 }))
        })
}

fn research(context: Json) -> Run {
    host().run::<Researcher>(Task::new("Water").context(context))
}

#[test]
fn a_file_is_told_paragraph_by_paragraph_with_its_places() {
    let run = research(json!({ "path": "rivers.md" }));
    let output = run.result.expect("found");
    assert_eq!(output["findings"][1], json!({ "source": "rivers.md:3", "text": "The supply is safe for ten years." }));
    assert_eq!(output["evidence_refs"], json!(["rivers.md:1", "rivers.md:3"]));
    assert_eq!(output["summary"], "Water: 2 findings in 1 files");
    assert_eq!(run.notes, ["reading rivers.md"]);
}

#[test]
fn a_search_tells_what_it_found_and_what_it_could_not_read() {
    let output = research(json!({ "pattern": "supply" })).result.expect("found");
    assert_eq!(output["evidence_refs"], json!(["census.md:1", "rivers.md:3"]));
    assert_eq!(output["unresolved"], json!(["gone.md was not read: not_found"]));
}

#[test]
fn two_matches_in_one_paragraph_are_one_finding() {
    let run = research(json!({ "pattern": "ten|supply", "path": "." }));
    assert_eq!(run.result.expect("found")["evidence_refs"], json!(["rivers.md:3"]));
    assert_eq!(run.calls[0].arguments, json!({ "pattern": "ten|supply", "path": "." }));
}

#[test]
fn finding_nothing_is_an_answer() {
    let output = research(json!({ "pattern": "gold" })).result.expect("an answer");
    assert_eq!((&output["findings"], &output["summary"]), (&json!([]), &json!("Water: 0 findings in 0 files")));
}

#[test]
fn a_file_that_was_asked_for_and_is_not_there_is_a_failure() {
    let failure = research(json!({ "path": "gone.md" })).result.expect_err("not there");
    assert_eq!((failure.code.as_str(), &failure.details["tool"]), ("not_found", &json!("read_file")));
}

#[test]
fn without_path_and_pattern_the_task_is_blocked() {
    assert_eq!(research(json!({})).result, Err(Failure::blocked(["path", "pattern"])));
}

#[test]
fn a_long_text_and_a_wide_search_are_cut_visibly() {
    let run = FakeHost::new()
        .tool("read_file", |_| Ok(json!({ "text": "a line\n\n".repeat(60) })))
        .run::<Researcher>(Task::new("Water").context(json!({ "path": "long.md" })));
    let output = run.result.expect("cut");
    assert_eq!(output["findings"].as_array().map(Vec::len), Some(MOST_FINDINGS));
    assert_eq!(output["unresolved"], json!(["long.md:101 and what follows were left out"]));
    let run = FakeHost::new()
        .tool("read_file", |_| Ok(json!({ "text": "x" })))
        .tool("search_files", |_| {
            let places = (0..9).map(|n| json!({ "path": format!("{n}.md"), "line": 1 })).collect::<Json>();
            Ok(json!({ "matches": places, "truncated": true }))
        })
        .run::<Researcher>(Task::new("Water").context(json!({ "pattern": "x" })));
    let expected = json!(["the search for x was cut", "8.md and what follows were not read"]);
    assert_eq!(run.result.expect("cut")["unresolved"], expected);
    assert_eq!(run.calls.len(), 1 + MOST_FILES);
}
