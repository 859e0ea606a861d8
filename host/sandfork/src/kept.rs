//! What a run left in the state directory, found again by its id or its directory. Reads; changes nothing, so that it may
//! be asked about a run that still goes on.

use crate::error::HostError;
use crate::problem::usage;
use crate::run_dir;
use crate::run_id::RunName;
use crate::state::StateDir;
use sandfork_tools::KeptArtifacts;
use std::path::{Path, PathBuf};

/// Runs named to somebody who asked for one that is not there.
const SHOWN_RUNS: usize = 5;

/// The artifacts of a kept run.
///
/// `run` is the id of a run under `state_dir`, or else the path of a run's directory.
///
/// # Errors
/// When there is no such run, or its index cannot be read.
pub fn kept_artifacts(state_dir: &Path, run: &str) -> Result<KeptArtifacts, HostError> {
    let directory = find(state_dir, run)?;
    KeptArtifacts::read(&run_dir::artifacts(&directory))
        .map_err(|error| HostError::broken(format!("the artifacts of {run} cannot be read: {error}")))
}

/// Where compiled code is kept in a state directory.
#[must_use]
pub fn code_cache_dir(state_dir: &Path) -> PathBuf {
    StateDir::new(state_dir).code_cache()
}

fn find(state_dir: &Path, run: &str) -> Result<PathBuf, HostError> {
    // Only a text that may name a run is joined to a path.
    let kept = RunName::exact(run).ok().map(|_| StateDir::new(state_dir).run(run));
    let given = PathBuf::from(run);
    let is_run = |path: &PathBuf| path.join(run_dir::LOCK).is_file();
    kept.into_iter().chain([given]).find(is_run).ok_or_else(|| {
        let runs = state_dir.join("runs");
        let message = format!("there is no run {run} in {}, and no directory of a run of that path", runs.display());
        usage(format!("{message}{}", others(&runs, run))).into()
    })
}

/// The runs of that name, else the newest of all: a run is called NAME-N.
fn others(runs: &Path, run: &str) -> String {
    let entries = std::fs::read_dir(runs).into_iter().flatten().filter_map(Result::ok);
    let mut all: Vec<(std::time::SystemTime, String)> = entries
        .filter(|entry| entry.path().join(run_dir::LOCK).is_file())
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.file_name().into_string().ok()?)))
        .collect();
    all.sort_by(|one, other| other.cmp(one));
    let is_of_run = |name: &str| name.rsplit_once('-').is_some_and(|(before, _)| before == run);
    let (of_run, rest): (Vec<_>, Vec<_>) = all.iter().map(|(_, name)| name.as_str()).partition(|name| is_of_run(name));
    let shown = if of_run.is_empty() { rest } else { of_run };
    let shown: Vec<&str> = shown.into_iter().take(SHOWN_RUNS).collect();
    if shown.is_empty() { String::new() } else { format!("; there is {}", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_by_its_id_or_its_directory_and_nothing_else_is() {
        let home = tempfile::tempdir().expect("a directory");
        let state = home.path().join("state");
        let held = StateDir::new(&state).claim(&RunName::exact("demo").expect("valid")).expect("claimed");
        for run in ["demo", &held.path.display().to_string()] {
            assert!(kept_artifacts(&state, run).expect("found").entries().is_empty(), "{run}");
        }
        let outside = home.path().display().to_string();
        let told = kept_artifacts(&state, "other").expect_err("no such run").to_string();
        assert!(told.contains("there is demo"), "{told}");
        for run in ["other", "..", "../state/runs/demo/..", "", &outside] {
            assert!(matches!(kept_artifacts(&state, run), Err(HostError::NotStarted(_))), "{run}");
        }
    }
}
