//! A host for tests: answers what the test says, remembers what it was asked. Natively only; it has no budgets, grants or
//! clocks, and proves nothing about them.
//!
//! ```
//! use sandfork_guest::fake::FakeHost;
//! use sandfork_guest::{Agent, Context, Failure, Json, Request, Task, json};
//!
//! struct Lead;
//! impl Agent for Lead {
//!     fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
//!         let child = host.spawn(Request::new("worker", &task.goal))?;
//!         Ok(json!({ "reply": child.output }))
//!     }
//! }
//!
//! let run = FakeHost::new().child("worker", |request| Ok(json!(request.goal.to_uppercase()))).run::<Lead>(Task::new("go"));
//! assert_eq!(run.result, Ok(json!({ "reply": "GO" })));
//! assert_eq!(run.spawned[0].agent, "worker");
//! ```

mod answering;
mod forking;
#[cfg(test)]
mod tests;

use crate::{Agent, Context, Failure, Json, Request, Task};
use answering::{Answering, Fork};
use std::cell::RefCell;
use std::rc::Rc;

/// How deep agents of the fake may fork each other unless a test says otherwise: the host's own default.
const MAX_DEPTH: u32 = 2;

/// A host under construction: each method adds an answer, [`FakeHost::run`] runs an agent against them.
pub struct FakeHost {
    answering: Answering,
}

impl Default for FakeHost {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeHost {
    /// Knows no tool but `sleep` and `budget`, which answer at once, and no other agent.
    #[must_use]
    pub fn new() -> Self {
        Self { answering: Answering::new(MAX_DEPTH) }
    }

    /// Answers a tool. `Err` is an error that the agent sees as a [`crate::ToolError`]. Tool `model` is answered the same way.
    #[must_use]
    pub fn tool(mut self, name: &str, answer: impl FnMut(&Json) -> Result<Json, Failure> + 'static) -> Self {
        self.answering.tool(name, Box::new(answer));
        self
    }

    /// Stands for an agent that is forked. `Err` is an outcome that is not ok, with the status that the host would give it.
    #[must_use]
    pub fn child(mut self, agent: &str, answer: impl FnMut(&Request) -> Result<Json, Failure> + 'static) -> Self {
        self.answering.child(agent, Box::new(answer));
        self
    }

    /// Lets a real agent be forked under this name, against this same host.
    #[must_use]
    pub fn agent<A: Agent>(mut self, name: &str) -> Self {
        self.answering.agent(name, A::run);
        self
    }

    /// How deep agents may fork each other; 2 unless set.
    #[must_use]
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.answering.max_depth = max_depth;
        self
    }

    /// Runs an agent on a task. A panic of the agent is a panic of the test.
    pub fn run<A: Agent>(self, task: impl Into<Task>) -> Run {
        let answering = Rc::new(RefCell::new(self.answering));
        Fork::top(answering).run(&task.into(), A::run)
    }
}

/// What came of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run {
    /// What the agent returned.
    pub result: Result<Json, Failure>,
    /// Its notes, in order. Those of agents below it are their own.
    pub notes: Vec<String>,
    /// Every tool call it made, in order; `model`, `sleep` and `budget` among them.
    pub calls: Vec<Call>,
    /// Every fork it asked for, in order, refused ones too.
    pub spawned: Vec<Request>,
}

/// One tool call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// Which tool.
    pub tool: String,
    /// With what.
    pub arguments: Json,
}

/// The function of an agent.
pub(crate) type RunFn = fn(&Task, &mut Context) -> Result<Json, Failure>;
