use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use tempfile::TempDir;

fn source(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a directory");
    for (path, text) in files {
        let path = dir.path().join("ws").join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    dir
}

fn copy(dir: &TempDir, limits: CopyLimits) -> io::Result<CopySummary> {
    copy_tree(&dir.path().join("ws"), &dir.path().join("copy"), limits)
}

// M4-44: a bench round starts from the same tree.
#[test]
fn a_tree_is_copied_with_its_permissions_and_inner_links() {
    let dir = source(&[("a.txt", "one"), ("d/e/run.sh", "two!"), ("d/empty", "")]);
    let ws = dir.path().join("ws");
    fs::set_permissions(ws.join("d/e/run.sh"), fs::Permissions::from_mode(0o4750)).expect("set");
    fs::set_permissions(ws.join("d/e"), fs::Permissions::from_mode(0o550)).expect("set");
    symlink("../a.txt", ws.join("d/link")).expect("linked");
    symlink("later.txt", ws.join("dangling")).expect("linked");
    let summary = copy(&dir, CopyLimits::default()).expect("copied");
    assert_eq!(summary, CopySummary { files: 3, directories: 2, links: 2, bytes: 7 });
    let copy = dir.path().join("copy");
    assert_eq!(fs::read_to_string(copy.join("d/e/run.sh")).expect("there"), "two!");
    assert_eq!(fs::read_link(copy.join("d/link")).expect("a link"), Path::new("../a.txt"));
    assert_eq!(fs::read_link(copy.join("dangling")).expect("a link"), Path::new("later.txt"));
    let mode = |path: &str| fs::metadata(copy.join(path)).expect("there").permissions().mode() & 0o7777;
    assert_eq!((mode("d/e/run.sh"), mode("d/e")), (0o750, 0o750));
    fs::write(copy.join("a.txt"), "changed").expect("written");
    assert_eq!(fs::read_to_string(ws.join("a.txt")).expect("there"), "one", "the source is untouched");
}

#[test]
fn what_leads_out_or_is_no_file_is_refused_by_name() {
    for (name, make) in [
        ("up", (|ws| symlink("../outside", ws.join("up"))) as fn(&Path) -> io::Result<()>),
        ("absolute", |ws| symlink("/etc/passwd", ws.join("absolute"))),
        ("d/back", |ws| symlink(ws.join("d/a.txt"), ws.join("d/back"))),
        ("d/socket", |ws| std::os::unix::net::UnixListener::bind(ws.join("d/socket")).map(drop)),
        ("d/deeper/out", |ws| {
            fs::create_dir(ws.join("d/deeper"))?;
            symlink("../../../outside", ws.join("d/deeper/out"))
        }),
    ] {
        let dir = source(&[("d/a.txt", "one")]);
        fs::write(dir.path().join("outside"), "secret").expect("written");
        make(&dir.path().join("ws")).expect("made");
        let error = copy(&dir, CopyLimits::default()).expect_err(name);
        assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
        assert!(!dir.path().join("copy").exists(), "nothing is left of it");
    }
}

#[test]
fn a_tree_over_a_limit_is_refused() {
    for (limits, fits) in [
        (CopyLimits { entries: 4, bytes: 8, depth: 1 }, true),
        (CopyLimits { entries: 3, bytes: 8, depth: 1 }, false),
        (CopyLimits { entries: 4, bytes: 7, depth: 1 }, false),
        (CopyLimits { entries: 4, bytes: 8, depth: 0 }, false),
        (CopyLimits { entries: 0, bytes: 0, depth: 0 }, false),
    ] {
        let dir = source(&[("a", "1234"), ("d/b", "1234"), ("d/c", "")]);
        assert_eq!(copy(&dir, limits).is_ok(), fits, "{limits:?}");
    }
}

#[test]
fn a_target_that_cannot_be_a_fresh_copy_is_refused() {
    let dir = source(&[("d/a.txt", "one")]);
    let ws = dir.path().join("ws");
    for target in [
        ws.clone(),
        ws.join("d"),
        ws.join("new"),
        dir.path().to_path_buf(),
        ws.join("d/a.txt"),
        dir.path().join("no/copy"),
    ] {
        copy_tree(&ws, &target, CopyLimits::default()).expect_err("refused");
    }
    assert!(!ws.join("new").exists());
    copy_tree(&dir.path().join("none"), &dir.path().join("copy"), CopyLimits::default()).expect_err("no source");
    assert!(!dir.path().join("copy").exists());
    fs::create_dir(dir.path().join("copy")).expect("made");
    copy(&dir, CopyLimits::default()).expect("an empty directory is fine");
    copy(&dir, CopyLimits::default()).expect_err("a used one is not");
    assert_eq!(fs::read_to_string(dir.path().join("copy/d/a.txt")).expect("kept"), "one");
}
