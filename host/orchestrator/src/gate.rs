//! The only gate. A plan's tasks and a guest's requests come here alike; each request is judged alone, in order, before any
//! child starts. What comes out is either [`Admitted`], which is all that can start, or a refusal that took nothing.

use crate::clock::nanos;
use crate::fingerprint::Fingerprint;
use crate::fork::{Admitted, Ceilings, Fork, RunSeat};
use crate::gauge::{CONVERGING_PERCENT, SAVING_PERCENT};
use crate::grants::grant;
use crate::refuse;
use crate::run::Run;
use crate::schema::OutputSchema;
use crate::shares::Shares;
use sandfork_model::limits::PARENT_TIME_KEPT;
use sandfork_model::{
    AgentEntry, Amounts, Ancestors, Ask, Budget, Cap, Dimension, Grant, Refusal, Request, RequestOptions, Shape,
    TaskRef,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Who asks: the plan, or a fork.
#[derive(Clone, Copy)]
pub(crate) enum Asker<'a> {
    /// The plan's own tasks; the run's tank pays.
    Plan(&'a Arc<Run>),
    /// A guest's request; the fork's budget pays.
    Fork(&'a Arc<Fork>),
}

/// What became of one request.
pub(crate) enum Verdict {
    /// May start.
    Admitted(Box<Admitted>),
    /// Nothing ran, nothing was taken.
    Refused { task: Arc<TaskRef>, request: Box<Request>, refusal: Refusal },
}

/// A request that has passed every check that costs nothing.
struct Candidate<'a> {
    entry: &'a AgentEntry,
    options: RequestOptions,
    /// Grants come after the totals in the gate's order, so a failed one waits here for its turn.
    granted: Result<Grant, Refusal>,
    ask: Ask,
    fingerprint: Fingerprint,
    output_schema: Option<OutputSchema>,
}

/// Judges all requests of one call.
pub(crate) fn judge(asker: Asker<'_>, requests: Vec<Request>, budget: &mut Budget) -> Vec<Verdict> {
    let run = asker.run();
    let limits = &run.plan.limits;
    let looked: Vec<Result<Candidate<'_>, Refusal>> =
        requests.iter().map(|request| look(asker, run, request)).collect();
    let may_start = |candidate: &&Candidate<'_>| candidate.granted.is_ok();
    let asks = looked.iter().filter_map(|look| look.as_ref().ok().filter(may_start)).map(|candidate| &candidate.ask);
    let default = limits.fork.amounts();
    let shares = Shares::divide(budget, asker.kept(), default, limits.fork.fuel_per_step, asks);

    let mut verdicts = Vec::with_capacity(requests.len());
    let ordinals = asker.ordinals(requests.len());
    for ((request, looked), ordinal) in requests.iter().zip(looked).zip(ordinals) {
        let id = request.options.as_ref().ok().and_then(|options| options.id.as_deref());
        let task = Arc::new(asker.name(&request.agent, ordinal, id));
        let verdict = looked.and_then(|candidate| admit(asker, run, &task, request, candidate, &shares, budget));
        verdicts.push(match verdict {
            Ok(admitted) => Verdict::Admitted(Box::new(admitted)),
            Err(refusal) => Verdict::Refused { task, request: Box::new(request.clone()), refusal },
        });
    }
    verdicts
}

/// The checks that look at this request alone and cost nothing.
fn look<'a>(asker: Asker<'_>, run: &'a Run, request: &Request) -> Result<Candidate<'a>, Refusal> {
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
    let output_schema = schema.map_err(|why| {
        refuse::invalid(&node, &entry.name, &format!("`output_schema` is no JSON Schema: {why}"))
    })?;
    let granted = granted.map_err(|excess| refuse::grant_exceeds(&node, &entry.name, &excess));
    let ask = options.budget.or(&entry.budget);
    Ok(Candidate { entry, options, granted, ask, fingerprint, output_schema })
}

/// The very same task in an ancestor.
fn check_ancestors(fork: &Arc<Fork>, entry: &AgentEntry, fingerprint: &Fingerprint, run: &Run) -> Result<(), Refusal> {
    if run.plan.limits.ancestors == Ancestors::Refuse {
        let cycle = fork.lineage().find(|up| up.entry.name == entry.name && up.fingerprint.is_same(fingerprint));
        if let Some(ancestor) = cycle {
            return Err(refuse::cycle(&fork.task.task_id, &entry.name, &ancestor.task.task_id));
        }
    }
    Ok(())
}

/// A task too much like a relative's.
fn check_similar(fork: &Arc<Fork>, entry: &AgentEntry, fingerprint: &Fingerprint, run: &Run) -> Result<(), Refusal> {
    if let Some(threshold) = run.plan.limits.similar {
        let siblings = fork.state.lock().children.clone();
        let closest = fork
            .lineage()
            .chain(siblings)
            .map(|relative| (relative.fingerprint.similarity(fingerprint), relative))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((similarity, relative)) = closest
            && similarity > threshold
        {
            let other = &relative.task.task_id;
            return Err(refuse::similar(&fork.task.task_id, &entry.name, other, similarity, threshold));
        }
    }
    Ok(())
}

/// The checks that count, and the moves that follow them. Whatever is refused here has taken nothing.
fn admit(
    asker: Asker<'_>,
    run: &Arc<Run>,
    task: &Arc<TaskRef>,
    request: &Request,
    candidate: Candidate<'_>,
    shares: &Shares,
    budget: &mut Budget,
) -> Result<Admitted, Refusal> {
    let limits = &run.plan.limits;
    let node = asker.node();
    if let Asker::Fork(fork) = asker {
        let started = fork.state.lock().children_started;
        if !limits.max_children.admits(started) {
            return Err(refuse::children(&node, &request.agent, started, limits.max_children));
        }
        check_similar(fork, candidate.entry, &candidate.fingerprint, run)?;
    }
    let used = run.tasks_used.load(Ordering::Acquire);
    if !limits.max_tasks.admits(used) {
        return Err(refuse::tasks(&run.id.name, &request.agent, used, limits.max_tasks));
    }
    let grant = candidate.granted.clone()?;
    if let (Asker::Fork(fork), Some(id)) = (asker, candidate.options.id.as_deref())
        && fork.state.lock().child_ids.contains(id)
    {
        return Err(refuse::invalid(&node, &request.agent, &format!("this fork has asked for `id: {id}` before")));
    }
    let short = |short| refuse::budget(&node, &request.agent, short);
    let amounts = match asker {
        Asker::Plan(run) if matches!(run.plan.shape, Shape::Root(_)) => root_amounts(budget, &candidate.ask),
        _ => shares.amounts(budget, &candidate.ask, limits.fork.fuel_per_step).map_err(short)?,
    };
    let ceilings = ceilings(asker, run, &candidate, &amounts).ok_or_else(|| refuse::time(&node, &request.agent))?;
    let (dimension, percent) = run.gauge.level();
    let threshold = if candidate.options.critical { CONVERGING_PERCENT } else { SAVING_PERCENT };
    if percent >= threshold {
        return Err(refuse::converging(&run.id.name, &request.agent, dimension, percent, threshold));
    }
    let seat = take_seat(run).ok_or_else(|| refuse::host_full(&run.id.name, &request.agent, run))?;
    let moved = budget.split(&amounts).map_err(|shortfall| {
        let short = crate::shares::Short {
            dimension: shortfall.dimension,
            asked: shortfall.asked,
            left: shortfall.left,
            limit: shortfall.limit,
        };
        refuse::budget(&node, &request.agent, short)
    })?;
    run.tasks_used.fetch_add(1, Ordering::AcqRel);
    if let Asker::Fork(fork) = asker {
        let mut state = fork.state.lock();
        state.children_started += 1;
        state.child_ids.extend(candidate.options.id.clone());
    }
    Ok(Admitted {
        task: Arc::clone(task),
        entry: candidate.entry.clone(),
        grant,
        request: request.clone(),
        options: candidate.options,
        ceilings,
        fingerprint: candidate.fingerprint,
        output_schema: candidate.output_schema,
        budget: moved,
        seat,
    })
}

/// A root holds the whole tank to hand on; only what its ask writes out is narrower. Its own turns are bounded apart.
fn root_amounts(budget: &Budget, ask: &Ask) -> Amounts {
    let narrower = Ask { steps: None, ..ask.clone() };
    let asked = narrower.amounts(0);
    Amounts::from_fn(|dimension| {
        let left = budget.left().get(dimension);
        asked(dimension).map_or(left, |asked| asked.min(left))
    })
}

/// What bounds the fork; `None` if its asker has no time left to give.
fn ceilings(asker: Asker<'_>, run: &Run, candidate: &Candidate<'_>, amounts: &Amounts) -> Option<Ceilings> {
    let limits = &run.plan.limits;
    let (is_root, left_ns, memory_above) = match asker {
        Asker::Plan(_) => {
            let left_ns = nanos(limits.deadline).saturating_sub(run.clock.now_ns());
            (matches!(run.plan.shape, Shape::Root(_)), left_ns, u64::MAX)
        }
        Asker::Fork(fork) => {
            let left_ns = fork.state.lock().deadline_ns.saturating_sub(run.clock.now_ns());
            (false, left_ns.saturating_sub(nanos(PARENT_TIME_KEPT)), fork.ceilings.memory_bytes)
        }
    };
    let default = if is_root { limits.fork.root_timeout } else { limits.fork.timeout };
    let declared_timeout = candidate.options.timeout.or(candidate.entry.timeout).unwrap_or(default);
    let timeout_ns = nanos(declared_timeout).min(left_ns);
    let steps = candidate.ask.steps.map_or(limits.fork.steps.ceiling(), Cap::ceiling);
    let memory_bytes = candidate.ask.memory.map_or(limits.fork.memory, Cap::ceiling).min(memory_above);
    // One step's fuel of this very fork, so that a small tank can still be handed on.
    let kept_fuel = limits.fork.fuel_per_step.min(amounts.get(Dimension::Fuel) / steps.max(1));
    (timeout_ns > 0).then_some(Ceilings { declared_timeout, timeout_ns, steps, memory_bytes, kept_fuel })
}

fn take_seat(run: &Arc<Run>) -> Option<RunSeat> {
    let limit = run.plan.limits.max_live;
    run.live.fetch_update(Ordering::AcqRel, Ordering::Acquire, |live| (live < limit).then_some(live + 1)).ok()?;
    match run.seats.take() {
        Some(seat) => Some(RunSeat { run: Arc::clone(run), _seat: seat }),
        None => {
            run.live.fetch_sub(1, Ordering::AcqRel);
            None
        }
    }
}

impl Asker<'_> {
    fn run(&self) -> &Arc<Run> {
        match self {
            Self::Plan(run) => run,
            Self::Fork(fork) => &fork.run,
        }
    }

    fn node(&self) -> String {
        match self {
            Self::Plan(run) => run.id.name.to_string(),
            Self::Fork(fork) => fork.task.task_id.to_string(),
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Self::Plan(_) => 0,
            Self::Fork(fork) => fork.task.depth.saturating_add(1),
        }
    }

    /// What the asker keeps of its budget while it waits.
    fn kept(&self) -> Amounts {
        Amounts::from_fn(|dimension| match (self, dimension) {
            (Self::Fork(fork), Dimension::Fuel) => fork.ceilings.kept_fuel,
            (Self::Fork(_), Dimension::Turns) => 1,
            _ => 0,
        })
    }

    /// The places of this call's requests among all that the asker ever makes.
    fn ordinals(&self, count: usize) -> std::ops::Range<u32> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let first = match self {
            Self::Plan(_) => 0,
            Self::Fork(fork) => {
                let mut state = fork.state.lock();
                let first = state.requests_made;
                state.requests_made = first.saturating_add(count);
                first
            }
        };
        first..first.saturating_add(count)
    }

    fn name(&self, agent: &str, ordinal: u32, id: Option<&str>) -> TaskRef {
        match self {
            Self::Plan(run) => TaskRef::top(&run.id, id.unwrap_or("root"), agent, ordinal),
            Self::Fork(fork) => fork.task.child(agent, ordinal, id),
        }
    }
}
