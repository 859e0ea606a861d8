//! The five file tools, as a guest meets them.

mod confinement;
mod limits;
mod together;

use crate::Workspace;
use crate::testing::{answer, code};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A workspace directory with a neighbour: `inside` is what the tools see, `outside` what they must not.
struct Ground {
    dir: TempDir,
}

impl Ground {
    fn new(files: &[(&str, &str)]) -> Self {
        let ground = Self { dir: TempDir::new().expect("a directory") };
        fs::create_dir(ground.inside()).expect("made");
        fs::create_dir(ground.outside()).expect("made");
        fs::write(ground.outside().join("secret.txt"), "outside").expect("written");
        for (path, text) in files {
            let path = ground.inside().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        }
        ground
    }

    fn inside(&self) -> std::path::PathBuf {
        self.dir.path().join("inside")
    }

    fn outside(&self) -> std::path::PathBuf {
        self.dir.path().join("outside")
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.inside()).expect("opened")
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.inside().join(path)).expect("readable")
    }
}

fn paths(value: &Value) -> Vec<String> {
    let files = value["files"].as_array().expect("files");
    files.iter().map(|file| file["path"].as_str().expect("a path").to_owned()).collect()
}

#[test]
fn a_file_is_read_with_its_size_and_lines() {
    let ground = Ground::new(&[("a.txt", "one\r\ntwo\n"), ("d/b.txt", "ä"), ("empty", "")]);
    for (path, expected) in [
        ("a.txt", json!({"path": "a.txt", "text": "one\r\ntwo\n", "bytes": 9, "lines": 2})),
        ("d/b.txt", json!({"path": "d/b.txt", "text": "ä", "bytes": 2, "lines": 1})),
        ("./d/../a.txt", json!({"path": "./d/../a.txt", "text": "one\r\ntwo\n", "bytes": 9, "lines": 2})),
        ("empty", json!({"path": "empty", "text": "", "bytes": 0, "lines": 0})),
    ] {
        assert_eq!(answer(&ground.workspace(), "read_file", json!({ "path": path })), Ok(expected));
    }
}

#[test]
fn a_file_is_written_whole_and_its_directories_are_made() {
    let ground = Ground::new(&[("a.txt", "a long text")]);
    let workspace = ground.workspace();
    for (path, text, created) in
        [("a.txt", "short", false), ("new.txt", "", true), ("x/y/z.txt", "deep", true), ("x/y/z.txt", "again", false)]
    {
        let expected = json!({"path": path, "bytes": text.len(), "created": created});
        assert_eq!(answer(&workspace, "write_file", json!({"path": path, "text": text})), Ok(expected));
        assert_eq!(ground.text(path), text);
    }
    let left = answer(&workspace, "list_files", json!({})).expect("listed");
    assert_eq!(paths(&left), ["a.txt", "new.txt", "x/y/z.txt"], "no prepared file stays behind");
}

// M4-40
#[test]
fn an_edit_replaces_the_one_place_and_nothing_else() {
    let module = "# alpha\r\nVALUE = 1\r\n\r\nno newline at the end";
    let ground = Ground::new(&[("alpha_module.py", module)]);
    let edit = json!({"path": "alpha_module.py", "old": "VALUE = 1", "new": "VALUE = 42"});
    let expected = json!({"path": "alpha_module.py", "bytes": module.len() + 1, "replaced": 1, "line": 2});
    assert_eq!(answer(&ground.workspace(), "edit_file", edit), Ok(expected));
    assert_eq!(ground.text("alpha_module.py"), "# alpha\r\nVALUE = 42\r\n\r\nno newline at the end");
}

#[test]
fn an_edit_without_one_clear_place_changes_nothing() {
    let ground = Ground::new(&[("a.txt", "one two two")]);
    for (old, expected, count) in [
        ("three", "text_not_found", json!(null)),
        ("two", "text_ambiguous", json!(2)),
        ("", "invalid_arguments", json!(null)),
    ] {
        let edit = json!({"path": "a.txt", "old": old, "new": "x"});
        let error = answer(&ground.workspace(), "edit_file", edit).expect_err("refused");
        assert_eq!((error.code.as_str(), &error.details["count"]), (expected, &count));
        assert_eq!(ground.text("a.txt"), "one two two");
    }
}

#[test]
fn what_is_not_there_or_no_text_is_told_apart() {
    let ground = Ground::new(&[("d/a.txt", "a")]);
    fs::write(ground.inside().join("binary"), [0x66, 0xff, 0x00]).expect("written");
    let workspace = ground.workspace();
    for (tool, arguments, expected) in [
        ("read_file", json!({"path": "no.txt"}), "not_found"),
        ("read_file", json!({"path": "no/no.txt"}), "not_found"),
        ("read_file", json!({"path": "d"}), "not_a_file"),
        ("read_file", json!({"path": "."}), "not_a_file"),
        ("read_file", json!({"path": "d/a.txt/x"}), "path_refused"),
        ("read_file", json!({"path": "binary"}), "not_text"),
        ("read_file", json!({"path": ["d"]}), "invalid_arguments"),
        ("read_file", json!({"path": "d/a.txt", "offset": 1}), "invalid_arguments"),
        ("read_file", json!({}), "invalid_arguments"),
        ("edit_file", json!({"path": "no.txt", "old": "a", "new": "b"}), "not_found"),
        ("edit_file", json!({"path": "d", "old": "a", "new": "b"}), "not_a_file"),
        ("edit_file", json!({"path": "binary", "old": "f", "new": "b"}), "not_text"),
        ("edit_file", json!({"path": "d/a.txt", "old": "a"}), "invalid_arguments"),
        ("write_file", json!({"path": "d", "text": ""}), "not_a_file"),
        ("write_file", json!({"path": ".", "text": ""}), "not_a_file"),
        ("write_file", json!({"path": "d/a.txt/x", "text": ""}), "path_refused"),
        ("write_file", json!({"path": "d/a.txt/x/y", "text": ""}), "path_refused"),
        ("write_file", json!({"path": "new/", "text": ""}), "path_refused"),
        ("write_file", json!({"path": "new/.", "text": ""}), "path_refused"),
        ("write_file", json!({"path": "new/../x", "text": ""}), "not_found"),
        ("write_file", json!({"path": "a.txt"}), "invalid_arguments"),
        ("list_files", json!({"path": "no"}), "not_found"),
        ("list_files", json!({"path": ""}), "path_refused"),
        ("search_files", json!({"pattern": "("}), "pattern_invalid"),
        ("search_files", json!({"pattern": ""}), "invalid_arguments"),
        ("search_files", json!({"pattern": "a", "path": "no"}), "not_found"),
        ("copy_file", json!({"path": "d/a.txt"}), "invalid_arguments"),
    ] {
        assert_eq!(code(&workspace, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
    assert_eq!(paths(&answer(&workspace, "list_files", json!({})).expect("listed")), ["binary", "d/a.txt"]);
    assert!(!ground.inside().join("new").exists(), "a refused write leaves no directory behind");
}

#[test]
fn files_are_listed_in_the_order_of_their_paths() {
    let ground = Ground::new(&[("b", "1"), ("a/z", "22"), ("a-c", ""), ("a/b/c", "333"), ("a.txt", "")]);
    let workspace = ground.workspace();
    let all = answer(&workspace, "list_files", json!({})).expect("listed");
    assert_eq!(paths(&all), ["a-c", "a.txt", "a/b/c", "a/z", "b"]);
    assert_eq!((&all["truncated"], &all["skipped"]), (&json!(false), &json!(0)));
    let below = json!({"files": [{"path": "a/b/c", "bytes": 3}, {"path": "a/z", "bytes": 2}], "truncated": false, "skipped": 0});
    for path in ["a", "./a/", "a/b/.."] {
        assert_eq!(answer(&workspace, "list_files", json!({ "path": path })), Ok(below.clone()), "{path}");
    }
    let single = answer(&workspace, "list_files", json!({"path": "a/z"})).expect("listed");
    assert_eq!(paths(&single), ["a/z"]);
}

#[test]
fn lines_are_found_in_the_order_of_path_and_line() {
    let ground = Ground::new(&[("b.py", "x = 1\r\ny = 2\nx = 3"), ("a/c.py", "x = 0\n"), ("a-b", "nothing")]);
    fs::write(ground.inside().join("binary"), b"x = \xff").expect("written");
    let found = answer(&ground.workspace(), "search_files", json!({"pattern": r"^x = \d$"}));
    let expected = json!({
        "matches": [
            {"path": "a/c.py", "line": 1, "text": "x = 0"},
            {"path": "b.py", "line": 1, "text": "x = 1"},
            {"path": "b.py", "line": 3, "text": "x = 3"},
        ],
        "truncated": false,
        "skipped": 1,
    });
    assert_eq!(found, Ok(expected));
    let below = answer(&ground.workspace(), "search_files", json!({"pattern": "x", "path": "a"})).expect("searched");
    assert_eq!(below["matches"], json!([{"path": "a/c.py", "line": 1, "text": "x = 0"}]));
}

#[test]
fn an_empty_workspace_can_be_written_and_is_shared_by_its_clones() {
    let workspace = Workspace::empty().expect("a directory");
    assert_eq!(paths(&answer(&workspace, "list_files", json!({})).expect("listed")), Vec::<String>::new());
    let other = workspace.clone();
    answer(&workspace, "write_file", json!({"path": "a", "text": "x"})).expect("written");
    drop(workspace);
    assert_eq!(answer(&other, "read_file", json!({"path": "a"})).expect("read")["text"], "x");
}

#[test]
fn errors_name_the_path_as_it_was_given_and_no_path_of_the_host() {
    let ground = Ground::new(&[("d/a.txt", "a")]);
    let host = ground.dir.path().to_str().expect("UTF-8").to_owned();
    for (tool, arguments) in [
        ("read_file", json!({"path": "no/such\nfile"})),
        ("read_file", json!({"path": "../outside/secret.txt"})),
        ("write_file", json!({"path": "d", "text": ""})),
        ("edit_file", json!({"path": "d/a.txt", "old": "x", "new": ""})),
        ("list_files", json!({"path": ".."})),
        ("read_file", json!({"path": "x".repeat(300)})),
        ("read_file", json!({"path": "ä".repeat(1 << 20)})),
    ] {
        let error = answer(&ground.workspace(), tool, arguments).expect_err("refused");
        let text = format!("{} {}", error.message, error.details);
        assert!(!text.contains(&host), "{text}");
        assert!(!error.message.contains('\n') && text.len() < 1500, "{text}");
        assert_eq!(error.details["tool"], tool);
    }
}
