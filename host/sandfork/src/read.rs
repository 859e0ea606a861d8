//! Files to plans and components, with every problem in the words of the command line. No engine is needed for this.

use crate::examine::Kind;
use crate::mistaken::mistaken;
use crate::problem::{all_placed, invalid_plan, invalid_script, unreadable};
use sandfork_model::Plan;
use sandfork_plan::Overrides;
use sandfork_report::Failure;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The most bytes read of a script: one more than the compiler takes, so that it sees what is too long.
pub(crate) const SCRIPT_BYTES: u64 = (1 << 20) + 1;

/// Reads a plan and checks all that can be known before a run.
///
/// # Errors
/// Every problem found, each with its place.
pub fn read_plan(path: &Path, overrides: &Overrides) -> Result<Plan, Failure> {
    sandfork_plan::load(path, overrides)
        .map_err(|problems| mistaken(path, Kind::Plan).unwrap_or_else(|| invalid_plan(path, all_placed(problems))))
}

/// Compiles a script to a component that needs nothing else.
///
/// # Errors
/// Every problem found, each with its place.
pub fn compile_script(path: &Path) -> Result<Vec<u8>, Failure> {
    let source =
        read_bounded(path, SCRIPT_BYTES).map_err(|error| invalid_script(path, vec![unreadable(path, &error)]))?;
    let compiled = sandfork_script::compile(&path.display().to_string(), &source).map_err(|problems| {
        mistaken(path, Kind::Script).unwrap_or_else(|| invalid_script(path, all_placed(problems)))
    })?;
    Ok(compiled.component)
}

/// The first `most_bytes` bytes of a regular file. Anything else could be without end, or keep the reader waiting.
pub(crate) fn read_bounded(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}
