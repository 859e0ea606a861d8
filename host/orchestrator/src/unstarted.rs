//! The ends of a task that nobody's fork brought about: it could never start, must not stand, or was left when the run was
//! stopped. And its second start, where what it was handed is outdated (GV-48).

use crate::course::spend_retry;
use crate::reviewing::{Stage, Way};
use crate::run::Run;
use crate::stop::Reason;
use sandfork_model::{AgentError, Counts, EventBody, Handed, OnFailure, Outcome, Status, TaskRef};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How often a task is done again for a newer version of what it was handed.
const MOST_RENEWALS: u32 = 2;
/// The code of a task that could not start, or does not stand, for another one's end.
pub(crate) const DEPENDENCY_FAILED: &str = "dependency_failed";

impl Way {
    /// The task's id in the plan, by which others wait for it.
    pub(crate) fn plan_id(&self) -> &str {
        &self.spec.id
    }

    /// What must be ok before it starts.
    pub(crate) fn needs(&self) -> &[String] {
        &self.spec.needs
    }

    /// Everything it waits for.
    pub(crate) fn waits_for(&self) -> impl Iterator<Item = &str> {
        self.spec.waits_for()
    }

    /// What it came to, once it has.
    pub(crate) fn ended(&self) -> Option<&Outcome> {
        match &self.stage {
            Stage::Over(outcome) => Some(outcome),
            Stage::Work | Stage::Review { .. } => None,
        }
    }

    /// What its next attempt is told of others.
    pub(crate) fn hand(&mut self, handed: Option<Arc<Handed>>) {
        self.handed = handed;
    }

    /// A fork of this task ended that counts for nothing: what it worked on is outdated.
    pub(crate) fn discard(&mut self, ended: &Arc<Outcome>) {
        let ordinal = ended.task.path.top_ordinal();
        self.ordinals.push(ordinal);
        if matches!(self.stage, Stage::Work) {
            self.latest = Some(ordinal);
            self.first.get_or_insert_with(|| Arc::clone(ended));
        }
    }

    /// Begins anew with what it will be handed; `false` if it may not, and has ended badly instead.
    pub(crate) fn renew(&mut self, run: &Run, is_stopped: bool) -> bool {
        let obstacle = if self.renewals >= MOST_RENEWALS {
            format!("was done again {} times already", self.renewals)
        } else if is_stopped {
            "could not be done again: the run was stopped".to_owned()
        } else if !spend_retry(run) {
            "could not be done again: the run has no retries left".to_owned()
        } else {
            self.renewals += 1;
            self.returned.extend(self.latest.take());
            (self.stage, self.context, self.checkpoint, self.before) = (Stage::Work, None, None, None);
            return true;
        };
        let message = format!(
            "task {} worked on an older version of what it was handed, and {obstacle}; let it wait for whoever writes the newer one, or raise limits.budget.retries",
            self.id
        );
        let refs: Vec<&String> =
            self.handed.iter().flat_map(|handed| &handed.dependencies).flat_map(|one| &one.artifact_refs).collect();
        let details = json!({ "handed": refs, "renewals": self.renewals });
        let error = AgentError { code: "artifact_mismatch".into(), message, details };
        self.end(Status::Failed, None, Some(error));
        false
    }

    /// It can never start, or must not stand: a task that had to be ok was not. The top ordinal it is reported under, if it
    /// has none yet.
    pub(crate) fn forfeit(&mut self, run: &Run, by: Option<&Outcome>) -> Option<u32> {
        let agent = &self.spec.agent;
        let (message, details, on_failure) = match by {
            Some(by) => {
                let (task_id, code) = (&*by.task.task_id, by.error.as_ref().map(|error| &error.code));
                let message = format!(
                    "task {} ({agent}) was not started: it needs {task_id}, which ended {}; let that come out well, or put it under `needs_optional`",
                    self.id, by.status
                );
                let details = json!({ "dependency": task_id, "status": by.status, "code": code, "root": root(by) });
                (message, details, by.on_failure)
            }
            None => {
                let message = format!("task {} ({agent}) was not started: what it waits for never ends", self.id);
                let details = json!({ "waits_for": self.spec.waits_for().collect::<Vec<_>>() });
                (message, details, run.plan.limits.fork.on_failure)
            }
        };
        let error = AgentError { code: DEPENDENCY_FAILED.into(), message, details };
        if self.first.is_none() {
            let (agent, task_id) = (agent.clone(), Arc::from(self.id.as_str()));
            run.emit(EventBody::SpawnRefused { agent, task_id, code: DEPENDENCY_FAILED }, None);
        }
        self.never_ran(run, error, on_failure)
    }

    /// The run was stopped before it could start.
    pub(crate) fn leave(&mut self, run: &Run, reason: Reason) -> Option<u32> {
        let message = format!("agent {} was not started: {}", self.spec.agent, reason.name());
        let error = AgentError { code: "cancelled".into(), message, details: json!({ "reason": reason.name() }) };
        self.never_ran(run, error, run.plan.limits.fork.on_failure)
    }

    /// What its failure does to the run is what the task says, else what the one says that it fell with.
    fn never_ran(&mut self, run: &Run, error: AgentError, on_failure: OnFailure) -> Option<u32> {
        let on_failure = self.spec.options.on_failure.unwrap_or(on_failure);
        let (status, error) = (Status::Cancelled, Some(error));
        if let Some(first) = &self.first {
            self.returned.extend(self.latest.take());
            let outcome = Outcome { status, output: None, error, on_failure, ..(**first).clone() };
            self.stage = Stage::Over(Arc::new(outcome));
            return None;
        }
        let ordinal = run.requests_made.fetch_add(1, Ordering::AcqRel);
        let outcome = Arc::new(Outcome {
            task: Arc::new(TaskRef::top(&run.id, &self.id, &self.spec.agent, ordinal)),
            status,
            output: None,
            error,
            counts: Counts::default(),
            on_failure,
            is_added: false,
            is_loser: false,
        });
        run.keep_refused(Arc::clone(&outcome));
        self.first = Some(Arc::clone(&outcome));
        self.stage = Stage::Over(outcome);
        Some(ordinal)
    }
}

/// Where a chain of tasks that fell with each other began.
fn root(by: &Outcome) -> Value {
    let error = by.error.as_ref();
    match error.and_then(|error| error.details.get("root")).filter(|root| root.is_object()) {
        Some(root) if error.is_some_and(|error| error.code == DEPENDENCY_FAILED) => root.clone(),
        _ => {
            let said = error.and_then(|error| error.details.get("code"));
            json!({ "task_id": &*by.task.task_id, "status": by.status, "code": error.map(|error| &error.code), "said": said })
        }
    }
}
