//! The way of one task of the plan: worker, reviewer, verdict, worker again (GV-36, GV-60). Only a `PASS` leads from a
//! worker's output to an accepted one; whatever else a reviewer does, the task is not ok. Starts nothing itself.

use crate::course::{TaskEnd, spend_retry};
use crate::run::Run;
use sandfork_model::{
    AgentError, Checkpoint, EventBody, Handed, Outcome, Request, RequestOptions, ReviewSpec, Status, TaskSpec,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What follows an end.
pub(crate) enum Next {
    /// Another fork; the id in its options is a wish.
    Ask(Box<Request>),
    /// Nothing: the task has come to its own end.
    End,
}

/// Where a task stands.
pub(crate) enum Stage {
    /// A worker is at it.
    Work,
    /// A reviewer looks at this output.
    Review { draft: Value },
    /// It has ended.
    Over(Arc<Outcome>),
}

/// One task on its way.
pub(crate) struct Way {
    /// What is asked now.
    pub(crate) spec: TaskSpec,
    /// What was asked first, once a retry has changed it.
    pub(crate) written: Option<Box<TaskSpec>>,
    pub(crate) id: String,
    pub(crate) stage: Stage,
    /// The first attempt, under whose name the task's end is reported.
    pub(crate) first: Option<Arc<Outcome>>,
    attempts: u32,
    /// The attempt under review, or just ended.
    pub(crate) latest: Option<u32>,
    pub(crate) returned: Vec<u32>,
    pub(crate) ordinals: Vec<u32>,
    /// What the next attempt is told instead of the task's own context: that, and a review.
    pub(crate) context: Option<Value>,
    /// What the tasks that it waited for came to.
    pub(crate) handed: Option<Arc<Handed>>,
    /// What the attempt before left, until the next one is told.
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Attempts that followed one that ended badly, and why there is none where one was allowed.
    pub(crate) retries: u32,
    pub(crate) unpaid: Option<String>,
    /// How the attempt before the latest one ended.
    pub(crate) before: Option<Arc<Outcome>>,
    /// How often it was done again for what it was handed.
    pub(crate) renewals: u32,
    /// How long it waited for others before its first attempt, nanoseconds; `None` if it waited for nobody.
    pub(crate) needs_wait_ns: Option<u64>,
}

impl Way {
    /// `id` is the task's, or what is left of it if another task has that.
    pub(crate) fn new(spec: TaskSpec, id: String) -> Self {
        Self {
            spec,
            written: None,
            id,
            stage: Stage::Work,
            first: None,
            attempts: 1,
            latest: None,
            returned: Vec::new(),
            ordinals: Vec::new(),
            context: None,
            handed: None,
            checkpoint: None,
            retries: 0,
            unpaid: None,
            before: None,
            renewals: 0,
            needs_wait_ns: None,
        }
    }

    /// The first review, of an output nobody has seen; `None` for a task without.
    pub(crate) fn first_review(&self) -> Option<Request> {
        self.spec.review.as_ref().map(|review| self.review(review, &Value::Null))
    }

    /// Attempts that were sent back and done again.
    pub(crate) fn returned(&self) -> Vec<u32> {
        self.returned.clone()
    }

    /// What it came to; `None` only for a way that was never followed to its end.
    pub(crate) fn into_end(self) -> Option<TaskEnd> {
        match self.stage {
            Stage::Over(mut outcome) => {
                let spec = self.written.map_or(self.spec, |written| *written);
                if let Some(needs_wait_ns) = self.needs_wait_ns {
                    Arc::make_mut(&mut outcome).counts.needs_wait_ns = needs_wait_ns;
                }
                Some(TaskEnd { spec, outcome, ordinals: self.ordinals })
            }
            Stage::Work | Stage::Review { .. } => None,
        }
    }

    /// Takes the end of the fork it waits for. Once the run is stopped nothing follows any more.
    pub(crate) fn follow(&mut self, run: &Run, ended: Arc<Outcome>, is_stopped: bool) -> Next {
        self.ordinals.push(ended.task.path.top_ordinal());
        match std::mem::replace(&mut self.stage, Stage::Work) {
            Stage::Work => self.worked(run, ended, is_stopped),
            Stage::Review { draft } => self.reviewed(run, draft, &ended, is_stopped),
            Stage::Over(outcome) => {
                self.stage = Stage::Over(outcome);
                Next::End
            }
        }
    }

    fn worked(&mut self, run: &Run, ended: Arc<Outcome>, is_stopped: bool) -> Next {
        self.latest = Some(ended.task.path.top_ordinal());
        self.first.get_or_insert_with(|| Arc::clone(&ended));
        let ended = self.admitted(ended);
        if let Some(again) = self.retry(run, &ended, is_stopped) {
            return Next::Ask(Box::new(again));
        }
        let draft = match (&self.spec.review, &ended.output) {
            (Some(review), Some(draft)) if ended.is_ok() => Some((review.clone(), draft.clone())),
            _ => None,
        };
        match draft {
            None => self.stand(ended),
            Some(_) if is_stopped => {
                self.refuse(Status::Cancelled, "the run was stopped before its output was reviewed", json!({}))
            }
            Some((review, draft)) => {
                let request = self.review(&review, &draft);
                self.stage = Stage::Review { draft };
                Next::Ask(Box::new(request))
            }
        }
    }

    fn reviewed(&mut self, run: &Run, draft: Value, ended: &Outcome, is_stopped: bool) -> Next {
        let verdict = Verdict::of(ended);
        let (task_id, attempt) = (Arc::from(self.id.as_str()), u64::from(self.attempts));
        run.emit(EventBody::Reviewed { task_id, attempt, verdict: verdict.name() }, None);
        let review = &*ended.task.task_id;
        let comments = ended.output.as_ref().and_then(|output| output.get("comments")).cloned().unwrap_or(Value::Null);
        match verdict {
            Verdict::Pass => self.end(Status::Ok, Some(draft), None),
            Verdict::Blocked => {
                let missing = ended.output.as_ref().and_then(|output| output.get("missing")).filter(|m| m.is_array());
                let details = json!({
                    "missing": missing.cloned().unwrap_or_else(|| json!([])), "review": review, "comments": comments,
                });
                let message = format!("the reviewer {} says that task {} lacks input", ended.task.agent, self.id);
                let error = AgentError { code: "blocked".into(), message, details };
                self.end(Status::Blocked, None, Some(error))
            }
            Verdict::None => {
                let status = if ended.status == Status::Cancelled { Status::Cancelled } else { Status::Failed };
                let why = format!("its reviewer {} ended {} without a verdict", ended.task.agent, ended.status);
                let code = ended.error.as_ref().map(|error| error.code.clone());
                self.refuse(status, &why, json!({ "review": review, "status": ended.status, "code": code }))
            }
            Verdict::Revise => self.revise(run, draft, review, comments, is_stopped),
        }
    }

    /// Sends the work back, as often as the plan and the run's retries allow.
    fn revise(&mut self, run: &Run, draft: Value, review: &str, comments: Value, is_stopped: bool) -> Next {
        let most = self.spec.review.as_ref().map_or(0, |review| review.max_returns);
        let returns = self.attempts.saturating_sub(1);
        let obstacle = if returns >= most {
            Some(format!("was sent back {} times (max_returns {most})", u64::from(returns) + 1))
        } else if is_stopped {
            Some("was sent back when the run was stopped".into())
        } else if !spend_retry(run) {
            Some("was sent back, and the run has no retries left".into())
        } else {
            None
        };
        if let Some(obstacle) = obstacle {
            let message = format!("the output of task {} {obstacle}; read the comments, or raise the limit", self.id);
            let details = json!({ "review": review, "attempts": self.attempts, "comments": comments });
            let error = AgentError { code: "review_rejected".into(), message, details };
            return self.end(Status::Failed, None, Some(error));
        }
        self.attempts = self.attempts.saturating_add(1);
        self.returned.extend(self.latest.take());
        let mut context = match &self.spec.context {
            Value::Object(map) => map.clone(),
            other => Map::from_iter([("context".to_owned(), other.clone())]),
        };
        context.insert("review".into(), json!({ "comments": comments, "previous_output": draft }));
        self.stage = Stage::Work;
        self.context = Some(Value::Object(context));
        Next::Ask(Box::new(self.work()))
    }

    /// An output that nobody accepted.
    fn refuse(&mut self, status: Status, why: &str, details: Value) -> Next {
        let message = format!("the output of task {} was not accepted: {why}", self.id);
        self.end(status, None, Some(AgentError { code: "review_failed".into(), message, details }))
    }

    /// The end of an attempt is the task's own. Mostly there was but one, and nothing is to be added to it.
    fn stand(&mut self, ended: Arc<Outcome>) -> Next {
        let is_first = self.first.as_ref().is_some_and(|first| Arc::ptr_eq(first, &ended));
        if is_first && ended.error.is_none() {
            self.stage = Stage::Over(ended);
            return Next::End;
        }
        let error = self.told(ended.error.clone());
        self.end(ended.status, ended.output.clone(), error)
    }

    /// The task's own end: reported as its first attempt, whatever that one's fork did.
    pub(crate) fn end(&mut self, status: Status, output: Option<Value>, error: Option<AgentError>) -> Next {
        if let Some(first) = &self.first {
            self.stage = Stage::Over(Arc::new(Outcome { status, output, error, ..(**first).clone() }));
        }
        Next::End
    }

    /// The next attempt, with everything it is told.
    pub(crate) fn work(&mut self) -> Request {
        let handed = match self.checkpoint.take() {
            None => self.handed.clone(),
            checkpoint => {
                let dependencies = self.handed.as_ref().map(|handed| handed.dependencies.clone()).unwrap_or_default();
                Some(Arc::new(Handed { dependencies, checkpoint }))
            }
        };
        let options = RequestOptions { id: Some(self.id.clone()), handed, ..self.spec.options.clone() };
        let context = self.context.as_ref().unwrap_or(&self.spec.context).clone();
        let (agent, goal) = (self.spec.agent.clone(), self.spec.goal.clone());
        Request { agent, goal, context, options: Ok(Arc::new(options)), is_added: false }
    }

    /// The reviewer sees the task and the output, nothing of how it came about (GV-08).
    fn review(&self, review: &ReviewSpec, draft: &Value) -> Request {
        let criteria = &self.spec.options.acceptance_criteria;
        let mut context = Map::new();
        let task = json!({ "id": self.id, "goal": self.spec.goal, "acceptance_criteria": criteria });
        context.insert("task".into(), task);
        context.insert("output".into(), draft.clone());
        if let Some(summary) = draft.get("summary").filter(|summary| summary.is_string()) {
            context.insert("summary".into(), summary.clone());
        }
        let options = RequestOptions {
            id: Some(format!("{}.review", self.id)),
            is_acceptance: true,
            critical: true,
            output_schema: Some(Verdict::schema()),
            acceptance_criteria: criteria.clone(),
            ..RequestOptions::default()
        };
        Request {
            agent: review.agent.clone(),
            goal: format!("Review the output of task {}: {}", self.id, self.spec.goal),
            context: Value::Object(context),
            options: Ok(Arc::new(options)),
            is_added: false,
        }
    }
}

/// What a reviewer says. Anything that is not one of three words said by an ok fork is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    Revise,
    Blocked,
    None,
}

impl Verdict {
    fn of(review: &Outcome) -> Self {
        let word = review.output.as_ref().filter(|_| review.is_ok()).and_then(|output| output.get("verdict")?.as_str());
        match word {
            Some("PASS") => Self::Pass,
            Some("REVISE") => Self::Revise,
            Some("BLOCKED") => Self::Blocked,
            _ => Self::None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Revise => "REVISE",
            Self::Blocked => "BLOCKED",
            Self::None => "none",
        }
    }

    /// What a reviewer's output must look like: it is told, and held to it.
    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": { "verdict": { "enum": ["PASS", "REVISE", "BLOCKED"] }, "comments": {} },
            "required": ["verdict"],
        })
    }
}
