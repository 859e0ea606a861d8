//! A plan's forks explained: the plan with its agents' manifests, handed to the gate that would judge them.

use crate::catalog::catalog;
use crate::error::HostError;
use sandfork_model::{Plan, ToolProvider as _};
use sandfork_orchestrator::{ExplainInput, Explained};
use sandfork_tools::Scripted;
use std::sync::Arc;

/// What each fork of the plan may do, spend and see, and which rule took what away. Compiles scripts, runs nothing.
///
/// # Errors
/// Every problem of the first script that has any, or a tool that is there twice.
pub fn explain(plan: Plan) -> Result<Vec<Explained>, HostError> {
    let agents = catalog(&plan)?;
    let mut specs = sandfork_tools::built_in_specs();
    specs.extend(Scripted::new(plan.tools.clone()).specs());
    Ok(sandfork_orchestrator::explain(ExplainInput { plan: Arc::new(plan), agents, specs })?)
}
