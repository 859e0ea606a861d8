//! Artifacts as guests meet them, and what is on disk behind them.

use super::*;
use crate::KeptArtifacts;
use crate::testing::{answer, code};
use sandfork_model::{EventId, RunId, TaskRef, sha256_hex};
use serde_json::Value;
use std::path::Path;

struct Home {
    _directory: tempfile::TempDir,
    path: PathBuf,
    artifacts: Artifacts,
}

fn home() -> Home {
    within(ArtifactLimits::default())
}

fn within(limits: ArtifactLimits) -> Home {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("artifacts");
    Home { artifacts: Artifacts::within(path.clone(), limits), path, _directory: directory }
}

impl Home {
    fn put(&self, name: &str, text: &str) -> Value {
        answer(&self.artifacts, "artifact_put", json!({ "name": name, "text": text })).expect("stored")
    }

    fn get(&self, reference: &str, range: Value) -> Value {
        let mut arguments = json!({ "ref": reference });
        arguments.as_object_mut().expect("a map").extend(range.as_object().expect("a map").clone());
        answer(&self.artifacts, "artifact_get", arguments).expect("there")
    }

    fn file_of(&self, text: &str) -> PathBuf {
        self.path.join(sha256_hex(text.as_bytes()))
    }

    fn kept(&self) -> KeptArtifacts {
        KeptArtifacts::read(&self.path).expect("an index")
    }
}

// GV-14: a reference to v3 never becomes v4
#[test]
fn a_reference_leads_to_the_same_bytes_after_a_newer_version() {
    let home = home();
    for n in 1..=3 {
        home.put("report", &format!("text {n}"));
    }
    let accepted = home.get("artifact://report/v3", json!({}));
    assert_eq!(home.put("report", "text 4")["ref"], "artifact://report/v4");
    let again = home.get("artifact://report/v3", json!({}));
    assert_eq!(accepted, again);
    assert_eq!((&again["text"], &again["sha256"]), (&json!("text 3"), &json!(sha256_hex(b"text 3"))));
}

// GV-14: what was changed behind the store's back is an error, never other bytes
#[test]
fn a_changed_file_is_noticed_by_its_digest() {
    for damage in ["text 4", "text 33", ""] {
        let home = home();
        home.put("report", "text 3");
        std::fs::write(home.file_of("text 3"), damage).expect("written");
        let asked = json!({ "ref": "artifact://report/v1" });
        assert_eq!(code(&home.artifacts, "artifact_get", asked), "artifact_damaged", "{damage:?}");
        let kept = home.kept();
        assert!(matches!(kept.text(&kept.entries()[0]), Err(ContentError::Damaged)), "{damage:?}");
    }
    let home = home();
    home.put("report", "text 3");
    std::fs::remove_file(home.file_of("text 3")).expect("removed");
    let asked = json!({ "ref": "artifact://report/v1" });
    assert_eq!(code(&home.artifacts, "artifact_get", asked), "artifact_damaged");
}

// GV-13: 50 000 lines never travel whole; the reader fetches the part it needs
#[test]
fn a_large_artifact_is_read_by_lines_or_bytes() {
    let home = home();
    let log: String = (1..=50_000).map(|n| format!("line {n}\n")).collect();
    assert_eq!(home.put("log", &log)["lines"], 50_000);
    let get = |range: Value| home.get("artifact://log/v1", range);
    assert_eq!(get(json!({ "line": 49_999, "lines": 1 }))["text"], "line 49999\n");
    assert_eq!(get(json!({ "offset": 0, "length": 6 }))["text"], "line 1");
    let start = get(json!({}));
    assert_eq!((&start["more"], &start["partial"], &start["lines"]), (&json!(true), &json!(true), &json!(50_000)));
    assert!(start["text"].as_str().expect("text").len() <= 64 << 10);
    let last = get(json!({ "line": 50_000 }));
    assert_eq!((&last["more"], &last["partial"]), (&json!(false), &json!(true)));
    assert_eq!(get(json!({ "line": 60_000 }))["text"], "");
    home.put("short", "all of it");
    assert_eq!(home.get("artifact://short/v1", json!({}))["partial"], false);
    // GV-51: one whole read among the partial ones.
    let figures = home.artifacts.figures();
    assert_eq!((figures.whole_reads, figures.partial_reads, figures.versions), (1, 5, 2));
    assert!(figures.read_bytes < 2 * (64 << 10) && figures.reachable_bytes > 5 * figures.read_bytes / 2);
}

#[test]
fn what_is_not_there_or_not_asked_rightly_is_refused() {
    let home = home();
    home.put("a", "x");
    for reference in ["artifact://a/v2", "artifact://a/v0", "artifact://b/v1", "a", "artifact://../../etc/passwd/v1"] {
        assert_eq!(code(&home.artifacts, "artifact_get", json!({ "ref": reference })), "not_found", "{reference}");
    }
    for arguments in [
        json!({ "name": "../x", "text": "" }),
        json!({ "name": "x".repeat(65), "text": "" }),
        json!({ "name": "a" }),
        json!({ "name": "a", "text": 1 }),
        json!({ "name": "a", "text": "", "media_type": "text" }),
        json!({ "name": "a", "text": "", "media_type": "text/\n" }),
        json!({ "name": "a", "text": "", "media_type": format!("text/{}", "x".repeat(100)) }),
    ] {
        assert_eq!(code(&home.artifacts, "artifact_put", arguments), "invalid_arguments");
    }
    let both = json!({ "ref": "artifact://a/v1", "offset": 1, "line": 1 });
    assert_eq!(code(&home.artifacts, "artifact_get", both), "invalid_arguments");
    assert_eq!(home.kept().entries().len(), 1, "what was refused left nothing");
}

#[test]
fn a_run_keeps_as_many_and_as_much_as_its_limits_say() {
    let home = within(ArtifactLimits { artifact_bytes: 10, run_bytes: 25, versions: 4 });
    let put = |name: &str, text: &str| answer(&home.artifacts, "artifact_put", json!({ "name": name, "text": text }));
    let code = |name: &str, text: &str| put(name, text).expect_err("a refusal").code;
    assert_eq!(code("a", "12345678901"), "too_large");
    put("a", "1234567890").expect("fits");
    put("a", "abcdefghij").expect("fits");
    assert_eq!(code("a", "klmnop"), "too_large");
    put("b", "1234567890").expect("the same bytes cost nothing");
    put("a", "xyz").expect("fits");
    assert_eq!(code("c", ""), "too_large");
    let figures = home.artifacts.figures();
    assert_eq!((figures.versions, figures.kept_bytes), (4, 23));
    assert_eq!(home.kept().entries().len(), 4);
}

// GV-11, GV-18: who made it, by which event, out of what
#[test]
fn every_version_says_where_it_comes_from() {
    let home = home();
    home.put("raw", "one\ntwo");
    home.get("artifact://raw/v1", json!({ "line": 1, "lines": 1 }));
    home.get("artifact://raw/v1", json!({}));
    let run = RunId { name: "test".into(), id: "test".into() };
    let task = Arc::new(TaskRef::top(&run, "root", "lead", 0));
    let new = |made_by| NewArtifact {
        name: "report".into(),
        text: "both".into(),
        media_type: Some("text/markdown".into()),
        task: Arc::clone(&task),
        by_event: Some(EventId { task_id: "root".into(), seq_no: 5 }),
        made_by,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for made_by in MadeBy::ALL {
        let text = format!("both, {}", made_by.name());
        let kept = runtime.block_on(home.artifacts.keep(NewArtifact { text, ..new(made_by) })).expect("kept");
        assert!(kept.is_new);
    }
    // The same large result once more is the same version, not another one.
    let again = NewArtifact { text: "both, large_result".into(), ..new(MadeBy::LargeResult) };
    let again = runtime.block_on(home.artifacts.keep(again)).expect("kept");
    assert_eq!((again.reference.to_string().as_str(), again.is_new), ("artifact://report/v2", false));
    let kept = home.kept();
    assert_eq!(
        kept.entries()[1].to_json(),
        json!({
            "ref": "artifact://report/v1", "name": "report", "version": 1, "sha256": sha256_hex(b"both, tool_put"), "bytes": 14,
            "lines": 1, "media_type": "text/markdown", "task_id": "root", "agent": "lead", "by_event": "evt-root-5",
            "made_by": "tool_put", "inputs": ["artifact://raw/v1"], "inputs_more": false,
        })
    );
    let made_by: Vec<&str> = kept.entries().iter().map(|entry| entry.made_by.as_str()).collect();
    assert_eq!(made_by, ["tool_put", "tool_put", "large_result", "accepted_output"]);
    assert!(kept.entries()[0].inputs.is_empty(), "what was read later is no input");
    let bad = NewArtifact { name: "a/b".into(), ..new(MadeBy::AcceptedOutput) };
    assert_eq!(runtime.block_on(home.artifacts.keep(bad)).expect_err("refused").code, "invalid_arguments");
    let known = |text: &str| home.artifacts.knows(&ArtifactRef::parse(text).expect("a reference"));
    assert!(known("artifact://report/v3") && !known("artifact://report/v4") && !known("artifact://other/v1"));
}

// GV-50: contents that no line names, and lines that are not whole, are as if they had never been
#[test]
fn what_a_killed_writer_leaves_behind_does_not_count() {
    let home = home();
    for n in 1..=3 {
        home.put("log", &format!("text {n}"));
    }
    let index = home.path.join(index::INDEX);
    let whole = std::fs::read(&index).expect("an index");
    std::fs::write(home.path.join(".half.part"), "te").expect("written");
    for cut in (0..whole.len()).step_by(7) {
        std::fs::write(&index, &whole[..cut]).expect("written");
        let kept = home.kept();
        let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(kept.entries().len(), lines);
        assert_eq!(kept.torn_bytes() > 0, cut > 0 && whole[cut - 1] != b'\n');
        for (entry, n) in kept.entries().iter().zip(1..) {
            assert_eq!(kept.text(entry).expect("there"), format!("text {n}"));
        }
    }
    assert!(KeptArtifacts::read(Path::new("nowhere")).expect("none").entries().is_empty());
}

// GV-50: a content that cannot be put in place is an error for one call; no line names it, and the next call goes on
#[test]
fn a_content_that_cannot_be_stored_leaves_nothing_behind() {
    let home = home();
    home.put("log", "first");
    // A directory in the place of the content makes its rename fail.
    std::fs::create_dir(home.file_of("second")).expect("made");
    let second = json!({ "name": "log", "text": "second" });
    assert_eq!(code(&home.artifacts, "artifact_put", second), "io_error");
    assert_eq!(home.put("log", "third")["ref"], "artifact://log/v2");
    let kept = home.kept();
    assert_eq!((kept.entries().len(), kept.torn_bytes()), (2, 0));
    let files = std::fs::read_dir(&home.path).expect("a directory").map(|file| file.expect("a file").file_name());
    assert!(files.into_iter().all(|name| !name.to_string_lossy().ends_with(".part")));
}

// GV-16: a new run begins without anything of an older one, also in the same place
#[test]
fn nothing_is_carried_over_into_another_run() {
    let home = home();
    home.put("memory", "x");
    let next = Artifacts::new(home.path.clone());
    assert_eq!(code(&next, "artifact_get", json!({ "ref": "artifact://memory/v1" })), "not_found");
    answer(&next, "artifact_put", json!({ "name": "fresh", "text": "y" })).expect("stored");
    let names: Vec<String> = home.kept().entries().iter().map(|entry| entry.reference.to_string()).collect();
    assert_eq!(names, ["artifact://fresh/v1"]);
}

#[cfg(unix)]
#[test]
fn artifacts_are_for_the_owners_eyes_only() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    home.put("a", "x");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&home.path), 0o700);
    for file in [home.file_of("x"), home.path.join(index::INDEX)] {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

// HOSTILE 25, GV-14: what is no file is never waited for
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_keeps_no_reader_waiting() {
    let home = home();
    home.put("report", "text");
    let pipe = |path: &Path| {
        std::fs::remove_file(path).expect("removed");
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo is there").success());
    };
    let kept = home.kept();
    pipe(&home.file_of("text"));
    assert!(matches!(kept.text(&kept.entries()[0]), Err(ContentError::Damaged)));
    let read = json!({ "ref": "artifact://report/v1" });
    assert_eq!(code(&home.artifacts, "artifact_get", read), "artifact_damaged");
    pipe(&home.path.join("index.jsonl"));
    let error = KeptArtifacts::read(&home.path).expect_err("no file").to_string();
    assert!(error.contains("regular file"), "{error}");
}
