//! What lies beside the languages' SDKs: a toolchain reads a project's own files only, so copies exist, and they must agree.

use crate::harness::repository;
use std::fs;
use std::path::{Path, PathBuf};

/// What toolchains make inside a project.
const MADE: [&str; 6] = ["target", "node_modules", ".venv", "__pycache__", "build", ".sandfork"];

/// All files below `dir` with this name.
fn named(dir: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("readable") {
        let path = entry.expect("readable").path();
        let is_made = MADE.iter().any(|made| path.ends_with(made));
        if path.is_dir() && !is_made {
            named(&path, name, found);
        } else if path.ends_with(name) {
            found.push(path);
        }
    }
}

fn below_guest_agents(name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    named(&repository().join("guest-agents"), name, &mut found);
    found
}

#[test]
fn every_copy_of_an_sdk_is_its_templates() {
    for (name, template) in [("sandfork.js", "js"), ("sandfork.py", "python")] {
        let original = repository().join("guest-agents/templates").join(template).join(name);
        let text = fs::read_to_string(&original).expect("the template's SDK");
        let copies = below_guest_agents(name);
        assert!(copies.len() >= 2, "a template and a shipped agent: {copies:?}");
        for copy in copies {
            let same = fs::read_to_string(&copy).expect("readable") == text;
            assert!(same, "{} differs; copy {} over it", copy.display(), original.display());
        }
    }
}

#[test]
fn toolchains_are_pinned_and_locks_name_no_registry() {
    let packages = below_guest_agents("package.json");
    assert!(packages.len() >= 3, "{packages:?}");
    for package in packages {
        let read = |path: &Path| -> serde_json::Value {
            let text = fs::read_to_string(path).expect("readable");
            assert!(!text.contains("://"), "{}: an address", path.display());
            serde_json::from_str(&text).expect("JSON")
        };
        let (wanted, locked) = (read(&package), read(&package.with_file_name("package-lock.json")));
        for (name, version) in wanted["devDependencies"].as_object().expect("a toolchain") {
            assert_eq!(
                &locked["packages"][format!("node_modules/{name}")]["version"],
                version,
                "{}",
                package.display()
            );
        }
    }
    for requirements in below_guest_agents("requirements.txt") {
        let text = fs::read_to_string(&requirements).expect("readable");
        assert!(text.lines().all(|line| line.contains("==")), "{}: {text}", requirements.display());
    }
}
