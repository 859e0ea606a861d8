//! HOSTILE 25 and 26: whatever a path says, nothing outside is read, written or made.

use super::Ground;
use crate::testing::{answer, code};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Every name and text outside.
fn picture(dir: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(dir).expect("readable").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            (entry.file_name().to_str().expect("UTF-8").to_owned(), text)
        })
        .collect()
}

/// One call of each tool on a path.
fn calls(path: &str) -> [(&'static str, Value); 5] {
    [
        ("read_file", json!({ "path": path })),
        ("write_file", json!({"path": path, "text": "pwned"})),
        ("edit_file", json!({"path": path, "old": "outside", "new": "pwned"})),
        ("list_files", json!({ "path": path })),
        ("search_files", json!({"pattern": ".", "path": path})),
    ]
}

// HOSTILE 25, HOSTILE 26
#[test]
fn no_path_leads_out_and_the_tree_outside_is_unchanged() {
    let ground = Ground::new(&[("a/in.txt", "outside")]);
    symlink("../outside/secret.txt", ground.inside().join("link")).expect("linked");
    symlink("../../outside", ground.inside().join("a/out")).expect("linked");
    symlink(ground.outside().join("secret.txt"), ground.inside().join("absolute")).expect("linked");
    symlink(ground.inside().join("a/in.txt"), ground.inside().join("absolute-in")).expect("linked");
    symlink("/proc/self/root/etc/passwd", ground.inside().join("magic")).expect("linked");
    symlink("../outside/new.txt", ground.inside().join("dangling-out")).expect("linked");
    let before = (picture(ground.dir.path()), picture(&ground.outside()));
    let workspace = ground.workspace();
    let long = "x".repeat(4096);
    let deep = "a/../".repeat(819) + "a";
    for path in [
        "../outside/secret.txt",
        "../x",
        "..",
        "/",
        "/etc/passwd",
        "//etc/passwd",
        "a/../../x",
        "a/../../outside/secret.txt",
        "./a/./../../outside",
        "link",
        "a/out/secret.txt",
        "a/out/new/x.txt",
        "a/out",
        "absolute",
        "absolute-in",
        "magic",
        "dangling-out",
        "a\0b",
        "\0",
        "a/in.txt\0.png",
        "",
        &long,
        &"x".repeat(256),
        &deep,
    ] {
        for (tool, arguments) in calls(path) {
            let refused = code(&workspace, tool, arguments);
            assert_eq!(refused, "path_refused", "{tool} {}", path.get(..40).unwrap_or(path).escape_debug());
        }
    }
    assert_eq!((picture(ground.dir.path()), picture(&ground.outside())), before);
    assert_eq!(ground.text("a/in.txt"), "outside");
}

#[test]
fn a_listing_and_a_search_go_past_links() {
    let ground = Ground::new(&[("a/in.txt", "outside")]);
    symlink("../outside", ground.inside().join("out")).expect("linked");
    symlink("..", ground.inside().join("a/up")).expect("linked");
    symlink("a/in.txt", ground.inside().join("in")).expect("linked");
    let found = answer(&ground.workspace(), "search_files", json!({"pattern": "outside"})).expect("searched");
    assert_eq!(found["matches"], json!([{"path": "a/in.txt", "line": 1, "text": "outside"}]));
}

#[test]
fn a_link_that_stays_inside_is_followed_and_stays_a_link() {
    let ground = Ground::new(&[("v1.txt", "one"), ("d/x.txt", "x")]);
    symlink("v1.txt", ground.inside().join("current")).expect("linked");
    symlink("d", ground.inside().join("e")).expect("linked");
    symlink("nowhere", ground.inside().join("dangling")).expect("linked");
    let workspace = ground.workspace();
    answer(&workspace, "edit_file", json!({"path": "current", "old": "one", "new": "two"})).expect("edited");
    answer(&workspace, "write_file", json!({"path": "e/new.txt", "text": "new"})).expect("written");
    assert_eq!((ground.text("v1.txt"), ground.text("d/new.txt")), ("two".into(), "new".into()));
    assert!(ground.inside().join("current").is_symlink());
    assert_eq!(code(&workspace, "read_file", json!({"path": "dangling"})), "not_found");
    assert_eq!(code(&workspace, "write_file", json!({"path": "dangling", "text": ""})), "path_refused");
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting_for_it() {
    let ground = Ground::new(&[]);
    let _socket = std::os::unix::net::UnixListener::bind(ground.inside().join("socket")).expect("bound");
    let made = std::process::Command::new("mkfifo").arg(ground.inside().join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    let workspace = ground.workspace();
    for path in ["pipe", "socket"] {
        for (tool, arguments) in calls(path) {
            assert_eq!(code(&workspace, tool, arguments), "not_a_file", "{tool} {path}");
        }
    }
    let listed = answer(&workspace, "list_files", json!({})).expect("listed");
    assert_eq!(listed["files"], json!([]));
}

#[test]
fn a_file_keeps_its_permissions_and_a_read_only_one_its_text() {
    let ground = Ground::new(&[("run.sh", "outside"), ("fixed.txt", "outside")]);
    fs::set_permissions(ground.inside().join("run.sh"), fs::Permissions::from_mode(0o750)).expect("set");
    fs::set_permissions(ground.inside().join("fixed.txt"), fs::Permissions::from_mode(0o444)).expect("set");
    let workspace = ground.workspace();
    answer(&workspace, "write_file", json!({"path": "run.sh", "text": "new"})).expect("written");
    let mode = fs::metadata(ground.inside().join("run.sh")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    for (tool, arguments) in
        calls("fixed.txt").into_iter().filter(|(tool, _)| matches!(*tool, "write_file" | "edit_file"))
    {
        assert_eq!(code(&workspace, tool, arguments), "path_refused");
    }
    assert_eq!(ground.text("fixed.txt"), "outside");
}

// A hard link made by whoever set the directory up: writing replaces the name inside, the file outside keeps its text.
#[test]
fn a_hard_link_to_the_outside_is_not_written_through() {
    let ground = Ground::new(&[]);
    fs::hard_link(ground.outside().join("secret.txt"), ground.inside().join("hard")).expect("linked");
    answer(&ground.workspace(), "write_file", json!({"path": "hard", "text": "pwned"})).expect("written");
    assert_eq!(fs::read_to_string(ground.outside().join("secret.txt")).expect("there"), "outside");
}

// HOSTILE 25: "swapped in between". The swapping thread turns `d` and `f` from real to link and back without pause.
#[test]
fn a_link_swapped_in_between_never_leads_out() {
    let ground = Ground::new(&[("d/secret.txt", "inside"), ("f", "inside")]);
    let (inside, before) = (ground.inside(), picture(&ground.outside()));
    symlink("../outside", inside.join("dir-link")).expect("linked");
    symlink("../outside/secret.txt", inside.join("file-link")).expect("linked");
    let workspace = ground.workspace();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                // Each step may meet a name that the tools have just replaced; that is part of the chaos.
                for (real, link) in [("d", "dir-link"), ("f", "file-link")] {
                    for (from, to) in [(real, "aside"), (link, real), (real, link), ("aside", real)] {
                        drop(fs::rename(inside.join(from), inside.join(to)));
                    }
                }
            }
        });
        for round in 0..400 {
            for path in ["d/secret.txt", "f", "d/new.txt"] {
                for (tool, arguments) in calls(path) {
                    if let Ok(value) = answer(&workspace, tool, arguments) {
                        let is_foreign = value.to_string().contains("\"outside\"");
                        assert!(!is_foreign, "round {round}: {tool} {path} saw {value}");
                    }
                }
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(picture(&ground.outside()), before);
}
