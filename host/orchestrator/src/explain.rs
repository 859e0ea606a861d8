//! What each fork of a plan may do, spend and see, told without running anything: every request goes through the real gate
//! of a run that never starts, and the packet is the real packet. Decides nothing by itself; it only compares what was
//! written with what came out.

use crate::Pace;
use crate::agents::Agents;
use crate::asker::Asker;
use crate::clock::Clock;
use crate::dependencies::layers;
use crate::events::Log;
use crate::explained::{Explained, Follows, Waits, row};
use crate::fork::Fork;
use crate::gate::{Verdict, judge};
use crate::input::{AgentCode, Broken};
use crate::nursery::Nursery;
use crate::reviewing::Way;
use crate::run::Run;
use crate::seats::Seats;
use crate::slots::Slots;
use crate::toolbox::Toolbox;
use sandfork_model::{
    Agent, AgentEntry, BoxFuture, OnFailure, Plan, Refusal, Request, RequestOptions, ReturnMode, RunId, Runtime, Shape,
    TaskReader, TaskSpec, ToolSpec, Unloadable,
};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Rows in all: a plan of agents that fork each other has no end of its own.
const MAX_ROWS: usize = 1_024;

/// What a plan's forks are explained from.
pub struct ExplainInput {
    /// The plan.
    pub plan: Arc<Plan>,
    /// Code by agent name; only manifests are looked at.
    pub agents: HashMap<String, AgentCode>,
    /// Every tool there is.
    pub specs: Vec<ToolSpec>,
}

/// Explains every task and agent of a plan, depth first in plan order.
///
/// # Errors
/// When the tools contradict each other.
pub fn explain(input: ExplainInput) -> Result<Vec<Explained>, Broken> {
    let run = still(input)?;
    let mut telling = Telling { run: &run, rows: Vec::new(), seen: HashSet::new() };
    let tasks = run.plan.shape.tasks();
    let (is_planned, asked_by) = match &run.plan.shape {
        Shape::Planner(_) => (true, "the plan, as planner"),
        Shape::Root(_) | Shape::Tasks(_) => (false, "the plan"),
    };
    telling.in_layers(tasks, asked_by);
    let others = run.plan.agents.iter().filter(|entry| !telling.seen.contains(&entry.name));
    let others: Vec<&AgentEntry> = others.collect();
    for entry in others {
        let by = if is_planned { "a planner that lists it" } else { "nobody: if the plan had a task for it" };
        let options = RequestOptions { id: Some(entry.name.clone()), ..RequestOptions::default() };
        telling.alone(Asker::Plan(&run), plain_request(&entry.name, options), by);
    }
    Ok(telling.rows)
}

/// A run with everything but life.
fn still(input: ExplainInput) -> Result<Arc<Run>, Broken> {
    let clock = Clock::start(Pace::Virtual);
    let slots = Slots::new(clock.clone(), input.plan.limits.max_concurrency);
    let toolbox = Toolbox::new(&[], input.specs)?;
    let agents = Agents::new(Arc::new(Nothing), input.agents);
    let seats = Seats::new(input.plan.limits.max_live);
    let name: Arc<str> = input.plan.name.as_str().into();
    let id = RunId { name: Arc::clone(&name), id: name };
    let log = Log::open(Vec::new());
    Ok(Arc::new(Run::new(input.plan, id, agents, toolbox, clock, slots, seats, log, None, None, Arc::new(Nothing))))
}

/// Runs nothing and reads nothing: no fork of this run ever lives.
struct Nothing;

impl Runtime for Nothing {
    fn load(&self, _component: Arc<[u8]>) -> BoxFuture<'_, Result<Arc<dyn Agent>, Unloadable>> {
        let unloadable = Unloadable { message: "nothing runs here".into(), hint: None, is_missing_export: false };
        Box::pin(std::future::ready(Err(unloadable)))
    }
}

impl TaskReader for Nothing {
    fn read(&self, _output: &Value, _accepted: &[&str]) -> Result<Vec<TaskSpec>, Vec<String>> {
        Err(vec!["nothing is read here".into()])
    }
}

fn plain_request(agent: &str, options: RequestOptions) -> Request {
    let goal = "(what its parent asks)".to_owned();
    Request { agent: agent.into(), goal, context: json!({}), options: Ok(Arc::new(options)), is_added: false }
}

struct Telling<'a> {
    run: &'a Arc<Run>,
    rows: Vec<Explained>,
    seen: HashSet<String>,
}

impl Telling<'_> {
    /// The plan's own tasks, layer by layer, each when the one before has been settled: in a run a task may find more or less
    /// there, for nobody waits for a whole layer.
    fn in_layers(&mut self, tasks: &[TaskSpec], asked_by: &str) {
        let layers = layers(tasks);
        let is_layered = tasks.iter().any(|task| task.waits_for().next().is_some());
        for layer in 0..=layers.iter().copied().max().unwrap_or_default() {
            let of_layer = tasks.iter().zip(&layers).filter(|(_, of)| **of == layer).map(|(task, _)| task.clone());
            let of_layer: Vec<TaskSpec> = of_layer.collect();
            self.together(&of_layer, asked_by);
        }
        for row in &mut self.rows {
            let Some((task, layer)) = tasks.iter().zip(&layers).find(|(task, _)| task.id == row.task_id) else {
                continue;
            };
            row.follows = Some(Follows {
                retry: task.retry.clone(),
                review: task.review.clone(),
                on_failure: match self.run.plan.shape {
                    Shape::Tasks(_) => task.options.on_failure.unwrap_or(self.run.plan.limits.fork.on_failure),
                    // Without them there is nothing to go on with.
                    Shape::Root(_) | Shape::Planner(_) => OnFailure::Propagate,
                },
            });
            row.waits = is_layered.then(|| Waits {
                layer: *layer,
                needs: task.needs.clone(),
                needs_optional: task.needs_optional.clone(),
            });
        }
        self.rows.sort_by_key(|row| tasks.iter().position(|task| is_of(&task.id, &row.task_id)));
    }

    /// Tasks that start together: one call, as in the run; then their reviewers, one by one, when the work has been settled.
    fn together(&mut self, tasks: &[TaskSpec], asked_by: &str) {
        let mut ways: Vec<Way> = tasks.iter().map(|task| Way::new(task.clone(), task.id.clone())).collect();
        let asker = Asker::Plan(self.run);
        let requests: Vec<Request> = ways.iter_mut().map(Way::work).collect();
        let verdicts = asker.with_budget(|budget| judge(asker, requests.clone(), budget));
        let told: Vec<_> = requests
            .iter()
            .zip(verdicts)
            .map(|(request, verdict)| self.tell(asker, request, verdict, asked_by))
            .collect();
        for (fork, way) in told.into_iter().zip(&ways) {
            if let Some(fork) = fork {
                give_back(asker, &fork);
            }
            if let Some(review) = way.first_review() {
                self.alone(asker, review, "the plan, as reviewer");
            }
        }
    }

    /// One request by itself, given back afterwards: the first of its kind, whoever came before.
    fn alone(&mut self, asker: Asker<'_>, request: Request, asked_by: &str) {
        let verdict = asker.with_budget(|budget| judge(asker, vec![request.clone()], budget)).pop();
        let Some(verdict) = verdict else { return };
        if let Some(fork) = self.tell(asker, &request, verdict, asked_by) {
            give_back(asker, &fork);
        }
    }

    /// Adds the row of one verdict, and of what such a fork could fork in turn.
    fn tell(&mut self, asker: Asker<'_>, request: &Request, verdict: Verdict, asked_by: &str) -> Option<Arc<Fork>> {
        if self.rows.len() >= MAX_ROWS {
            return None;
        }
        self.seen.insert(request.agent.clone());
        let (task, refused, queued) = match verdict {
            Verdict::Admitted(admitted, admitted_request) => {
                let nursery = Nursery::new(ReturnMode::All, 1, None);
                let fork = Fork::new(*admitted, *admitted_request, asker.fork().cloned(), nursery, 0);
                fork.state.lock().deadline_ns = self.run.clock.now_ns().saturating_add(fork.ceilings.timeout_ns);
                self.rows.push(row(asker, &fork, request, asked_by));
                for name in fork.grant.spawn.clone() {
                    let options = RequestOptions { id: Some(name.clone()), ..RequestOptions::default() };
                    self.alone(Asker::Fork(&fork), plain_request(&name, options), &fork.task.task_id);
                }
                return Some(fork);
            }
            Verdict::Refused { task, refusal, .. } => (task, Some(refusal), None),
            Verdict::Waiting(waiting) => (waiting.task, None, Some(waiting.refusal)),
        };
        let told = |refusal: Box<Refusal>| (refusal.code.name().to_owned(), refusal.message);
        self.rows.push(Explained {
            task_id: task.task_id.to_string(),
            agent: request.agent.clone(),
            depth: task.depth,
            asked_by: asked_by.to_owned(),
            refused: refused.map(told),
            queued: queued.map(told),
            tools: Vec::new(),
            delegate: Vec::new(),
            spawn: Vec::new(),
            spend: Vec::new(),
            layers: Vec::new(),
            shared: Vec::new(),
            taken: Vec::new(),
            waits: None,
            follows: None,
            holds_tank: false,
        });
        None
    }
}

/// Whether a row belongs to a task: the task itself, its review, or what either of them forks.
fn is_of(task: &str, row: &str) -> bool {
    row.strip_prefix(task).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest.starts_with(".review"))
}

/// Takes back what a fork that will never live was given.
fn give_back(asker: Asker<'_>, fork: &Arc<Fork>) {
    fork.run.tasks_used.fetch_sub(1, Ordering::AcqRel);
    let budget = fork.state.lock().budget.take();
    asker.with_budget(|purse| budget.into_iter().for_each(|budget| purse.absorb(budget)));
    if let Asker::Fork(parent) = asker {
        let mut state = parent.state.lock();
        state.children_started = state.children_started.saturating_sub(1);
        state.child_prints.clear();
        state.child_ids.clear();
    }
}
