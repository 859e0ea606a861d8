//! What a run has written is whole, whenever its process ends: artifacts, their index, the event log, the report. And what
//! is too large for a message is there to be read, whole and by parts.

use crate::harness::{Ran, Run};
use sandfork::{KeptArtifacts, read_events};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Two forks that put one version after the other, each text naming the one before it.
const WRITER: &str = "agent: writer\ntools: [artifact_put]\nturns:\n  - do:\n      - { tool: artifact_put, with: { name: \"${task.context.name}\", text: \"first\" }, as: last }\n      - repeat: 3000\n        do:\n          - { tool: artifact_put, with: { name: \"${task.context.name}\", text: \"after ${last.ref} ${last.sha256}\" }, as: next }\n          - { tool: artifact_put, with: { name: \"${task.context.name}\", text: \"after ${next.ref} ${next.sha256}\" } }\n  - return: {}\n";
const PLAN: &str = "run: writers\ngoal: g\nagents:\n  writer: { script: writer.yaml, tools: [artifact_put] }\nlimits: { timeout: 10m, deadline: 20m }\ntasks:\n  - { id: a, agent: writer, goal: g, context: { name: left } }\n  - { id: b, agent: writer, goal: g, context: { name: right } }\n";

fn directory(home: &Path, run: &str) -> PathBuf {
    home.join("state/runs").join(run)
}

fn kept(home: &Path, run: &str) -> KeptArtifacts {
    KeptArtifacts::read(&directory(home, run).join("artifacts")).expect("an index")
}

fn bytes(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Not there yet is empty: the test looks while the run writes.
    if let Ok(mut file) = std::fs::File::open(path) {
        file.read_to_end(&mut bytes).expect("read");
    }
    bytes
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Starts the run and kills it once `file` has `count` whole lines; the run must still be going on then.
fn killed_at(file: &str, count: usize) -> Run {
    let run = Run::plan(PLAN).file("writer.yaml", WRITER).with(["--run-id", "killed", "--quiet"]);
    let watched = directory(&run.path("."), "killed").join(file);
    let mut child = run.command().stdout(std::process::Stdio::null()).spawn().expect("the binary starts");
    while lines(&bytes(&watched)) < count {
        assert!(child.try_wait().expect("asked").is_none(), "the run ended before {file} had {count} lines");
        std::thread::yield_now();
    }
    child.kill().expect("killed");
    let status = child.wait().expect("ended");
    assert!(!status.success(), "the run was not killed");
    run
}

// GV-46, GV-50, GV-14: killed at any moment, everything that was told is there and nothing is half
#[test]
fn a_run_that_is_killed_leaves_whole_artifacts_and_whole_lines() {
    let moments = [("events.jsonl", 1), ("events.jsonl", 40), ("events.jsonl", 333)];
    let versions = [1, 2, 3, 7, 31, 90].map(|count| ("artifacts/index.jsonl", count));
    for (file, count) in moments.into_iter().chain(versions) {
        let run = killed_at(file, count);
        let home = run.path(".");
        let (directory, kept) = (directory(&home, "killed"), kept(&home, "killed"));

        let index = bytes(&directory.join("artifacts/index.jsonl"));
        assert_eq!(kept.entries().len(), lines(&index), "{file} {count}: every line that ended is whole");
        let mut latest = HashMap::<&str, u64>::new();
        for entry in kept.entries() {
            let text = kept.text(entry).unwrap_or_else(|error| panic!("{file} {count}: {}: {error}", entry.reference));
            assert!(text == "first" || text.starts_with("after artifact://"), "{text}");
            let latest = latest.entry(&entry.reference.name).or_default();
            assert_eq!(entry.reference.version, *latest + 1, "no version is missing");
            *latest += 1;
        }

        let log = bytes(&directory.join("events.jsonl"));
        let read = read_events(&log);
        assert_eq!(read.events.len(), lines(&log), "{file} {count}: every line that ended is an event");
        let torn = log.len() - log.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        assert_eq!(read.torn_bytes, torn, "at most the last line is torn");
        for (event, seq) in read.events.iter().zip(1..) {
            assert_eq!(event["seq"], seq);
        }
        let there: HashSet<(&str, u64, &str)> = kept
            .entries()
            .iter()
            .map(|entry| (&*entry.reference.name, entry.reference.version, &*entry.sha256))
            .collect();
        for event in read.events.iter().filter(|event| event["event_type"] == "artifact_put") {
            let attrs = &event["attrs"];
            let told = (
                attrs["name"].as_str().expect("a name"),
                attrs["version"].as_u64().expect("a version"),
                attrs["sha256"].as_str().expect("a digest"),
            );
            assert!(there.contains(&told), "{file} {count}: the log tells of {told:?}, which is not there");
        }
        assert!(!directory.join("report.json").exists(), "a report is there whole or not at all");
    }
}

// GV-50: the directory of a killed run can be read, and taken by the next run of that name
#[test]
fn a_killed_run_can_be_looked_at_and_run_again() {
    let run = killed_at("artifacts/index.jsonl", 3);
    let again = |args: &[&str]| {
        let mut command = run.command();
        command.args(args).output().expect("the binary starts")
    };
    let listed = std::process::Command::new(env!("CARGO_BIN_EXE_sandfork"))
        .args(["artifacts", "killed", "--state-dir", "state", "--json"])
        .current_dir(run.path("."))
        .output()
        .expect("the binary starts");
    let document: Value = serde_json::from_slice(&listed.stdout).expect("a document");
    assert!(document["artifacts"].as_array().expect("a list").len() >= 3, "{document:#}");
    // One tool call is enough for the second time: what is left of the first must be gone.
    let output = again(&["--limit", "host_calls=3"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(kept(&run.path("."), "killed").entries().len() <= 6);
    let report = bytes(&directory(&run.path("."), "killed").join("report.json"));
    assert_eq!(serde_json::from_slice::<Value>(&report).expect("whole")["run_id"], "killed");
}

#[cfg(unix)]
#[test]
fn everything_a_run_keeps_is_for_its_owners_eyes_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let script = "agent: a\ntools: [artifact_put]\nturns:\n  - do: [{ tool: artifact_put, with: { name: n, text: t } }]\n  - return: {}\n";
    let plan = "run: p\nagents:\n  a: { script: a.yaml, tools: [artifact_put] }\nroot: { agent: a, goal: g }\n";
    let ran = Run::plan(plan).file("a.yaml", script).arg("--virtual-time").json().expect_code(0);
    let run = directory(ran.home(), "p");
    let mut seen = 0;
    for file in [run.clone(), run.join("artifacts")].iter().flat_map(|path| std::fs::read_dir(path).expect("there")) {
        let file = file.expect("a file");
        let mode = file.metadata().expect("there").permissions().mode() & 0o777;
        let is_lock = file.file_name() == "lock";
        assert!(is_lock || mode & 0o077 == 0, "{}: {mode:o}", file.path().display());
        seen += 1;
    }
    assert!(seen >= 6, "lock, log, report, artifacts, index, content: {seen}");
    // The kept log is the one that was asked for, byte by byte.
    assert_eq!(bytes(&run.join("events.jsonl")), bytes(&ran.path("events.jsonl")));
}

const READER: &str = "agent: reader\ntools: [read_file, artifact_get]\nturns:\n  - do:\n      - { tool: read_file, with: { path: pay.log }, as: log }\n      - { tool: artifact_get, with: { ref: \"${log.ref}\", line: 49999, lines: 1 }, as: part }\n      - { tool: read_file, with: { path: pay.log }, as: again }\n  - return: { truncated: \"${log.truncated}\", ref: \"${log.ref}\", lines: \"${log.lines}\", of: \"${log.of}\", path: \"${log.rest.path}\", part: \"${part.text}\", partial: \"${part.partial}\", again: \"${again.ref}\" }\n";

fn log_of_50_000_lines() -> String {
    (1..=50_000).map(|n| format!("10:00 payment {n} failed\n")).collect()
}

fn read_large(tools: &str, script: &str) -> Ran {
    let plan = format!(
        "run: large\nworkspace: w\nagents:\n  reader: {{ script: reader.yaml, tools: [{tools}] }}\nroot: {{ agent: reader, goal: g }}\n"
    );
    Run::plan(&plan)
        .file("reader.yaml", script)
        .file("w/pay.log", log_of_50_000_lines())
        .with(["--virtual-time", "--transcript", "threads"])
        .json()
        .expect_code(0)
}

// GV-13, GV-15, GV-27: 50 000 lines never travel in a message; what enters the context is what is charged
#[test]
fn a_result_of_50_000_lines_is_kept_and_read_by_reference() {
    let ran = read_large("read_file, artifact_get", READER);
    let output = ran.result("root")["output"].clone();
    assert_eq!((&output["truncated"], &output["lines"]), (&json!(true), &json!(50_000)));
    assert_eq!((&output["of"], &output["path"]), (&json!("text"), &json!("pay.log")));
    assert_eq!((&output["part"], &output["partial"]), (&json!("10:00 payment 49999 failed\n"), &json!(true)));
    assert_eq!(output["again"], output["ref"], "the same large result is the same version");

    let kept = kept(ran.home(), "large");
    let entry = &kept.entries()[0];
    assert_eq!(kept.text(entry).expect("whole"), log_of_50_000_lines(), "the evidence itself, not a summary of it");
    assert_eq!((entry.made_by.as_str(), entry.task_id.as_str(), entry.lines), ("large_result", "root", 50_000));
    let call = ran.events_of("tool_call")[0]["event_id"].clone();
    assert_eq!(json!(entry.by_event), call, "by the call that had this result");

    let limit = 256 << 10;
    for event in ran.events_of("tool_result") {
        assert!(event["attrs"]["result_bytes"].as_u64().expect("bytes") <= limit, "{event}");
        assert_eq!(event["artifact_refs"], json!([output["ref"]]));
    }
    let thread = std::fs::read_to_string(ran.path("threads/root.json")).expect("a transcript");
    let thread: Value = serde_json::from_str(&thread).expect("JSON");
    for message in thread["messages"].as_array().expect("messages") {
        assert!(message["content"].as_str().expect("text").len() as u64 <= limit);
        assert!(!message["content"].as_str().expect("text").contains("payment 49998 failed"));
    }
    assert_eq!(ran.events_of("artifact_put").len(), 1);
    assert_eq!(ran.events_of("truncated").len(), 2);
    // Two heads of a quarter MiB and what little else there is, in tokens of four bytes: far from two whole logs.
    let tokens = ran.report()["usage"]["input_tokens"].as_u64().expect("tokens");
    assert!(tokens < 140_000, "{tokens}");
}

// GV-10, GV-13: who may not read artifacts is not told to
#[test]
fn a_fork_without_the_tool_still_gets_the_reference() {
    let script = "agent: reader\ntools: [read_file]\nturns:\n  - do: [{ tool: read_file, with: { path: pay.log }, as: log }]\n  - return: { ref: \"${log.ref}\" }\n";
    let ran = read_large("read_file", script);
    let reference = ran.result("root")["output"]["ref"].clone();
    assert!(reference.as_str().expect("text").starts_with("artifact://result.sub-"), "{reference}");
    let thread = std::fs::read_to_string(ran.path("threads/root.json")).expect("a transcript");
    assert!(thread.contains("the whole is at `ref`") && !thread.contains("artifact_get reads parts"));
}

// GV-12, GV-13: a large output reaches its parent as a reference, with its message; the result has all of it
#[test]
fn a_large_output_travels_as_a_reference() {
    let child = format!(
        "agent: child\nturns:\n  - return: {{ summary: \"long\", unresolved: [\"why\"], text: \"{}\" }}\n",
        "0123456789".repeat(300)
    );
    let lead = "agent: lead\ntools: [artifact_get]\nspawn: [child]\nturns:\n  - do:\n      - { spawn: [{ agent: child, goal: g }], as: c }\n      - { tool: artifact_get, with: { ref: \"${c[0].output.ref}\", length: 10 }, as: part }\n  - return: { cut: \"${c[0].output.truncated}\", summary: \"${c[0].output.summary}\", part: \"${part.text}\", message: \"${c[0].info.message}\" }\n";
    let plan = "run: up\nagents:\n  lead: { script: lead.yaml, tools: [artifact_get], spawn: [child] }\n  child: { script: child.yaml }\nlimits: { tool_result: 2KiB }\nroot: { agent: lead, goal: g }\n";
    let ran = Run::plan(plan).file("lead.yaml", lead).file("child.yaml", child).arg("--virtual-time").json();
    let ran = ran.expect_code(0);
    let output = ran.result("root")["output"].clone();
    assert_eq!(
        (&output["cut"], &output["summary"], &output["part"]),
        (&json!(true), &json!("long"), &json!("0123456789"))
    );
    assert_eq!(
        output["message"]["artifact_refs"],
        json!([]),
        "the message says what the child said; the reference of its output is the host's"
    );
    assert_eq!(
        (&output["message"]["event_type"], &output["message"]["status"]),
        (&json!("TASK_COMPLETED"), &json!("completed"))
    );
    assert_eq!(output["message"]["unresolved"], json!(["why"]));
    assert_eq!(ran.result("root/1")["output"]["text"].as_str().expect("text").len(), 3000, "the result has all of it");
    let kept = kept(ran.home(), "up");
    assert_eq!((kept.entries()[0].task_id.as_str(), kept.entries()[0].made_by.as_str()), ("root/1", "large_result"));
}
