//! What the fuzzer begins with besides the inputs kept in `seeds/`: every guest and every script of the fixtures, and those
//! scripts compiled. Made anew each time, so that a new fixture is a new seed: `cargo run --example seeds`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = |target: &str| here.join("corpus").join(target);
    fs::create_dir_all(corpus("load"))?;
    fs::create_dir_all(corpus("script"))?;
    let fixtures = here.join("../fixtures");
    for path in files(&fixtures)? {
        // Many directories have a `plan.yaml`.
        let name = path.strip_prefix(&fixtures)?.to_str().ok_or("a name that is no text")?.replace('/', "-");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("wat") => fs::write(corpus("load").join(&name), wat::parse_file(&path)?)?,
            Some("yaml") => {
                let source = fs::read(&path)?;
                // Plans lie among the scripts: they are refused, and no worse a text to begin with.
                if let Ok(compiled) = sandfork_script::compile(&name, &source) {
                    fs::write(corpus("load").join(&name), compiled.component)?;
                }
                fs::write(corpus("script").join(&name), source)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// All files below a directory.
fn files(dir: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    Ok(found)
}
