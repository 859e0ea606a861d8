//! Figures of many samples, and of this process. Reads `/proc`; measures nothing itself.

use anyhow::{Context, Result};
use std::fs;

/// The middle sample, or the mean of the two middle ones; 0 without samples.
pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    let at = |place: usize| samples.get(place).copied().unwrap_or_default();
    if samples.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle.wrapping_sub(1)), at(middle)) }
}

/// The sample that `percent` of all do not exceed; 0 without samples.
pub(crate) fn percentile(mut samples: Vec<f64>, percent: usize) -> f64 {
    samples.sort_by(f64::total_cmp);
    let place = (samples.len() * percent).div_ceil(100).saturating_sub(1);
    samples.get(place).copied().unwrap_or_default()
}

/// Resident memory of this process in KiB.
pub(crate) fn resident_kib() -> Result<f64> {
    const PAGE_KIB: f64 = 4.0;
    let statm = fs::read_to_string("/proc/self/statm")?;
    let pages: f64 = statm.split_whitespace().nth(1).context("statm has a second field")?.parse()?;
    Ok(pages * PAGE_KIB)
}

/// Page tables of this process in KiB: not part of its resident memory.
pub(crate) fn page_table_kib() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmPTE:")).context("status has VmPTE")?;
    Ok(line.split_whitespace().next().context("VmPTE has a number")?.parse()?)
}

/// Memory mappings of this process.
pub(crate) fn mappings() -> Result<usize> {
    Ok(fs::read_to_string("/proc/self/maps")?.lines().count())
}

/// A count as a figure.
#[allow(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^53")]
pub(crate) fn figure(count: u64) -> f64 {
    count as f64
}
