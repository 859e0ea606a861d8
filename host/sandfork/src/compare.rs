//! Two kept reports, read for a comparison. No engine is needed for this.

use crate::counted;
use crate::error::HostError;
use crate::problem::of_file;
use crate::read::read_bounded;
use sandfork_report::{Comparison, Failure};
use serde_json::Value;
use std::path::Path;

/// The most bytes read of a report.
const REPORT_BYTES: u64 = 256 << 20;
/// The most values of one: some 40 for each of 50 000 forks. They take a few hundred bytes each in memory.
const REPORT_VALUES: u64 = 2_000_000;

/// Compares two report files.
///
/// # Errors
/// The file that cannot be read, is no JSON or no report.
pub fn compare(a: &Path, b: &Path) -> Result<Comparison, HostError> {
    let [(first, one), (second, other)] = [read(a)?, read(b)?];
    Comparison::of((first.as_str(), &one), (second.as_str(), &other))
        .map_err(|(name, why)| invalid(Path::new(&name), why).into())
}

fn read(path: &Path) -> Result<(String, Value), HostError> {
    let bytes =
        read_bounded(path, REPORT_BYTES + 1).map_err(|error| invalid(path, format!("cannot be read: {error}")))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > REPORT_BYTES {
        return Err(invalid(path, format!("has more than {REPORT_BYTES} bytes")).into());
    }
    let report = counted::parse(&bytes, REPORT_VALUES)
        .map_err(|error| invalid(path, format!("cannot be read as JSON: {error}")))?;
    Ok((path.display().to_string(), report))
}

fn invalid(path: &Path, why: String) -> Failure {
    let mut problem = of_file(path, why);
    problem.hint = Some("a report is what `sandfork run PLAN --json` prints".into());
    Failure { code: "invalid_report", message: format!("{} is no report", path.display()), problems: vec![problem] }
}
