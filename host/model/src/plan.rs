//! A validated plan. Reading and checking the file is another room's work; here is only what it comes to.

use crate::agent::AgentEntry;
use crate::limits::RunLimits;
use crate::models::Models;
use crate::request::RequestOptions;
use crate::retry::RetrySpec;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// One task of the plan itself.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSpec {
    /// Its id: written for `tasks`, `root` for a root.
    pub id: String,
    /// Agent name; an unknown one is an outcome, not an invalid plan.
    pub agent: String,
    /// What for.
    pub goal: String,
    /// Its whole input besides `shared`; an object.
    pub context: Value,
    /// Everything else.
    pub options: RequestOptions,
    /// Who must accept its output; `None`: the output counts as it is.
    pub review: Option<ReviewSpec>,
    /// Ids of tasks that must be ok before it starts.
    pub needs: Vec<String>,
    /// Ids of tasks that must have ended, however, before it starts.
    pub needs_optional: Vec<String>,
    /// What happens if it ends badly.
    pub retry: RetrySpec,
}

impl TaskSpec {
    /// Everything it waits for: what must be ok, then what must only have ended.
    pub fn waits_for(&self) -> impl Iterator<Item = &str> {
        self.needs.iter().chain(&self.needs_optional).map(String::as_str)
    }
}

/// Who accepts a task's output, and how often it may be sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewSpec {
    /// Agent name of the reviewer.
    pub agent: String,
    /// How often the worker is forked again with the reviewer's comments.
    pub max_returns: u32,
}

impl ReviewSpec {
    /// Returns of a review that does not say.
    pub const DEFAULT_RETURNS: u32 = 2;
}

/// An agent that returns the plan's tasks instead of having them written.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerSpec {
    /// Its own task, with the id `planner`.
    pub task: TaskSpec,
    /// How often it is asked again about tasks that came back open.
    pub max_replans: u32,
}

impl PlannerSpec {
    /// Replans of a planner that does not say.
    pub const DEFAULT_REPLANS: u32 = 2;
}

/// A run's shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// One agent that forks the others; its output is the run's.
    Root(Box<TaskSpec>),
    /// A fixed decomposition, merged by the orchestrator; no pseudo-root in any count.
    Tasks(Vec<TaskSpec>),
    /// A decomposition that an agent returns; its tasks are merged like written ones.
    Planner(Box<PlannerSpec>),
}

impl Shape {
    /// The plan's own tasks as far as they are known before the run, in plan order.
    #[must_use]
    pub fn tasks(&self) -> &[TaskSpec] {
        match self {
            Self::Root(root) => std::slice::from_ref(root.as_ref()),
            Self::Tasks(tasks) => tasks,
            Self::Planner(planner) => std::slice::from_ref(&planner.task),
        }
    }
}

/// One rule of a scripted tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedRule {
    /// The rule fits if every key here equals the call's argument; `None` fits always.
    pub when: Option<Map<String, Value>>,
    /// Time until the answer.
    pub delay: Duration,
    /// The answer. `None` never answers.
    pub answer: Option<Result<Value, ScriptedError>>,
}

/// The error a scripted tool answers with.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedError {
    /// Stable, snake case.
    pub code: String,
    /// For people.
    pub message: String,
    /// An object.
    pub details: Value,
}

/// A tool whose answers stand in the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedTool {
    /// Its name.
    pub name: String,
    /// For the schemas a guest sees.
    pub description: String,
    /// The rules, first fit wins.
    pub rules: Vec<ScriptedRule>,
}

/// What a plan file comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// NAME.
    pub name: String,
    /// The run's goal: the `tasks` plan's own, the root's of a `root` plan.
    pub goal: String,
    /// Promises byte-identical reports under virtual time.
    pub is_virtual: bool,
    /// Safety rules no one below can override.
    pub rules: Vec<String>,
    /// Read-only input, a snapshot for each fork.
    pub shared: Map<String, Value>,
    /// The agents, in file order.
    pub agents: Vec<AgentEntry>,
    /// What the file tools see: the source directory, already resolved. `None`: an empty one.
    pub workspace: Option<PathBuf>,
    /// Scripted tools, in file order.
    pub tools: Vec<ScriptedTool>,
    /// Who answers model calls that carry messages; `None`: nobody does.
    pub models: Option<Models>,
    /// The run's limits, defaults filled in.
    pub limits: RunLimits,
    /// Root or tasks.
    pub shape: Shape,
}

impl Plan {
    /// The entry of an agent.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&AgentEntry> {
        self.agents.iter().find(|entry| entry.name == name)
    }
}
