//! The plan's own forks from the first to the last: sent through the gate, awaited one end at a time, each end followed by
//! what the task's review, its dependents or the plan's planner make of it. Knows the order of things, not their meaning.

use crate::asker::Asker;
use crate::batch::Batch;
use crate::clock::nanos;
use crate::joining::Joins;
use crate::nursery::Nursery;
use crate::reviewing::{Next, Way};
use crate::run::Run;
use crate::stop::{Interrupt, Reason};
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_model::{Dimension, Outcome, Request, TaskPath, TaskSpec};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What one task of the plan came to, and which of the run's own forks worked on it.
pub(crate) struct TaskEnd {
    pub(crate) spec: TaskSpec,
    pub(crate) outcome: Arc<Outcome>,
    /// Top ordinals of its attempts and reviews.
    pub(crate) ordinals: Vec<u32>,
}

/// The run's own forks, so far.
pub(crate) struct Course<'a> {
    run: &'a Arc<Run>,
    interrupt: &'a Interrupt,
    nursery: Arc<Nursery>,
    batches: Vec<Batch<'a>>,
    places: usize,
    stopped: Option<Reason>,
    /// Task ids in use.
    ids: HashSet<String>,
    groups: u32,
    /// Which task a top fork worked on, by its ordinal: what a report is ordered by, for ordinals follow the order of ends.
    group_of: HashMap<u32, u32>,
    /// Top forks whose failures count against nobody: what they did was done again.
    void: HashSet<u32>,
}

impl<'a> Course<'a> {
    pub(crate) fn new(run: &'a Arc<Run>, interrupt: &'a Interrupt) -> Self {
        Self {
            run,
            interrupt,
            nursery: Nursery::watched(),
            batches: Vec::new(),
            places: 0,
            stopped: None,
            ids: HashSet::new(),
            groups: 0,
            group_of: HashMap::new(),
            void: HashSet::new(),
        }
    }

    pub(crate) fn run(&self) -> &'a Arc<Run> {
        self.run
    }

    /// Whether the run's deadline or an interrupt has ended it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// What these forks did was done again: their failures no longer count.
    pub(crate) fn discard(&mut self, ordinals: impl IntoIterator<Item = u32>) {
        self.void.extend(ordinals);
    }

    /// The forks that count against nobody, and the order of a report.
    pub(crate) fn finish(self) -> (HashSet<u32>, HashMap<u32, u32>) {
        (self.void, self.group_of)
    }

    /// Carries tasks through to their ends; one end each, in the order of the tasks. All have settled afterwards.
    pub(crate) async fn work(&mut self, tasks: &[TaskSpec]) -> Vec<TaskEnd> {
        let mut ways: Vec<Way> = Vec::new();
        for task in tasks {
            ways.push(Way::new(task.clone(), self.free_id(&task.id)));
        }
        let first_group = self.groups;
        self.groups = self.groups.saturating_add(u32::try_from(ways.len()).unwrap_or(u32::MAX));
        // Which way the fork at a place belongs to; places of earlier tasks are settled and never seen again.
        let first_place = self.places;
        let mut way_of: Vec<usize> = (0..ways.len()).collect();
        let mut joins = Joins::of(self.run, tasks);
        match &mut joins {
            None => self.ask(ways.iter_mut().map(Way::work).collect()),
            Some(joins) => {
                let (free, requests) = joins.first(self.run, &mut ways).await.into_iter().unzip();
                way_of = free;
                self.ask(requests);
            }
        }
        loop {
            let arrived = self.next_ends().await;
            if arrived.is_empty() {
                break;
            }
            let (mut over, mut stale) = (Vec::new(), Vec::new());
            for (place, outcome) in arrived {
                let Some(index) = place.checked_sub(first_place).and_then(|place| way_of.get(place)).copied() else {
                    continue;
                };
                let Some(way) = ways.get_mut(index) else { continue };
                let ordinal = outcome.task.path.top_ordinal();
                let group = first_group.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
                self.group_of.insert(ordinal, group);
                if joins.as_mut().is_some_and(|joins| joins.take_stale(index)) {
                    way.discard(&outcome);
                    stale.push(index);
                    continue;
                }
                match way.follow(self.run, outcome, self.stopped.is_some()) {
                    Next::End => over.push(index),
                    Next::Ask(request) => {
                        way_of.push(index);
                        let request = self.named(*request);
                        self.ask(vec![request]);
                    }
                }
            }
            if let Some(joins) = &mut joins {
                let passed = joins.pass_on(self.run, &mut ways, over, stale, self.stopped).await;
                self.group(first_group, passed.unstarted);
                let mut requests = Vec::with_capacity(passed.asks.len());
                for (index, request) in passed.asks {
                    way_of.push(index);
                    let is_first = ways.get(index).is_some_and(|way| way.first.is_none());
                    requests.push(if is_first { request } else { self.named(request) });
                }
                if !requests.is_empty() {
                    self.ask(requests);
                }
            }
        }
        self.batches.clear();
        if let Some(joins) = &joins {
            let swept = joins.sweep(self.run, &mut ways);
            self.group(first_group, swept);
        }
        ways.into_iter()
            .filter_map(|way| {
                self.void.extend(way.returned());
                way.into_end()
            })
            .collect()
    }

    /// Remembers which tasks of a list these top forks worked on.
    fn group(&mut self, first_group: u32, ordinals: Vec<(usize, u32)>) {
        self.group_of.extend(
            ordinals.into_iter().map(|(index, ordinal)| {
                (ordinal, first_group.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
            }),
        );
    }

    /// The request of a later attempt, under an id that nobody has.
    fn named(&mut self, mut request: Request) -> Request {
        if let Ok(options) = &mut request.options {
            let options = Arc::make_mut(options);
            options.id = options.id.as_deref().map(|id| self.free_id(id));
        }
        request
    }

    /// Sends requests through the gate; they start when the course next waits.
    fn ask(&mut self, requests: Vec<Request>) {
        let count = requests.len();
        let batch = Batch::judge_from(self.places, Asker::Plan(self.run), requests, Arc::clone(&self.nursery));
        self.places += count;
        self.batches.push(batch);
    }

    /// The ends since the last look, at least one; none once nobody is awaited any more.
    async fn next_ends(&mut self) -> Vec<(usize, Arc<Outcome>)> {
        loop {
            for batch in &mut self.batches {
                batch.start();
            }
            if let Some(reason) = self.stopped {
                for batch in &mut self.batches {
                    batch.stop(reason).await;
                }
            }
            let arrived = self.nursery.take_arrived();
            if !arrived.is_empty() {
                for batch in &mut self.batches {
                    batch.move_up();
                }
                if self.batches.len() > 1 {
                    self.batches.retain_mut(|batch| !batch.is_over());
                }
                return arrived;
            }
            if self.nursery.is_empty() {
                return Vec::new();
            }
            self.wait().await;
            if !self.run.clock.is_virtual() {
                // Whoever else is ready goes first: many ends are then one look.
                tokio::task::yield_now().await;
            }
        }
    }

    /// Waits for the next end, the run's deadline or an interrupt, whichever comes first.
    async fn wait(&mut self) {
        let deadline_ns = nanos(self.run.plan.limits.deadline.min(HOST_TIME_CEILING));
        let Some(waiting) = self.nursery.begin_wait(&self.run.clock, &TaskPath::above_all(), deadline_ns) else {
            return;
        };
        self.run.clock.leave();
        self.stopped = tokio::select! {
            biased;
            () = self.interrupt.wait() => Some(Reason::Interrupted),
            // Woken without an end, it was the deadline under virtual time.
            () = waiting => (!self.nursery.has_arrived()).then_some(Reason::RunDeadline),
            () = real_deadline(self.run, deadline_ns) => Some(Reason::RunDeadline),
        };
    }

    /// The id itself, or with the first number from 2 that nobody has: every fork of a run has an id of its own.
    fn free_id(&mut self, id: &str) -> String {
        let numbered = (2_u64..).map(|number| format!("{id}.{number}"));
        let free = std::iter::once(id.to_owned()).chain(numbered).find(|id| !self.ids.contains(id));
        let free = free.unwrap_or_default();
        self.ids.insert(free.clone());
        free
    }
}

/// Takes one second attempt from the run's tank; `false` if it has none left.
pub(crate) fn spend_retry(run: &Run) -> bool {
    let is_paid = run.tank.lock().charge(Dimension::Retries, 1).is_ok();
    if is_paid {
        run.gauge.add(Dimension::Retries, 1);
    }
    is_paid
}

async fn real_deadline(run: &Run, deadline_ns: u64) {
    match run.clock.instant(deadline_ns) {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
