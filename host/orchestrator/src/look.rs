//! The gate's checks that look at one request alone and cost nothing, in the gate's order up to the totals.

use crate::asker::Asker;
use crate::fingerprint::Fingerprint;
use crate::fork::Fork;
use crate::grants::grant;
use crate::refuse;
use crate::run::Run;
use crate::schema::OutputSchema;
use sandfork_model::{AgentEntry, Ancestors, Ask, Grant, Refusal, Request, RequestOptions};
use std::sync::Arc;

/// A request that has passed every check that costs nothing.
pub(crate) struct Candidate<'a> {
    pub(crate) entry: &'a AgentEntry,
    pub(crate) options: RequestOptions,
    /// Grants come after the totals in the gate's order, so a failed one waits here for its turn.
    pub(crate) granted: Result<Grant, Box<Refusal>>,
    pub(crate) ask: Ask,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) output_schema: Option<OutputSchema>,
}

/// Looks at one request.
pub(crate) fn look<'a>(asker: Asker<'_>, run: &'a Run, request: &Request) -> Result<Candidate<'a>, Box<Refusal>> {
    let limits = &run.plan.limits;
    let node = asker.node();
    let options = request.options.clone().map_err(|why| refuse::invalid(&node, &request.agent, &why))?;
    let entry = run.plan.agent(&request.agent).ok_or_else(|| refuse::unknown(&node, &request.agent, &run.plan))?;
    if let Asker::Fork(fork) = asker
        && !fork.grant.spawn.contains(&entry.name)
    {
        return Err(refuse::not_granted(&node, &entry.name, &fork.task.agent, &fork.grant));
    }
    let depth = asker.depth();
    if u64::from(depth) > limits.max_depth.ceiling() {
        return Err(refuse::too_deep(&node, &entry.name, depth, limits.max_depth));
    }
    let ceiling = match asker {
        Asker::Plan(_) => None,
        Asker::Fork(fork) => Some(&fork.grant),
    };
    let granted = grant(entry, run.agents.manifest_tools(&entry.name), options.tools.as_deref(), ceiling);
    let tools = granted.as_ref().map(|grant| grant.tools.clone()).unwrap_or_default();
    let fingerprint = Fingerprint::of(&request.goal, &request.context, &tools);
    if let Asker::Fork(fork) = asker {
        check_ancestors(fork, entry, &fingerprint, run)?;
    }
    let schema = options.output_schema.as_ref().or(entry.output_schema.as_ref()).map(OutputSchema::new).transpose();
    let output_schema = schema
        .map_err(|why| refuse::invalid(&node, &entry.name, &format!("`output_schema` is no JSON Schema: {why}")))?;
    let granted = granted.map_err(|excess| refuse::grant_exceeds(&node, &entry.name, &excess));
    let ask = options.budget.or(&entry.budget);
    Ok(Candidate { entry, options, granted, ask, fingerprint, output_schema })
}

/// The very same task in an ancestor.
fn check_ancestors(
    fork: &Arc<Fork>,
    entry: &AgentEntry,
    fingerprint: &Fingerprint,
    run: &Run,
) -> Result<(), Box<Refusal>> {
    if run.plan.limits.ancestors == Ancestors::Refuse {
        let cycle = fork.lineage().find(|up| up.entry.name == entry.name && up.fingerprint.is_same(fingerprint));
        if let Some(ancestor) = cycle {
            return Err(refuse::cycle(&fork.task.task_id, &entry.name, &ancestor.task.task_id));
        }
    }
    Ok(())
}
