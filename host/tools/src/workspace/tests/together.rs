//! Forks that use one workspace at the same time, and forks that are gone before their call is done.

use super::Ground;
use crate::testing::call;
use crate::workspace::request::FileRequest;
use crate::workspace::tree::Tree;
use crate::workspace::watch::Watch;
use crate::workspace::{WorkspaceLimits, fault::FileFault};
use sandfork_model::ToolProvider as _;
use serde_json::{Value, json};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime")
}

// M4-39
#[test]
fn parallel_edits_of_one_file_all_arrive() {
    let lines: Vec<String> = (100..164).map(|number| format!("line {number} old")).collect();
    let ground = Ground::new(&[("shared.txt", &lines.join("\n"))]);
    let workspace = ground.workspace();
    runtime().block_on(async {
        let edits: Vec<_> = (100..164)
            .map(|number| {
                let workspace = workspace.clone();
                let edit =
                    json!({"path": "shared.txt", "old": format!("{number} old"), "new": format!("{number} new")});
                tokio::spawn(async move { workspace.call(call("edit_file", edit)).await })
            })
            .collect();
        for edit in edits {
            edit.await.expect("no panic").result.expect("edited");
        }
    });
    assert_eq!(ground.text("shared.txt"), lines.join("\n").replace("old", "new"));
}

#[test]
fn a_reader_sees_the_old_or_the_new_text_and_no_file_in_preparation() {
    let texts = ["a".repeat(100_000), "b".repeat(50_000)];
    let ground = Ground::new(&[("f", &texts[0])]);
    let workspace = ground.workspace();
    runtime().block_on(async {
        let writer = workspace.clone();
        let written = texts.clone();
        let writing = tokio::spawn(async move {
            for text in written.iter().cycle().take(100) {
                writer.call(call("write_file", json!({"path": "f", "text": text}))).await.result.expect("written");
            }
        });
        for _ in 0..100 {
            let read = workspace.call(call("read_file", json!({"path": "f"}))).await.result.expect("read");
            let read: Value = serde_json::from_str(&read).expect("JSON");
            assert!(texts.iter().any(|text| read["text"] == **text));
            let listed = workspace.call(call("list_files", json!({}))).await.result.expect("listed");
            let listed: Value = serde_json::from_str(&listed).expect("JSON");
            assert_eq!(listed["files"].as_array().map(Vec::len), Some(1));
        }
        writing.await.expect("no panic");
    });
}

// HOSTILE 30: no effect of a fork after its end.
#[test]
fn a_call_given_up_before_it_begins_does_nothing() {
    let ground = Ground::new(&[("f", "old")]);
    let tree = Tree::open(&ground.inside(), WorkspaceLimits::default()).expect("opened");
    for (tool, arguments) in [
        ("write_file", json!({"path": "new", "text": ""})),
        ("edit_file", json!({"path": "f", "old": "old", "new": "new"})),
        ("read_file", json!({"path": "f"})),
        ("list_files", json!({})),
        ("search_files", json!({"pattern": "o"})),
    ] {
        let (guard, watch) = Watch::pair();
        drop(guard);
        let request = FileRequest::read(tool, &arguments).expect("fits");
        assert_eq!(request.run(&tree, &watch), Err(FileFault::Abandoned));
    }
    assert_eq!(ground.text("f"), "old");
    assert!(!ground.inside().join("new").exists());
}

#[test]
fn a_write_given_up_while_it_waits_for_the_lock_does_nothing() {
    let ground = Ground::new(&[("f", "old")]);
    let tree = Tree::open(&ground.inside(), WorkspaceLimits::default()).expect("opened");
    let (guard, watch) = Watch::pair();
    std::thread::scope(|scope| {
        let held = tree.shared();
        let writing = scope.spawn(|| {
            let request = FileRequest::Write { path: "f".into(), text: "new".into() };
            request.run(&tree, &watch)
        });
        drop(guard);
        drop(held);
        assert_eq!(writing.join().expect("no panic"), Err(FileFault::Abandoned));
    });
    assert_eq!(ground.text("f"), "old");
    assert_eq!(std::fs::read_dir(ground.inside()).expect("readable").count(), 1, "nothing half prepared stays");
}

#[test]
fn more_calls_than_permits_are_all_answered() {
    let ground = Ground::new(&[("f", "needle")]);
    let workspace = ground.workspace();
    runtime().block_on(async {
        let calls: Vec<_> = (0..100)
            .map(|number| {
                let workspace = workspace.clone();
                let (tool, arguments) = match number % 2 {
                    0 => ("search_files", json!({"pattern": "needle"})),
                    _ => ("read_file", json!({"path": "f"})),
                };
                tokio::spawn(async move { workspace.call(call(tool, arguments)).await })
            })
            .collect();
        for call in calls {
            call.await.expect("no panic").result.expect("answered");
        }
    });
}
