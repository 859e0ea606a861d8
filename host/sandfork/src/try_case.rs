//! One case of a project, run for real: its plan made in memory, the built component as root, scripts in the place of the
//! agents it forks, virtual time. Leaves nothing behind; whether what came is right is the project room's question.

use crate::authoring::invalid_project;
use crate::error::HostError;
use crate::host::{Host, blocking};
use crate::options::RunOptions;
use crate::problem::all_placed;
use crate::run_id::RunName;
use crate::scratch::Scratch;
use crate::stage::stage;
use crate::state::StateDir;
use sandfork_model::plan::ScriptedTool;
use sandfork_model::{Plan, RunRecord};
use sandfork_orchestrator::Interrupt;
use sandfork_plan::BUILT_IN_TOOLS;
use sandfork_project::{Case, Child, Got, PlanParts, Project};
use sandfork_report::Failure;
use sandfork_source::Problem;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The task id of a plan's root.
const ROOT: &str = "root";

/// How a case came out.
#[derive(Debug)]
pub struct Tried {
    /// How the agent under test ended.
    pub got: Got,
    /// Whether the run was stopped from outside, so that `got` says nothing about the agent.
    pub is_interrupted: bool,
}

impl Host {
    /// Runs a case on a built component, under virtual time.
    ///
    /// # Errors
    /// A case that no plan can be made of, or a broken host. How the agent fared is in what is returned.
    pub async fn try_case(
        &self,
        project: &Project,
        case: &Case,
        component: &Path,
        interrupt: &Interrupt,
    ) -> Result<Tried, HostError> {
        let scratch = Arc::new(self.scratch()?);
        let (kept, project, case, component) =
            (Arc::clone(&scratch), project.clone(), case.clone(), component.to_owned());
        let (plan, stand_ins) =
            blocking("reading a case", move || plan_of(&project, &case, &component, &kept)).await??;
        let prepared = self.prepare(plan).await?.with_stand_ins(stand_ins);
        // The state directory of one run, gone with it: a case must not replace what a run of that name has left.
        let state = StateDir::new(scratch.path());
        let name = RunName::exact("case").map_err(|error| HostError::broken(error.to_string()))?;
        let plan = Arc::clone(prepared.plan());
        let stage = blocking("making a case's directory", move || stage(&state, &plan, &name, false)).await??;
        let options = RunOptions { interrupt: interrupt.clone(), ..RunOptions::in_virtual_time() };
        let record = self.perform(&prepared, &stage, options).await?;
        let got = got(&record).ok_or_else(|| HostError::broken("a case's root has no outcome; please report it"))?;
        Ok(Tried { got, is_interrupted: record.is_interrupted })
    }
}

/// The case's plan and what stands in for built-in tools. Does files.
fn plan_of(
    project: &Project,
    case: &Case,
    component: &Path,
    scratch: &Scratch,
) -> Result<(Plan, Vec<ScriptedTool>), HostError> {
    let wrong = |problems: Vec<Problem>| -> Failure {
        let failure = invalid_project(&project.dir, all_placed(problems));
        Failure { code: "invalid_case", message: format!("the case `{}` cannot run", case.name), ..failure }
    };
    let mut compiled = Vec::new();
    for (name, script) in case.scripts() {
        let script = sandfork_script::compile_tree(&case.file, &script).map_err(wrong)?;
        // Named by number: an agent's name is the case's, a file's name is ours.
        let path = scratch.write(&format!("{}.wasm", compiled.len()), &script.component)?;
        compiled.push((name, path, script.manifest));
    }
    let children: Vec<Child<'_>> = compiled
        .iter()
        .map(|(name, path, manifest)| Child {
            name,
            component: path,
            delegate: &manifest.delegate,
            spawn: &manifest.spawn,
        })
        .collect();
    let replies: Option<PathBuf> = match case.replies() {
        None => None,
        Some(replies) => Some(scratch.write("replies.json", replies.to_string().as_bytes())?),
    };
    let component = std::path::absolute(component)
        .map_err(|error| HostError::broken(format!("{} cannot be found: {error}", component.display())))?;
    let parts = PlanParts {
        component: &component,
        children: &children,
        replies: replies.as_deref(),
        built_in: &BUILT_IN_TOOLS,
    };
    let plan = sandfork_plan::read_tree(&case.file, &case.plan(project, &parts), &project.dir).map_err(wrong)?;
    let stand_ins = sandfork_plan::stand_ins(&case.file, &case.stand_ins(&BUILT_IN_TOOLS)).map_err(wrong)?;
    Ok((plan, stand_ins))
}

/// How the root ended.
fn got(record: &RunRecord) -> Option<Got> {
    let root = record.outcomes.iter().find(|outcome| &*outcome.task.task_id == ROOT)?;
    let error = root
        .error
        .as_ref()
        .map(|error| json!({ "code": error.code, "message": error.message, "details": error.details }));
    Some(Got {
        status: root.status.name().to_owned(),
        output: root.output.clone(),
        error,
        notes: root.counts.notes,
        tool_calls: root.counts.tool_calls,
    })
}
