//! The requests of one call, or of the plan, on their way through the gate: who started, who was refused, who stands in line
//! for the budget. Waiting for them is its owner's business.

use crate::asker::Asker;
use crate::fork::Fork;
use crate::gate::{Verdict, Waiting, judge, judge_again};
use crate::life;
use crate::nursery::Nursery;
use crate::stop::Reason;
use sandfork_model::{
    Counts, Dimension, EventBody, OnFailure, Outcome, Refusal, RefusalCode, Request, Status, TaskRef,
};
use std::collections::VecDeque;
use std::sync::Arc;

/// A batch of requests.
pub(crate) struct Batch<'a> {
    asker: Asker<'a>,
    nursery: Arc<Nursery>,
    started: Vec<Arc<Fork>>,
    /// How many of them live already.
    living: usize,
    /// How many of those that started first are known to have settled.
    settled: usize,
    /// Requests that wait for the budget, in order.
    line: VecDeque<(usize, Waiting)>,
}

impl<'a> Batch<'a> {
    /// Sends the requests through the gate; the nursery has a place for each.
    pub(crate) fn judge(asker: Asker<'a>, requests: Vec<Request>, nursery: Arc<Nursery>) -> Self {
        Self::judge_from(0, asker, requests, nursery)
    }

    /// As [`Self::judge`]; the places of these requests begin at `first_place`.
    pub(crate) fn judge_from(
        first_place: usize,
        asker: Asker<'a>,
        requests: Vec<Request>,
        nursery: Arc<Nursery>,
    ) -> Self {
        let verdicts = asker.with_budget(|budget| judge(asker, requests, budget));
        let mut batch = Self { asker, nursery, started: Vec::new(), living: 0, settled: 0, line: VecDeque::new() };
        for _ in &verdicts {
            batch.nursery.expect();
        }
        for (place, verdict) in (first_place..).zip(verdicts) {
            batch.take(place, verdict);
        }
        batch
    }

    pub(crate) fn nursery(&self) -> &Arc<Nursery> {
        &self.nursery
    }

    pub(crate) fn has_started(&self) -> bool {
        !self.started.is_empty()
    }

    /// Whether nothing can come of it any more. Each fork is looked at once after it has settled.
    pub(crate) fn is_over(&mut self) -> bool {
        while self.started.get(self.settled).is_some_and(|fork| fork.done.reason().is_some()) {
            self.settled += 1;
        }
        self.line.is_empty() && self.settled == self.started.len()
    }

    /// Lets everybody live who was admitted since the last time.
    pub(crate) fn start(&mut self) {
        for fork in self.started.iter().skip(self.living) {
            life::start(fork);
        }
        self.living = self.started.len();
        self.nursery.be_eager(!self.line.is_empty());
    }

    /// A sibling has ended: the first in line are judged again, as far as the budget now carries.
    pub(crate) fn move_up(&mut self) {
        let asker = self.asker;
        while let Some((place, waiting)) = self.line.pop_front() {
            match asker.with_budget(|budget| judge_again(asker, waiting, budget)) {
                Verdict::Waiting(waiting) => {
                    self.line.push_front((place, waiting));
                    return;
                }
                verdict => self.take(place, verdict),
            }
        }
    }

    /// Stops whoever has not ended; who stands in line loses like those who run.
    pub(crate) async fn stop(&mut self, reason: Reason) {
        life::stop_all(&self.started, reason).await;
        for (place, Waiting { task, request, mut refusal }) in std::mem::take(&mut self.line) {
            refusal.message = format!("agent {} was not started: {}", request.agent, reason.name());
            let mut outcome = self.refused(task, &request, &refusal);
            outcome.status = Status::Cancelled;
            outcome.is_loser = reason == Reason::Decided;
            let outcome = Arc::new(outcome);
            self.asker.run().keep_refused(Arc::clone(&outcome));
            self.nursery.end(place, outcome);
        }
    }

    /// Acts on one verdict: announces a refusal, makes a fork, or lines a request up.
    fn take(&mut self, place: usize, verdict: Verdict) {
        match verdict {
            Verdict::Refused { task, request, refusal } => {
                self.announce(&task, &refusal);
                let outcome = Arc::new(self.refused(task, &request, &refusal));
                self.asker.run().keep_refused(Arc::clone(&outcome));
                self.nursery.end(place, outcome);
            }
            Verdict::Waiting(waiting) => self.line.push_back((place, waiting)),
            Verdict::Admitted(admitted, request) => {
                let fuel = admitted.budget.granted().get(Dimension::Fuel);
                let turns = admitted.budget.granted().get(Dimension::Turns);
                let cause = self.asker.emit(EventBody::BudgetReserved { fuel, turns });
                let fork = Fork::new(*admitted, *request, self.asker.fork().cloned(), Arc::clone(&self.nursery), place);
                fork.state.lock().fork_event = Some(cause);
                if let Asker::Fork(parent) = self.asker {
                    parent.state.lock().children.push(Arc::clone(&fork));
                }
                self.started.push(fork);
            }
        }
    }

    /// A refusal's event, in the thread of whoever asked.
    fn announce(&self, task: &TaskRef, refusal: &Refusal) {
        let (agent, task_id) = (task.agent.to_string(), Arc::clone(&task.task_id));
        self.asker.emit(if refusal.code == RefusalCode::DelegationDepthExceeded {
            let max_depth = self.asker.run().plan.limits.max_depth.ceiling();
            EventBody::DepthLimit { agent, task_id, depth: task.depth, max_depth }
        } else {
            EventBody::SpawnRefused { agent, task_id, code: refusal.code.name() }
        });
    }

    fn refused(&self, task: Arc<TaskRef>, request: &Request, refusal: &Refusal) -> Outcome {
        refusal_outcome(task, request, refusal, self.asker.run().plan.limits.fork.on_failure)
    }
}

/// A refusal as the outcome of its request. An unknown agent `failed`; everything else was `refused`.
pub(crate) fn refusal_outcome(
    task: Arc<TaskRef>,
    request: &Request,
    refusal: &Refusal,
    on_failure: OnFailure,
) -> Outcome {
    let status = match refusal.code {
        RefusalCode::UnknownSubagent => Status::Failed,
        _ => Status::Refused,
    };
    let asked = request.options.as_ref().ok().and_then(|options| options.on_failure);
    Outcome {
        task,
        status,
        output: None,
        error: Some(refusal.to_error()),
        counts: Counts::default(),
        on_failure: asked.unwrap_or(on_failure),
        is_added: request.is_added,
        is_loser: false,
    }
}
