//! `sandfork compile`: a script to a component, written whole or not at all.

use crate::cli::args::CompileArgs;
use crate::cli::exit::Exit;
use crate::cli::show;
use std::fs;
use std::io;
use std::path::Path;

pub(crate) fn compile(args: &CompileArgs) -> Exit {
    if is_same_file(&args.script, &args.output) {
        show::say(&format!("error: {} is the script itself; name another file with -o", args.output.display()));
        return Exit::Usage;
    }
    let component = match sandfork::compile_script(&args.script) {
        Ok(component) => component,
        Err(failure) => return show::failure(&failure, false, Exit::Usage),
    };
    match write(&args.output, &component) {
        Ok(()) => {
            show::say(&format!("{}: {} bytes", args.output.display(), component.len()));
            Exit::Completed
        }
        Err(error) => {
            show::say(&format!("error: {} cannot be written: {error}", args.output.display()));
            Exit::Usage
        }
    }
}

/// Whether two paths lead to one file that is there.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Beside its place first, so that a component that is there is never half a new one.
fn write(path: &Path, component: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    };
    if path.exists() && !path.is_file() {
        // A device or pipe is written to, never replaced.
        return fs::write(path, component);
    }
    let mut unfinished = name.to_owned();
    unfinished.push(format!(".{}.tmp", std::process::id()));
    let unfinished = path.with_file_name(unfinished);
    fs::write(&unfinished, component).and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    })
}
