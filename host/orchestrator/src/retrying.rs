//! A second attempt at a task that ended badly (GV-46): whether it can help, what it costs, what is different. Never touches
//! another task (GV-50).

use crate::checkpoint;
use crate::course::spend_retry;
use crate::reviewing::Way;
use crate::run::Run;
use sandfork_model::{AgentError, Ask, Cap, Cause, Outcome, Request, RetryChange, Status};
use serde_json::json;
use std::sync::Arc;

impl Way {
    /// The next attempt, paid for; `None` if there is none, and the end stands.
    pub(crate) fn retry(&mut self, run: &Run, ended: &Arc<Outcome>, is_stopped: bool) -> Option<Request> {
        let nth = self.retries.saturating_add(1);
        if ended.is_ok() || nth > self.spec.retry.times || self.unpaid.is_some() {
            return None;
        }
        let change = self.spec.retry.change(nth).clone();
        // Taken whatever follows: nobody else asks for it.
        let checkpoint = checkpoint::take(run, ended, &change);
        if is_stopped || !helps(ended, &change) {
            return None;
        }
        if !spend_retry(run) {
            self.unpaid = Some("the run has no retries left".into());
            return None;
        }
        self.retries = nth;
        self.returned.extend(self.latest.take());
        self.checkpoint = Some(checkpoint);
        self.before = Some(Arc::clone(ended));
        if change != RetryChange::Again {
            self.written.get_or_insert_with(|| Box::new(self.spec.clone()));
        }
        match change {
            RetryChange::Again => {}
            RetryChange::Shrink => self.spec.options.budget = self.shrunk(run),
            RetryChange::Tier(name) => self.spec.options.tier = Some(name),
            RetryChange::Goal(goal) => self.spec.goal = goal,
        }
        Some(self.work())
    }

    /// The end itself; of a retry that the gate refused, the end that it was to make good.
    pub(crate) fn admitted(&mut self, ended: Arc<Outcome>) -> Arc<Outcome> {
        match (self.before.take(), &ended.error) {
            (Some(before), Some(error)) if ended.status == Status::Refused => {
                self.retries = self.retries.saturating_sub(1);
                self.unpaid = Some(format!("refused: {}", error.code));
                before
            }
            _ => ended,
        }
    }

    /// The error of the last attempt, with how many there were.
    pub(crate) fn told(&self, error: Option<AgentError>) -> Option<AgentError> {
        let mut error = error?;
        if let Some(details) = error.details.as_object_mut() {
            if self.retries > 0 {
                details.insert("attempts".into(), json!(u64::from(self.retries) + 1));
            }
            if let Some(why) = &self.unpaid {
                details.insert("retry".into(), why.as_str().into());
            }
        }
        Some(error)
    }

    /// Half of what the task may spend, in every dimension that is written, else half of the default's steps.
    fn shrunk(&self, run: &Run) -> Ask {
        let options = &self.spec.options;
        let mut ask = match run.plan.agent(&self.spec.agent) {
            Some(entry) => options.budget.or(&entry.budget),
            None => options.budget.clone(),
        };
        if ask.steps.is_none() && ask.fuel.is_none() {
            ask.steps = Some(run.plan.limits.fork.steps);
        }
        let mut least = options.budget_min.clone();
        for key in Ask::KEYS.into_iter().filter(|key| !matches!(*key, "retries" | "memory" | "turns" | "max_steps")) {
            // A dimension with two names is halved under its first.
            if key.starts_with("max_") {
                continue;
            }
            let least = least.slot(key).and_then(|slot| *slot).map_or(1, Cap::ceiling);
            if let Some(Some(Cap::Finite(amount))) = ask.slot(key) {
                *amount = (*amount / 2).max(least).min(*amount);
            }
        }
        ask
    }
}

/// Whether the same task may come out better the next time. What the gate refused, what lacks input and what was stopped
/// from above would end the same way; so would a budget that was not enough, unless the work changes.
fn helps(ended: &Outcome, change: &RetryChange) -> bool {
    let detail =
        |key: &str| ended.error.as_ref().and_then(|error| error.details.get(key)?.as_str()).unwrap_or_default();
    match ended.status {
        Status::Timeout => detail("dimension") != "deadline",
        Status::OutOfFuel | Status::OutOfBudget => matches!(change, RetryChange::Tier(_) | RetryChange::Goal(_)),
        Status::Failed => {
            let causes = [Cause::Returned, Cause::Trap, Cause::InvalidOutput, Cause::Schema, Cause::Panic];
            causes.iter().any(|cause| cause.name() == detail("cause")) && detail("code") != "needs_split"
        }
        Status::Ok | Status::Refused | Status::Blocked | Status::Cancelled => false,
    }
}
