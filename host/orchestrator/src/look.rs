//! The gate's checks that look at one request alone and cost nothing, in the gate's order up to the totals.

use crate::asker::Asker;
use crate::fingerprint::Fingerprint;
use crate::fork::Fork;
use crate::grants::{Granted, grant};
use crate::refuse;
use crate::rows::Row;
use crate::run::Run;
use crate::schema::OutputSchema;
use sandfork_model::{AgentEntry, Ancestors, Ask, Refusal, Request, RequestOptions};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A request that has passed every check that costs nothing.
pub(crate) struct Candidate<'a> {
    pub(crate) row: &'a Arc<Row>,
    pub(crate) options: Arc<RequestOptions>,
    /// Grants come after the totals in the gate's order, so a failed one waits here for its turn.
    pub(crate) granted: Result<Arc<Granted>, Box<Refusal>>,
    pub(crate) ask: Ask,
    pub(crate) output_schema: Option<OutputSchema>,
}

impl Candidate<'_> {
    /// What makes the task of this candidate's request the same as another.
    pub(crate) fn fingerprint(&self, request: &Request) -> Fingerprint {
        fingerprint(request, self.granted.as_deref().ok())
    }
}

fn fingerprint(request: &Request, grant: Option<&Granted>) -> Fingerprint {
    let none = BTreeSet::new();
    Fingerprint::of(&request.goal, &request.context, grant.map_or(&none, |grant| &grant.tools))
}

/// Looks at one request.
pub(crate) fn look<'a>(asker: Asker<'_>, run: &'a Run, request: &Request) -> Result<Candidate<'a>, Box<Refusal>> {
    let limits = &run.plan.limits;
    let node = asker.node();
    let options = request.options.clone().map_err(|why| refuse::invalid(&node, &request.agent, &why))?;
    let row = run.rows.row(&request.agent).ok_or_else(|| refuse::unknown(&node, &request.agent, &run.plan))?;
    let entry = &row.entry;
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
        Asker::Fork(fork) => Some(&**fork.grant),
    };
    let own = row.grant.as_ref().map_err(Clone::clone);
    let granted = own.and_then(|own| grant(own, options.tools.as_deref(), ceiling));
    if let Asker::Fork(fork) = asker {
        let own = || fingerprint(request, granted.as_deref().ok());
        check_ancestors(fork, entry, own, run)?;
    }
    let asked = options.output_schema.as_ref().map(OutputSchema::new);
    let output_schema = asked
        .or_else(|| row.output_schema())
        .transpose()
        .map_err(|why| refuse::invalid(&node, &entry.name, &format!("`output_schema` is no JSON Schema: {why}")))?;
    let granted = granted.map_err(|excess| refuse::grant_exceeds(&node, &entry.name, &excess));
    let ask = options.budget.or(&entry.budget);
    Ok(Candidate { row, options, granted, ask, output_schema })
}

/// The very same task in an ancestor.
fn check_ancestors(
    fork: &Arc<Fork>,
    entry: &AgentEntry,
    own: impl Fn() -> Fingerprint,
    run: &Run,
) -> Result<(), Box<Refusal>> {
    if run.plan.limits.ancestors == Ancestors::Refuse {
        let mut same_agent = fork.lineage().filter(|up| up.row.entry.name == entry.name).peekable();
        let own = same_agent.peek().is_some().then(own);
        let cycle = same_agent.find(|up| own.as_ref().is_some_and(|own| up.fingerprint().is_same(own)));
        if let Some(ancestor) = cycle {
            return Err(refuse::cycle(&fork.task.task_id, &entry.name, &ancestor.task.task_id));
        }
    }
    Ok(())
}
