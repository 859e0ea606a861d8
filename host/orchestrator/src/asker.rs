//! Who asks the gate: the plan or a fork. What each has, keeps and is called; decides nothing.

use crate::fork::Fork;
use crate::run::Run;
use sandfork_model::{Amounts, Budget, Dimension, EventBody, EventId, Shape, TaskRef};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Who asks.
#[derive(Clone, Copy)]
pub(crate) enum Asker<'a> {
    /// The plan's own tasks; the run's tank pays.
    Plan(&'a Arc<Run>),
    /// A guest's request; the fork's budget pays.
    Fork(&'a Arc<Fork>),
}

impl Asker<'_> {
    pub(crate) fn run(&self) -> &Arc<Run> {
        match self {
            Self::Plan(run) => run,
            Self::Fork(fork) => &fork.run,
        }
    }

    /// The fork that asks; `None` for the plan.
    pub(crate) fn fork(&self) -> Option<&Arc<Fork>> {
        match self {
            Self::Plan(_) => None,
            Self::Fork(fork) => Some(fork),
        }
    }

    /// Appends to the asker's own thread of events.
    pub(crate) fn emit(&self, body: EventBody) -> EventId {
        match self {
            Self::Plan(run) => run.emit(body, None),
            Self::Fork(fork) => fork.emit(body, None),
        }
    }

    /// Lends the asker's budget to the gate, which looks at the rest of the asker's state meanwhile.
    pub(crate) fn with_budget<T>(&self, judge: impl FnOnce(&mut Budget) -> T) -> T {
        match self {
            Self::Plan(run) => judge(&mut run.tank.lock()),
            Self::Fork(fork) => {
                // A settled fork asks for nothing; an empty budget would refuse it anyway.
                let mut budget = fork.state.lock().budget.take().unwrap_or_else(|| Budget::tank(Amounts::default()));
                let judged = judge(&mut budget);
                fork.state.lock().budget = Some(budget);
                judged
            }
        }
    }

    /// The node that refusals name.
    pub(crate) fn node(&self) -> String {
        match self {
            Self::Plan(run) => run.id.name.to_string(),
            Self::Fork(fork) => fork.task.task_id.to_string(),
        }
    }

    /// The depth of what it asks for.
    pub(crate) fn depth(&self) -> u32 {
        match self {
            Self::Plan(_) => 0,
            Self::Fork(fork) => fork.task.depth.saturating_add(1),
        }
    }

    /// Whether what it asks for is the run's root.
    pub(crate) fn asks_for_root(&self) -> bool {
        matches!(self, Self::Plan(run) if matches!(run.plan.shape, Shape::Root(_)))
    }

    /// What it keeps of its budget: one step while it waits, and at the top of the tree the floors (GV-31). Acceptance may
    /// draw on the floor that is there for it.
    pub(crate) fn kept(&self, is_acceptance: bool) -> Amounts {
        let policy = &self.run().plan.limits.policy;
        let is_top = match self {
            Self::Plan(run) => !matches!(run.plan.shape, Shape::Root(_)),
            Self::Fork(fork) => fork.task.depth == 0 && matches!(fork.run.plan.shape, Shape::Root(_)),
        };
        let (root, acceptance) = (policy.floors.root.amounts(0), policy.floors.acceptance.amounts(0));
        Amounts::from_fn(|dimension| {
            let step = match (self, dimension) {
                (Self::Fork(fork), Dimension::Fuel) => fork.ceilings.kept_fuel,
                (Self::Fork(_), Dimension::Turns) => 1,
                _ => 0,
            };
            let floor = |of: Option<u64>| if is_top { of.unwrap_or(0) } else { 0 };
            let acceptance = if is_acceptance { 0 } else { floor(acceptance(dimension)) };
            step.max(floor(root(dimension))).saturating_add(acceptance)
        })
    }

    /// The places of a call's requests among all that the asker ever makes.
    pub(crate) fn ordinals(&self, count: usize) -> std::ops::Range<u32> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let first = match self {
            Self::Plan(run) => run.requests_made.fetch_add(count, Ordering::AcqRel),
            Self::Fork(fork) => {
                let mut state = fork.state.lock();
                let first = state.requests_made;
                state.requests_made = first.saturating_add(count);
                first
            }
        };
        first..first.saturating_add(count)
    }

    /// Takes an id for one request; false if it is taken. A plan's ids are unique as read.
    pub(crate) fn claim(&self, id: &str) -> bool {
        match self {
            Self::Plan(_) => true,
            Self::Fork(fork) => fork.state.lock().child_ids.insert(id.to_owned()),
        }
    }

    /// Names the fork that a request asks for.
    pub(crate) fn name(&self, agent: &str, ordinal: u32, id: Option<&str>) -> TaskRef {
        match self {
            Self::Plan(run) => TaskRef::top(&run.id, id.unwrap_or("root"), agent, ordinal),
            Self::Fork(fork) => fork.task.child(agent, ordinal, id),
        }
    }
}
