//! One fork: who it is, what it may, what it has done. State with small honest methods; its life is told elsewhere.

use crate::circles::Recent;
use crate::fingerprint::Fingerprint;
use crate::grants::Granted;
use crate::guarded::Guarded;
use crate::nursery::Nursery;
use crate::rows::Row;
use crate::run::Run;
use crate::schema::OutputSchema;
use crate::seats::Seat;
use crate::stop::StopCell;
use sandfork_model::{
    Budget, Counts, Dimension, Event, EventBody, EventId, Leash, OnFailure, Request, RequestOptions, Shortfall,
    Standing, TaskRef, Thread,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What bounds one fork besides its budget: compared, never spent.
#[derive(Clone, Debug)]
pub(crate) struct Ceilings {
    /// Wall clock as declared; the guest sees this one.
    pub(crate) declared_timeout: Duration,
    /// Wall clock after clamping to what the parent has left, in nanoseconds.
    pub(crate) timeout_ns: u64,
    /// Its own turns, whatever it may hand on.
    pub(crate) steps: u64,
    /// Bytes of memory.
    pub(crate) memory_bytes: u64,
    /// What it keeps for itself while children hold the rest: fuel, and one turn.
    pub(crate) kept_fuel: u64,
}

/// A sandbox reserved in the run and in the host.
pub(crate) struct RunSeat {
    pub(crate) run: Arc<Run>,
    pub(crate) _seat: Seat,
}

impl Drop for RunSeat {
    fn drop(&mut self) {
        self.run.live.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Why the port ended a fork in the middle of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HaltReason {
    /// One turn too many.
    Iterations { limit: u64 },
    /// A dimension of its budget is empty.
    Budget(Shortfall),
    /// The run's cap on model calls.
    ModelCalls { limit: u64 },
    /// No reply is left for a call that carries messages; `turn` counts such calls.
    Exhausted { message: String, turn: u64 },
    /// More requests in one call than the host reads.
    Requests { asked: u64, limit: u64 },
    /// It said itself that it cannot go on.
    Panicked { message: String, location: Option<String> },
}

/// What changes while a fork lives.
pub(crate) struct ForkState {
    /// `None` once it was settled.
    pub(crate) budget: Option<Budget>,
    pub(crate) counts: Counts,
    pub(crate) seq_no: u64,
    pub(crate) fork_event: Option<EventId>,
    pub(crate) started_ns: Option<u64>,
    pub(crate) deadline_ns: u64,
    /// Waiting for a slot to resume: its clock stands still.
    pub(crate) is_paused: bool,
    /// Time spent waiting for slots to resume in: it does not count toward its own timeout.
    pub(crate) resume_wait_ns: u64,
    pub(crate) resumed_at_ns: u64,
    pub(crate) fuel_at_resume: u64,
    fuel_charged: u64,
    pub(crate) halt: Option<HaltReason>,
    pub(crate) is_exhausted: bool,
    pub(crate) children: Vec<Arc<Fork>>,
    pub(crate) requests_made: u32,
    pub(crate) children_started: u64,
    pub(crate) child_ids: HashSet<String>,
    /// What its children of earlier calls were for; bounded by `max_children`.
    pub(crate) child_prints: Vec<Fingerprint>,
    /// Calls with more than one request, and requests made alone (HF-26).
    pub(crate) parallel_rounds: u64,
    pub(crate) serial_forks: u64,
    /// The last calls, for the loop detector.
    pub(crate) recent: Recent,
    pub(crate) calls_by_tool: HashMap<Arc<str>, u64>,
    /// Bytes of the message list so far, for token estimates.
    pub(crate) message_bytes: u64,
    /// What it and what it forked have stored; of the run's own forks only, and bounded.
    pub(crate) artifact_refs: Vec<String>,
    /// Kept only when a transcript was asked for.
    pub(crate) thread: Option<Thread>,
}

impl ForkState {
    /// Counts a call that forked: in parallel, or one alone (HF-26).
    pub(crate) fn count_round(&mut self, size: usize, has_started: bool) {
        match (has_started, size) {
            (false, _) => {}
            (true, 1) => self.serial_forks += 1,
            (true, _) => self.parallel_rounds += 1,
        }
    }
}

/// One fork.
pub(crate) struct Fork {
    pub(crate) run: Arc<Run>,
    pub(crate) task: Arc<TaskRef>,
    pub(crate) parent: Option<Arc<Fork>>,
    pub(crate) row: Arc<Row>,
    pub(crate) grant: Arc<Granted>,
    pub(crate) goal: String,
    pub(crate) context: Value,
    pub(crate) options: Arc<RequestOptions>,
    pub(crate) on_failure: OnFailure,
    pub(crate) ceilings: Ceilings,
    fingerprint: OnceLock<Fingerprint>,
    pub(crate) output_schema: Option<OutputSchema>,
    /// The model tier it works at; `None` is the normal one.
    pub(crate) tier: Option<String>,
    /// Added so that its batch covers all it must (HF-13).
    pub(crate) is_added: bool,
    pub(crate) admitted_ns: u64,
    pub(crate) stop: StopCell,
    holds_slot: AtomicBool,
    pub(crate) seat: Guarded<Option<RunSeat>>,
    pub(crate) state: Guarded<ForkState>,
    /// Where its end is awaited, and its place there.
    pub(crate) nursery: Arc<Nursery>,
    pub(crate) place: usize,
    pub(crate) done: StopCell,
}

/// What the gate hands over for a fork that may start.
pub(crate) struct Admitted {
    pub(crate) task: Arc<TaskRef>,
    pub(crate) row: Arc<Row>,
    pub(crate) grant: Arc<Granted>,
    pub(crate) options: Arc<RequestOptions>,
    pub(crate) ceilings: Ceilings,
    pub(crate) output_schema: Option<OutputSchema>,
    pub(crate) budget: Budget,
    pub(crate) tier: Option<String>,
    pub(crate) seat: RunSeat,
}

impl Fork {
    pub(crate) fn new(
        admitted: Admitted,
        request: Request,
        parent: Option<Arc<Self>>,
        nursery: Arc<Nursery>,
        place: usize,
    ) -> Arc<Self> {
        let run = Arc::clone(&admitted.seat.run);
        let admitted_ns = run.clock.now_ns();
        let default_failure = run.plan.limits.fork.on_failure;
        let thread = run.transcript.is_some().then(Thread::default);
        Arc::new(Self {
            task: admitted.task,
            parent,
            row: admitted.row,
            grant: admitted.grant,
            goal: request.goal,
            context: request.context,
            on_failure: admitted.options.on_failure.unwrap_or(default_failure),
            options: admitted.options,
            ceilings: admitted.ceilings,
            fingerprint: OnceLock::new(),
            output_schema: admitted.output_schema,
            tier: admitted.tier,
            is_added: request.is_added,
            admitted_ns,
            stop: StopCell::default(),
            holds_slot: AtomicBool::new(false),
            seat: Guarded::new(Some(admitted.seat)),
            state: Guarded::new(ForkState {
                budget: Some(admitted.budget),
                counts: Counts { messages: 2, ..Counts::default() },
                seq_no: 0,
                fork_event: None,
                started_ns: None,
                deadline_ns: u64::MAX,
                is_paused: false,
                resume_wait_ns: 0,
                resumed_at_ns: admitted_ns,
                fuel_at_resume: 0,
                fuel_charged: 0,
                halt: None,
                is_exhausted: false,
                children: Vec::new(),
                requests_made: 0,
                children_started: 0,
                child_ids: HashSet::new(),
                child_prints: Vec::new(),
                parallel_rounds: 0,
                serial_forks: 0,
                recent: Recent::default(),
                calls_by_tool: HashMap::new(),
                message_bytes: 0,
                artifact_refs: Vec::new(),
                thread,
            }),
            nursery,
            place,
            done: StopCell::default(),
            run,
        })
    }

    /// What makes its task the same as another; made when first asked for, for few are ever compared.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint.get_or_init(|| Fingerprint::of(&self.goal, &self.context, &self.grant.tools))
    }

    /// Appends an event to this fork's thread; without a cause of its own, its start is the cause.
    pub(crate) fn emit(&self, body: EventBody, cause: Option<EventId>) -> EventId {
        self.emit_about(body, cause, Vec::new())
    }

    /// The same, of an event that speaks of fixed versions of artifacts.
    pub(crate) fn emit_about(&self, body: EventBody, cause: Option<EventId>, artifact_refs: Vec<String>) -> EventId {
        let (seq_no, cause, standing) = {
            let mut state = self.state.lock();
            state.seq_no += 1;
            let standing = Standing { fuel_used: state.counts.fuel_used, deadline_ns: state.deadline_ns };
            (state.seq_no, cause.or_else(|| state.fork_event.clone()), standing)
        };
        let event = Event {
            task: Arc::clone(&self.task),
            seq_no,
            cause,
            at_ns: self.run.clock.now_ns(),
            body,
            artifact_refs,
            standing: Some(standing),
        };
        self.run.log.append(event);
        EventId { task_id: Arc::clone(&self.task.task_id), seq_no }
    }

    /// Spends from this fork's budget and the run's gauge; a mark that is passed is an event.
    pub(crate) fn charge(&self, dimension: Dimension, amount: u64) -> Result<(), Shortfall> {
        if let Some(budget) = self.state.lock().budget.as_mut() {
            budget.charge(dimension, amount)?;
        }
        self.gauge(dimension, amount);
        Ok(())
    }

    fn gauge(&self, dimension: Dimension, amount: u64) {
        if let Some(percent) = self.run.gauge.add(dimension, amount) {
            self.emit(EventBody::WaterLevel { dimension: dimension.name(), percent }, None);
        }
    }

    /// Charges the fuel burnt since the last time. Work that has happened is drained, never refused: the sandbox's tank is
    /// what stops the guest.
    pub(crate) fn charge_fuel(&self, fuel_used: u64) {
        let taken = {
            let mut state = self.state.lock();
            let delta = fuel_used.saturating_sub(state.fuel_charged);
            state.fuel_charged = fuel_used;
            state.counts.fuel_used = fuel_used;
            state.budget.as_mut().map_or(0, |budget| budget.drain(Dimension::Fuel, delta))
        };
        self.gauge(Dimension::Fuel, taken);
    }

    /// The moment on this fork's own clock at which it has burnt `fuel_used`, under virtual time: 1 ns a unit.
    pub(crate) fn moment(&self, fuel_used: u64) -> u64 {
        let state = self.state.lock();
        state.resumed_at_ns.saturating_add(fuel_used.saturating_sub(state.fuel_at_resume)).min(state.deadline_ns)
    }

    /// Lets the guest go on from now: how far it may run.
    pub(crate) fn leash(&self) -> Leash {
        // In real time nothing asks for a fork's own moment, so the clock need not be read.
        let now_ns = self.run.clock.is_virtual().then(|| self.run.clock.now_ns());
        let mut state = self.state.lock();
        state.resumed_at_ns = now_ns.unwrap_or(state.resumed_at_ns);
        state.fuel_at_resume = state.fuel_charged;
        let fuel_left = state.budget.as_ref().map_or(0, |budget| budget.left().get(Dimension::Fuel));
        let fuel_to_deadline = now_ns.map(|now_ns| state.deadline_ns.saturating_sub(now_ns));
        Leash { fuel_left, fuel_to_deadline }
    }

    /// Notes that the fork must end for this reason; the first one stands.
    pub(crate) fn halt(&self, reason: HaltReason) {
        self.state.lock().halt.get_or_insert(reason);
    }

    pub(crate) fn take_slot(&self) {
        self.holds_slot.store(true, Ordering::Release);
    }

    /// Gives the slot back if it holds one.
    pub(crate) fn give_slot(&self) {
        if self.holds_slot.swap(false, Ordering::AcqRel) {
            self.run.slots.release();
        }
    }

    /// This fork and its ancestors, nearest first.
    pub(crate) fn lineage(self: &Arc<Self>) -> impl Iterator<Item = Arc<Self>> {
        std::iter::successors(Some(Arc::clone(self)), |fork| fork.parent.clone())
    }
}
