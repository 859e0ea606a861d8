//! A validated plan. Reading and checking the file is another room's work; here is only what it comes to.

use crate::agent::AgentEntry;
use crate::limits::RunLimits;
use crate::request::RequestOptions;
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
}

/// A run's shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// One agent that forks the others; its output is the run's.
    Root(Box<TaskSpec>),
    /// A fixed decomposition, merged by the orchestrator; no pseudo-root in any count.
    Tasks(Vec<TaskSpec>),
}

impl Shape {
    /// The plan's own tasks, in plan order.
    #[must_use]
    pub fn tasks(&self) -> &[TaskSpec] {
        match self {
            Self::Root(root) => std::slice::from_ref(root.as_ref()),
            Self::Tasks(tasks) => tasks,
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
