//! What a run needs on disk: its directory, and the workspace that its file tools see.

use crate::error::HostError;
use crate::problem;
use crate::run_dir::RunDir;
use crate::run_id::RunName;
use crate::state::StateDir;
use sandfork_model::Plan;
use sandfork_report::Failure;
use sandfork_tools::{CopyLimits, Workspace, copy_tree};
use std::io;
use std::path::{Path, PathBuf};

/// A run's directory, held for the run's life, and its workspace.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) dir: RunDir,
    pub(crate) workspace: Workspace,
    shown: Option<PathBuf>,
}

impl Stage {
    /// Where the workspace lies, as the user would write it; `None` where the plan has none.
    pub(crate) fn shown_workspace(&self) -> Option<PathBuf> {
        self.shown.clone()
    }

    /// Brings the workspace back to what the plan says, for another round. Does files.
    pub(crate) fn reset(&mut self, plan: &Plan) -> Result<(), HostError> {
        let broken = |error| HostError::broken(format!("old artifacts cannot be removed: {error}"));
        self.dir.reset_artifacts().map_err(broken)?;
        let (workspace, shown) = workspace(plan, &self.dir, false)?;
        self.workspace = workspace;
        self.shown = shown;
        Ok(())
    }
}

/// Claims the directory and fills it. Does files.
pub(crate) fn stage(state: &StateDir, plan: &Plan, name: &RunName, in_place: bool) -> Result<Stage, HostError> {
    if in_place && plan.workspace.is_none() {
        return Err(problem::usage(format!("the plan {} has no `workspace` to work in place on", plan.name)).into());
    }
    let dir = state.claim(name)?;
    match workspace(plan, &dir, in_place) {
        Ok((workspace, shown)) => Ok(Stage { dir, workspace, shown }),
        Err(error) => {
            // Nothing ran: nothing is left behind, least of all half a copy. The first error is the one to tell.
            let _ = std::fs::remove_dir_all(&dir.path);
            Err(error)
        }
    }
}

fn workspace(plan: &Plan, dir: &RunDir, in_place: bool) -> Result<(Workspace, Option<PathBuf>), HostError> {
    let Some(source) = &plan.workspace else {
        let empty = Workspace::empty();
        return Ok((
            empty.map_err(|error| HostError::broken(format!("no empty workspace can be made: {error}")))?,
            None,
        ));
    };
    if in_place {
        return Ok((Workspace::open(source).map_err(|error| unusable(source, &error))?, Some(source.clone())));
    }
    let target = dir
        .reset_workspace()
        .map_err(|error| HostError::broken(format!("no workspace can be made in {}: {error}", dir.path.display())))?;
    copy_tree(source, &target, CopyLimits::default()).map_err(|error| unusable(source, &error))?;
    let copy = Workspace::open(&target)
        .map_err(|error| HostError::broken(format!("{} cannot be opened: {error}", target.display())))?;
    Ok((copy, Some(target)))
}

/// A source that cannot be copied is the plan's fault, unless the machine ran out of something.
fn unusable(source: &Path, error: &io::Error) -> HostError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::OutOfMemory => {
            HostError::broken(format!("the workspace {} cannot be copied: {error}", source.display()))
        }
        _ => HostError::NotStarted(Failure {
            code: "invalid_workspace",
            message: format!("the workspace {} cannot be used", source.display()),
            problems: vec![problem::of_file(source, error)],
        }),
    }
}
