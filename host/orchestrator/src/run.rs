//! What all forks of one run share. Holds state; decides nothing.

use crate::agents::Agents;
use crate::checkpoint::Left;
use crate::clock::Clock;
use crate::events::Log;
use crate::fork::Fork;
use crate::gauge::Gauge;
use crate::guarded::Guarded;
use crate::input::Broken;
use crate::layers::Layers;
use crate::packet::Common;
use crate::repeats::Repeats;
use crate::rows::Rows;
use crate::seats::Seats;
use crate::slots::Slots;
use crate::toolbox::Toolbox;
use crate::versions::Stored;
use sandfork_model::{
    ArtifactStore, Budget, Event, EventBody, EventId, Outcome, Plan, RunId, TaskPath, TaskReader, TaskRef,
    TranscriptSink,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Refused requests kept one by one in the record. A guest that asks without end must not fill the host's memory: beyond
/// this they are counted in the events only.
const KEPT_REFUSALS: usize = 10_000;

/// The shared state of a run.
pub(crate) struct Run {
    pub(crate) plan: Arc<Plan>,
    pub(crate) id: RunId,
    /// The subject of run-wide events.
    pub(crate) orchestrator: Arc<TaskRef>,
    pub(crate) agents: Agents,
    /// The plan's rows, shared by the forks of each.
    pub(crate) rows: Rows,
    pub(crate) toolbox: Toolbox,
    /// What all forks are told alike.
    pub(crate) common: Common,
    pub(crate) clock: Clock,
    pub(crate) slots: Arc<Slots>,
    pub(crate) seats: Arc<Seats>,
    pub(crate) log: Log,
    pub(crate) gauge: Gauge,
    /// What the plan's own tasks are paid from.
    pub(crate) tank: Guarded<Budget>,
    /// What the layers of the opening messages weigh.
    pub(crate) layers: Layers,
    /// What of them was told before.
    pub(crate) repeats: Repeats,
    /// Forks admitted over the run's life.
    pub(crate) tasks_used: AtomicU64,
    /// Requests of the plan's own so far, the planner's included.
    pub(crate) requests_made: AtomicU32,
    /// Sandboxes reserved by this run at the moment.
    pub(crate) live: AtomicU64,
    /// Bytes held by all live sandboxes of this run.
    pub(crate) memory_in_use: Arc<AtomicU64>,
    /// Places in the orchestrator's own thread of events.
    pub(crate) seq_no: AtomicU64,
    pub(crate) transcript: Option<Arc<dyn TranscriptSink>>,
    /// Where the run's artifacts are kept.
    pub(crate) artifacts: Option<Arc<dyn ArtifactStore>>,
    /// Reads what a planner returns.
    pub(crate) task_reader: Arc<dyn TaskReader>,
    /// Tasks whose output was accepted, by id: a planner cannot plan them again, and later tasks may wait for them.
    pub(crate) accepted: Guarded<HashMap<String, Arc<Outcome>>>,
    /// The versions of artifacts that were stored.
    pub(crate) stored: Guarded<Stored>,
    /// What attempts that ended badly left, by top ordinal.
    pub(crate) left: Guarded<HashMap<u32, Left>>,
    /// Forks that have not settled, in tree order; kept only where the plan has a fuse.
    living: Guarded<BTreeMap<TaskPath, Weak<Fork>>>,
    outcomes: Guarded<Outcomes>,
    broken: OnceLock<Broken>,
}

#[derive(Default)]
struct Outcomes {
    all: Vec<Arc<Outcome>>,
    refusals: usize,
}

impl Run {
    #[allow(clippy::too_many_arguments, reason = "the one place that puts the shared state together")]
    pub(crate) fn new(
        plan: Arc<Plan>,
        id: RunId,
        agents: Agents,
        toolbox: Toolbox,
        clock: Clock,
        slots: Arc<Slots>,
        seats: Arc<Seats>,
        log: Log,
        transcript: Option<Arc<dyn TranscriptSink>>,
        artifacts: Option<Arc<dyn ArtifactStore>>,
        task_reader: Arc<dyn TaskReader>,
    ) -> Self {
        let gauge = Gauge::new(&plan.limits);
        let tank = Guarded::new(Budget::tank(plan.limits.tank()));
        let (common, rows) = (Common::of(&plan), Rows::of(&plan, &agents));
        Self {
            common,
            rows,
            orchestrator: Arc::new(TaskRef::orchestrator(&id)),
            plan,
            id,
            agents,
            toolbox,
            clock,
            slots,
            seats,
            log,
            gauge,
            tank,
            layers: Layers::default(),
            repeats: Repeats::default(),
            tasks_used: AtomicU64::new(0),
            requests_made: AtomicU32::new(0),
            live: AtomicU64::new(0),
            memory_in_use: Arc::new(AtomicU64::new(0)),
            seq_no: AtomicU64::new(0),
            transcript,
            artifacts,
            task_reader,
            accepted: Guarded::default(),
            stored: Guarded::default(),
            left: Guarded::default(),
            living: Guarded::default(),
            outcomes: Guarded::default(),
            broken: OnceLock::new(),
        }
    }

    /// Remembers a fork as long as it lives, if a fuse may have to find it.
    pub(crate) fn enlist(&self, fork: &Arc<Fork>) {
        if self.plan.limits.policy.fuse.is_some() {
            self.living.lock().insert(fork.task.path.clone(), Arc::downgrade(fork));
        }
    }

    /// Forgets a fork that has settled.
    pub(crate) fn dismiss(&self, path: &TaskPath) {
        if self.plan.limits.policy.fuse.is_some() {
            self.living.lock().remove(path);
        }
    }

    /// The forks that have not settled, in tree order.
    pub(crate) fn live_forks(&self) -> Vec<Arc<Fork>> {
        self.living.lock().values().filter_map(Weak::upgrade).collect()
    }

    /// Keeps an outcome for the record.
    pub(crate) fn keep(&self, outcome: Arc<Outcome>) {
        self.outcomes.lock().all.push(outcome);
    }

    /// Keeps a refused request for the record, up to a bound.
    pub(crate) fn keep_refused(&self, outcome: Arc<Outcome>) {
        let mut outcomes = self.outcomes.lock();
        if outcomes.refusals < KEPT_REFUSALS {
            outcomes.refusals += 1;
            outcomes.all.push(outcome);
        }
    }

    /// All outcomes, depth first in request order.
    pub(crate) fn take_outcomes(&self) -> Vec<Arc<Outcome>> {
        let mut all = std::mem::take(&mut self.outcomes.lock().all);
        all.sort_by(|a, b| a.task.cmp(&b.task));
        all
    }

    /// The host broke. The first fault stands.
    pub(crate) fn break_with(&self, message: String) {
        let _ = self.broken.set(Broken::new(message));
    }

    pub(crate) fn broken(&self) -> Option<Broken> {
        self.broken.get().cloned()
    }

    /// Appends an event to the orchestrator's own thread.
    pub(crate) fn emit(&self, body: EventBody, cause: Option<EventId>) -> EventId {
        let seq_no = self.seq_no.fetch_add(1, Ordering::AcqRel) + 1;
        self.log.append(Event {
            task: Arc::clone(&self.orchestrator),
            seq_no,
            cause,
            at_ns: self.clock.now_ns(),
            body,
            artifact_refs: Vec::new(),
            standing: None,
        });
        EventId { task_id: Arc::clone(&self.orchestrator.thread_id), seq_no }
    }
}
