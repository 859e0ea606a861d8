//! `sandfork check`: what a file is and what is wrong with it.

use crate::cli::args::CheckArgs;
use crate::cli::exit::Exit;
use crate::cli::show;
use sandfork::Failure;
use serde_json::json;

pub(crate) fn check(args: &CheckArgs) -> Exit {
    let mut good = Vec::new();
    let mut warnings = Vec::new();
    let mut bad: Vec<Failure> = Vec::new();
    for path in &args.files {
        match sandfork::examine(path) {
            Ok(examined) => {
                warnings.extend(examined.warnings);
                good.push((path.display().to_string(), examined.kind.name()));
            }
            Err(failure) => bad.push(failure),
        }
    }
    for failure in &bad {
        show::say(&failure.words());
    }
    for warning in &warnings {
        show::say(&format!("warning: {}", warning.words()));
    }
    let exit = if bad.is_empty() { Exit::Completed } else { Exit::Usage };
    if !args.json {
        let lines: String = good.iter().map(|(path, kind)| format!("{path}: {kind}, ok\n")).collect();
        return show::text(&lines, exit);
    }
    let mut all = bad.into_iter();
    match all.next() {
        Some(first) => {
            let problems = first.problems.into_iter().chain(all.flat_map(|failure| failure.problems)).collect();
            show::document(&Failure { problems, ..first }.document(), exit)
        }
        None => {
            let files: Vec<_> = good.iter().map(|(path, kind)| json!({ "file": path, "kind": kind })).collect();
            show::document(&json!({ "schema": "sandfork.check.v1", "files": files, "warnings": warnings }), exit)
        }
    }
}
