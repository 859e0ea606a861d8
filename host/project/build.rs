//! Puts the templates, the Rust SDK and the interface into the crate by walking their directories: what lies there is what
//! `sandfork new` writes, and no list is kept by hand. What a toolchain left behind is passed over.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directories that toolchains make inside a template that somebody tried out.
const LEFT_BEHIND: [&str; 6] = ["target", "node_modules", ".venv", "__pycache__", "build", ".sandfork"];
/// Deeper than any template; a link in a circle ends here.
const MAX_DEPTH: usize = 16;

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let root = here.ancestors().nth(2).ok_or_else(|| io::Error::other("this crate has no repository around it"))?;
    let mut code = String::new();
    for (name, directory) in [
        ("RUST", "guest-agents/templates/rust"),
        ("JS", "guest-agents/templates/js"),
        ("TS", "guest-agents/templates/ts"),
        ("PYTHON", "guest-agents/templates/python"),
        ("SDK", "guest-agents/sdk"),
        ("WIT", "wit"),
    ] {
        let directory = root.join(directory);
        println!("cargo::rerun-if-changed={}", directory.display());
        let mut files = Vec::new();
        walk(&directory, "", 0, &mut files)?;
        files.sort();
        let _ = writeln!(code, "pub(crate) const {name}: &[(&str, &[u8])] = &[");
        for (path, place) in files {
            let _ = writeln!(code, "    ({path:?}, include_bytes!({:?})),", place.display().to_string());
        }
        code.push_str("];\n");
    }
    fs::write(out.join("embedded.rs"), code)
}

fn walk(directory: &Path, below: &str, depth: usize, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    if depth > MAX_DEPTH || !directory.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if LEFT_BEHIND.contains(&name) {
            continue;
        }
        let inside = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            walk(&path, &inside, depth + 1, files)?;
        } else {
            files.push((inside, path));
        }
    }
    Ok(())
}
