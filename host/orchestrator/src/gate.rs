//! The only gate. A plan's tasks and a guest's requests come here alike; each request is judged alone, in order, before any
//! child starts. What comes out is either [`Admitted`], which is all that can start, or a refusal that took nothing.

use crate::asker::Asker;
use crate::clock::nanos;
use crate::fork::{Admitted, Ceilings, RunSeat};
use crate::look::{Candidate, look};
use crate::refuse;
use crate::reserve::{Reservation, reserve};
use crate::run::Run;
use crate::shares::{Shares, Short};
use sandfork_model::limits::PARENT_TIME_KEPT;
use sandfork_model::{Amounts, Budget, Cap, Dimension, Footprint, Refusal, Request, TaskRef};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What became of one request.
pub(crate) enum Verdict {
    /// May start, as this request asks.
    Admitted(Box<Admitted>, Box<Request>),
    /// May be judged again once a sibling has ended.
    Waiting(Waiting),
    /// Nothing ran, nothing was taken.
    Refused { task: Arc<TaskRef>, request: Box<Request>, refusal: Box<Refusal> },
}

/// A request that the budget will carry later.
pub(crate) struct Waiting {
    pub(crate) task: Arc<TaskRef>,
    pub(crate) request: Box<Request>,
    pub(crate) refusal: Box<Refusal>,
}

/// Why a request was not admitted.
enum No {
    Refused(Box<Refusal>),
    Later(Box<Refusal>),
}

impl From<Box<Refusal>> for No {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

/// Judges all requests of one call.
pub(crate) fn judge(asker: Asker<'_>, requests: Vec<Request>, budget: &mut Budget) -> Vec<Verdict> {
    let run = asker.run();
    let looked: Vec<_> = requests.iter().map(|request| look(asker, run, request)).collect();
    let may_start = |candidate: &&Candidate<'_>| candidate.granted.is_ok();
    let asks = looked.iter().filter_map(|look| look.as_ref().ok().filter(may_start)).map(|candidate| &candidate.ask);
    let is_acceptance =
        !requests.is_empty() && requests.iter().all(|r| r.options.as_ref().is_ok_and(|options| options.is_acceptance));
    let limits = &run.plan.limits;
    let kept = asker.kept(is_acceptance);
    let shares = Shares::divide(budget, kept, limits.fork.amounts(), limits.fork.fuel_per_step, asks);

    let round = Round { size: requests.len() };
    let ordinals = asker.ordinals(requests.len());
    let mut is_line_forming = false;
    requests
        .into_iter()
        .zip(looked)
        .zip(ordinals)
        .map(|((request, looked), ordinal)| {
            let id = request.options.as_ref().ok().and_then(|options| options.id.as_deref());
            // An id names one request of its asker, whatever came of it; a repeated one is refused under its ordinal.
            let repeated = id.filter(|id| !asker.claim(id));
            let task = Arc::new(asker.name(&request.agent, ordinal, id.filter(|_| repeated.is_none())));
            let looked = match repeated {
                Some(id) => Err(refuse::invalid(
                    &asker.node(),
                    &request.agent,
                    &format!("this fork has asked for `id: {id}` before; give each request an id of its own, or none"),
                )),
                None => looked,
            };
            let judged = looked.map_err(No::from).and_then(|candidate| {
                admit(asker, &task, &request, candidate, &shares, budget, Some(&round), is_line_forming)
            });
            let verdict = verdict(task, request, judged);
            // Who comes after one that waits waits behind it: a line, not a scramble.
            is_line_forming |= matches!(verdict, Verdict::Waiting(_));
            verdict
        })
        .collect()
}

/// Judges a request that waits once more, now that a sibling has ended.
pub(crate) fn judge_again(asker: Asker<'_>, waiting: Waiting, budget: &mut Budget) -> Verdict {
    let Waiting { task, request, .. } = waiting;
    let run = asker.run();
    let limits = &run.plan.limits;
    let judged = look(asker, run, &request).map_err(No::from).and_then(|candidate| {
        let ask = candidate.ask.clone();
        let default = limits.fork.amounts();
        let shares =
            Shares::divide(budget, asker.kept(false), default, limits.fork.fuel_per_step, std::iter::once(&ask));
        admit(asker, &task, &request, candidate, &shares, budget, None, false)
    });
    verdict(task, *request, judged)
}

fn verdict(task: Arc<TaskRef>, request: Request, judged: Result<Admitted, No>) -> Verdict {
    match judged {
        Ok(admitted) => Verdict::Admitted(Box::new(admitted), Box::new(request)),
        Err(No::Later(refusal)) => Verdict::Waiting(Waiting { task, request: Box::new(request), refusal }),
        Err(No::Refused(refusal)) => Verdict::Refused { task, request: Box::new(request), refusal },
    }
}

/// The call that a request is part of.
struct Round {
    size: usize,
}

/// The checks that count, and the moves that follow them. Whatever is refused here has taken nothing.
#[allow(clippy::too_many_arguments, reason = "one request with all that it is judged by")]
fn admit(
    asker: Asker<'_>,
    task: &Arc<TaskRef>,
    request: &Request,
    candidate: Candidate<'_>,
    shares: &Shares,
    budget: &mut Budget,
    round: Option<&Round>,
    is_line_forming: bool,
) -> Result<Admitted, No> {
    let run = asker.run();
    let (node, limits) = (asker.node(), &run.plan.limits);
    check_counts(asker, request, &candidate, round)?;
    let grant = candidate.granted.clone()?;
    let short = |short| refuse::budget(&node, &request.agent, short);
    let (amounts, tier) = match reserve(asker, &candidate, shares, budget).map_err(short)? {
        Reservation::Later(shortfall) => return Err(No::Later(short(shortfall))),
        Reservation::Now { amounts, .. } if is_line_forming => {
            let dimension = Dimension::Fuel;
            let (asked, left) = (amounts.get(dimension), budget.left().get(dimension));
            let limit = budget.granted().get(dimension);
            return Err(No::Later(short(Short { dimension, asked, left, limit, is_share: false })));
        }
        Reservation::Now { amounts, tier } => (amounts, tier),
    };
    let ceilings = ceilings(asker, &candidate, &amounts).ok_or_else(|| refuse::time(&node, &request.agent))?;
    check_level(run, request, &candidate)?;
    let footprint = candidate.row.footprint;
    let seat = take_seat(run, footprint).ok_or_else(|| refuse::host_full(run, &request.agent, footprint))?;
    let moved = budget.split(&amounts).map_err(|shortfall| short(shortfall.into()))?;
    run.tasks_used.fetch_add(1, Ordering::AcqRel);
    if let Asker::Fork(fork) = asker {
        let mut state = fork.state.lock();
        state.children_started += 1;
        if limits.similar.is_some() {
            state.child_prints.push(candidate.fingerprint(request));
        }
    }
    Ok(Admitted {
        task: Arc::clone(task),
        row: Arc::clone(candidate.row),
        grant,
        options: candidate.options,
        ceilings,
        output_schema: candidate.output_schema,
        budget: moved,
        tier,
        seat,
    })
}

/// Children, rounds, similar tasks, the run's total: in this order.
fn check_counts(
    asker: Asker<'_>,
    request: &Request,
    candidate: &Candidate<'_>,
    round: Option<&Round>,
) -> Result<(), Box<Refusal>> {
    let run = asker.run();
    let limits = &run.plan.limits;
    if let Asker::Fork(fork) = asker {
        let node = asker.node();
        let (started, prints) = {
            let state = fork.state.lock();
            (state.children_started, limits.similar.map(|_| state.child_prints.clone()))
        };
        if !limits.max_children.admits(started) {
            return Err(refuse::children(&node, &request.agent, started, limits.max_children));
        }
        if let (Some(rounds), Some(round)) = (limits.policy.rounds, round) {
            let state = fork.state.lock();
            let (used, limit, what) = if state.parallel_rounds >= rounds.parallel || round.size > 1 {
                (state.parallel_rounds, rounds.parallel, "parallel_rounds")
            } else {
                (state.serial_forks, rounds.serial, "serial_forks")
            };
            if used >= limit {
                return Err(refuse::rounds(&node, &request.agent, what, used, limit));
            }
        }
        if let (Some(threshold), Some(prints)) = (limits.similar, prints) {
            let own = candidate.fingerprint(request);
            let relatives = fork.lineage().map(|up| up.fingerprint().clone()).chain(prints);
            let closest = relatives.map(|relative| relative.similarity(&own)).fold(0.0, f64::max);
            if closest > threshold {
                return Err(refuse::similar(&node, &request.agent, closest, threshold));
            }
        }
    }
    let used = run.tasks_used.load(Ordering::Acquire);
    if !limits.max_tasks.admits(used) {
        return Err(refuse::tasks(&run.id.name, &request.agent, used, limits.max_tasks));
    }
    Ok(())
}

/// How full the run's written caps are, and whether this request is still worth it (GV-34, GV-49).
fn check_level(run: &Run, request: &Request, candidate: &Candidate<'_>) -> Result<(), Box<Refusal>> {
    // Acceptance is protected first (GV-36): all workers done and nobody to accept them is not complete.
    if candidate.options.is_acceptance {
        return Ok(());
    }
    let water = run.plan.limits.policy.water;
    let (dimension, percent) = run.gauge.level();
    let threshold = match (candidate.options.critical, candidate.options.low_value) {
        (true, _) => water.converge,
        (false, true) => water.save,
        (false, false) => water.spare,
    };
    if run.gauge.is_fused() || percent >= threshold {
        return Err(refuse::converging(&run.id.name, &request.agent, dimension, percent, threshold));
    }
    Ok(())
}

/// What bounds the fork; `None` if its asker has no time left to give.
fn ceilings(asker: Asker<'_>, candidate: &Candidate<'_>, amounts: &Amounts) -> Option<Ceilings> {
    let run = asker.run();
    let limits = &run.plan.limits;
    let (left_ns, memory_above) = match asker {
        Asker::Plan(_) => (nanos(limits.deadline).saturating_sub(run.clock.now_ns()), u64::MAX),
        Asker::Fork(fork) => {
            let left_ns = fork.state.lock().deadline_ns.saturating_sub(run.clock.now_ns());
            (left_ns.saturating_sub(nanos(PARENT_TIME_KEPT)), fork.ceilings.memory_bytes)
        }
    };
    let default = if asker.asks_for_root() { limits.fork.root_timeout } else { limits.fork.timeout };
    let declared_timeout = candidate.options.timeout.or(candidate.row.entry.timeout).unwrap_or(default);
    let timeout_ns = nanos(declared_timeout).min(left_ns);
    let steps = candidate.ask.steps.map_or(limits.fork.steps.ceiling(), Cap::ceiling);
    let memory_bytes = candidate.ask.memory.map_or(limits.fork.memory, Cap::ceiling).min(memory_above);
    // One step's fuel of this very fork, so that a small tank can still be handed on.
    let kept_fuel = limits.fork.fuel_per_step.min(amounts.get(Dimension::Fuel) / steps.max(1));
    (timeout_ns > 0).then_some(Ceilings { declared_timeout, timeout_ns, steps, memory_bytes, kept_fuel })
}

fn take_seat(run: &Arc<Run>, footprint: Footprint) -> Option<RunSeat> {
    let limit = run.plan.limits.max_live;
    run.live.fetch_update(Ordering::AcqRel, Ordering::Acquire, |live| (live < limit).then_some(live + 1)).ok()?;
    match run.seats.take(footprint) {
        Some(seat) => Some(RunSeat { run: Arc::clone(run), _seat: seat }),
        None => {
            run.live.fetch_sub(1, Ordering::AcqRel);
            None
        }
    }
}
