//! Every limit of a workspace refuses one too many, and what it leaves out is visible.

use super::{Ground, paths};
use crate::testing::{answer, code};
use crate::workspace::{Workspace, WorkspaceLimits};
use serde_json::{Value, json};
use std::fs;

fn limited(ground: &Ground, limits: WorkspaceLimits) -> Workspace {
    Workspace::open_with(&ground.inside(), limits).expect("opened")
}

fn write(workspace: &Workspace, path: &str, bytes: usize) -> Result<Value, (String, Value)> {
    answer(workspace, "write_file", json!({"path": path, "text": "x".repeat(bytes)}))
        .map_err(|error| (error.code, error.details))
}

#[test]
fn a_file_over_the_size_limit_is_neither_read_nor_written() {
    let ground = Ground::new(&[("ten", "0123456789"), ("eleven", "0123456789x")]);
    let workspace = limited(&ground, WorkspaceLimits { file_bytes: 10, ..WorkspaceLimits::default() });
    answer(&workspace, "read_file", json!({"path": "ten"})).expect("fits");
    assert_eq!(code(&workspace, "read_file", json!({"path": "eleven"})), "too_large");
    write(&workspace, "new", 10).expect("fits");
    let (code_, details) = write(&workspace, "newer", 11).expect_err("too large");
    assert_eq!(code_, "too_large");
    assert_eq!((&details["asked"], &details["left"], &details["limit"]), (&json!(11), &json!(10), &json!(10)));
    let edit = json!({"path": "ten", "old": "0", "new": "00"});
    assert_eq!(code(&workspace, "edit_file", edit), "too_large");
    assert_eq!(ground.text("ten"), "0123456789");
    assert!(!ground.inside().join("newer").exists());
    let found = answer(&workspace, "search_files", json!({"pattern": "x"})).expect("searched");
    assert_eq!(found["skipped"], 1);
}

// A sparse file costs its maker nothing; the reader must not pay for it either.
#[test]
fn a_file_that_only_claims_to_be_huge_is_refused_by_its_size() {
    let ground = Ground::new(&[]);
    fs::File::create(ground.inside().join("huge")).and_then(|file| file.set_len(1 << 40)).expect("made");
    assert_eq!(code(&ground.workspace(), "read_file", json!({"path": "huge"})), "too_large");
}

#[test]
fn writing_ends_at_the_bytes_of_the_whole_workspace() {
    let ground = Ground::new(&[]);
    let workspace = limited(&ground, WorkspaceLimits { written_bytes: 25, ..WorkspaceLimits::default() });
    write(&workspace, "a", 10).expect("fits");
    write(&workspace, "a", 10).expect("overwriting writes too");
    let (code, details) = write(&workspace.clone(), "a", 6).expect_err("a clone has no purse of its own");
    assert_eq!((code.as_str(), &details["left"], &details["limit"]), ("too_large", &json!(5), &json!(25)));
    write(&workspace, "b", 5).expect("the rest can still be written");
    write(&workspace, "c", 0).expect("nothing costs nothing");
    assert_eq!(ground.text("a").len(), 10);
}

#[test]
fn writing_ends_at_the_number_of_things_made() {
    let ground = Ground::new(&[]);
    let workspace = limited(&ground, WorkspaceLimits { created_entries: 4, ..WorkspaceLimits::default() });
    write(&workspace, "a/b/c", 1).expect("three things");
    let (code, details) = write(&workspace, "x/y", 1).expect_err("two are too many");
    assert_eq!((code.as_str(), &details["asked"], &details["left"]), ("too_large", &json!(2), &json!(1)));
    assert!(!ground.inside().join("x").exists(), "a refused write leaves no directory behind");
    write(&workspace, "y", 1).expect("one fits");
    assert_eq!(write(&workspace, "z", 1).expect_err("none fits").0, "too_large");
    write(&workspace, "y", 2).expect("what is there can be written again");
}

#[test]
fn nesting_is_limited_for_writing_and_visible_in_listings() {
    let ground = Ground::new(&[("1/2/deep", ""), ("1/2/3/deeper", ""), ("last", "")]);
    let workspace = limited(&ground, WorkspaceLimits { depth: 2, ..WorkspaceLimits::default() });
    write(&workspace, "x/y/z", 0).expect("two directories");
    assert_eq!(write(&workspace, "q/r/s/t", 0).expect_err("three").0, "path_refused");
    let listed = answer(&workspace, "list_files", json!({})).expect("listed");
    assert_eq!(
        (paths(&listed), &listed["truncated"]),
        (vec!["1/2/deep".into(), "last".into(), "x/y/z".into()], &json!(true))
    );
}

#[test]
fn a_listing_is_cut_after_its_first_files_and_says_so() {
    let ground = Ground::new(&[("a", ""), ("b/c", ""), ("b/d", ""), ("e", "")]);
    for (listed_files, truncated) in [(4, false), (3, true), (2, true), (0, true)] {
        let workspace = limited(&ground, WorkspaceLimits { listed_files, ..WorkspaceLimits::default() });
        let listed = answer(&workspace, "list_files", json!({})).expect("listed");
        let expected = ["a", "b/c", "b/d", "e"];
        assert_eq!(paths(&listed), expected[..listed_files]);
        assert_eq!(listed["truncated"], truncated, "{listed_files}");
    }
    let workspace = limited(&ground, WorkspaceLimits { visited_entries: 2, ..WorkspaceLimits::default() });
    assert_eq!(answer(&workspace, "list_files", json!({})).expect("listed")["truncated"], true);
}

#[test]
fn a_search_is_cut_after_its_first_matches_and_says_so() {
    let ground = Ground::new(&[("a", "x\nx\nx\n")]);
    for (matches, truncated) in [(3, false), (2, true)] {
        let workspace = limited(&ground, WorkspaceLimits { matches, ..WorkspaceLimits::default() });
        let found = answer(&workspace, "search_files", json!({"pattern": "x"})).expect("searched");
        assert_eq!(found["matches"].as_array().expect("matches").len(), matches);
        assert_eq!(found["truncated"], truncated);
    }
}

#[test]
fn a_long_line_is_shown_cut_and_searched_at_its_start_only() {
    let long = format!("{}needle{}needle2", "ä".repeat(600), "-".repeat(20_000));
    let ground = Ground::new(&[("a", &long)]);
    let found = answer(&ground.workspace(), "search_files", json!({"pattern": "needle"})).expect("searched");
    let hit = &found["matches"][0];
    assert_eq!((hit["text"].as_str().expect("text").len(), &hit["cut"]), (1024, &json!(true)));
    assert_eq!(found["truncated"], true);
    let found = answer(&ground.workspace(), "search_files", json!({"pattern": "needle2"})).expect("searched");
    assert_eq!((&found["matches"], &found["truncated"]), (&json!([]), &json!(true)));
}

// The work of a search is bounded by pattern and bytes together: the larger pattern sees less of the text, visibly.
#[test]
fn a_costly_pattern_sees_less_text() {
    let text = format!("{}\n", "b".repeat(1000)).repeat(3 << 10);
    let ground = Ground::new(&[("a", &text)]);
    for (pattern, truncated) in [("a", false), (r"\w{20}a", true)] {
        let found = answer(&ground.workspace(), "search_files", json!({ "pattern": pattern })).expect("searched");
        assert_eq!(found["truncated"], truncated, "{pattern}");
    }
}
