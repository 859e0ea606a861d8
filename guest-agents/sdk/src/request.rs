//! What an agent asks for when it forks another: agent, goal, context, and options as the interface names them.

use crate::port::RawRequest;
use crate::{Json, json};
use serde_json::Map;

/// What a child's failure does to the run, where the parent does not decide otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The run fails with it.
    Propagate,
    /// The result is dropped.
    Skip,
}

/// One fork, asked for. What is not set, the plan's entry of the agent decides; a budget that is not set is a share of the
/// parent's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// Which agent, by the name that the plan gives it.
    pub agent: String,
    /// What for.
    pub goal: String,
    /// Its whole input besides the run's shared one. The child sees nothing else of its parent.
    pub context: Json,
    /// Options by their names in the interface.
    pub options: Map<String, Json>,
}

impl Request {
    /// A request with an empty context and no options.
    #[must_use]
    pub fn new(agent: impl Into<String>, goal: impl Into<String>) -> Self {
        Self { agent: agent.into(), goal: goal.into(), context: json!({}), options: Map::new() }
    }

    /// The child's input.
    #[must_use]
    pub fn context(mut self, context: Json) -> Self {
        self.context = context;
        self
    }

    /// Any option by its name: what the methods below do not know yet.
    #[must_use]
    pub fn option(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.options.insert(name.to_owned(), value.into());
        self
    }

    /// The last part of the child's task id.
    #[must_use]
    pub fn id(self, id: &str) -> Self {
        self.option("id", id)
    }

    /// The tools to grant, out of the agent's entry and what the parent has or may hand on.
    #[must_use]
    pub fn tools<'a>(self, tools: impl IntoIterator<Item = &'a str>) -> Self {
        self.option("tools", list(tools))
    }

    /// The part of the own budget to move: `{"steps": 4, "fuel": 1000000, …}`.
    #[must_use]
    pub fn budget(self, budget: Json) -> Self {
        self.option("budget", budget)
    }

    /// The least of it that is still of use, where the plan shrinks instead of refusing.
    #[must_use]
    pub fn budget_min(self, budget: Json) -> Self {
        self.option("budget_min", budget)
    }

    /// Wall-clock limit in milliseconds, at least 1.
    #[must_use]
    pub fn timeout_ms(self, timeout_ms: u64) -> Self {
        self.option("timeout_ms", timeout_ms)
    }

    /// What a failure does.
    #[must_use]
    pub fn on_failure(self, on_failure: OnFailure) -> Self {
        self.option(
            "on_failure",
            match on_failure {
                OnFailure::Propagate => "propagate",
                OnFailure::Skip => "skip",
            },
        )
    }

    /// Kept when the run must save.
    #[must_use]
    pub fn critical(self) -> Self {
        self.option("critical", true)
    }

    /// The first to go when the run must save.
    #[must_use]
    pub fn low_value(self) -> Self {
        self.option("low_value", true)
    }

    /// JSON Schema that the output must meet.
    #[must_use]
    pub fn output_schema(self, schema: Json) -> Self {
        self.option("output_schema", schema)
    }

    /// What the result must meet, in words.
    #[must_use]
    pub fn acceptance_criteria<'a>(self, criteria: impl IntoIterator<Item = &'a str>) -> Self {
        self.option("acceptance_criteria", list(criteria))
    }

    /// References of the artifacts that the task rests on.
    #[must_use]
    pub fn context_refs<'a>(self, references: impl IntoIterator<Item = &'a str>) -> Self {
        self.option("context_refs", list(references))
    }

    pub(crate) fn into_raw(self) -> RawRequest {
        let options = Json::Object(self.options).to_string();
        RawRequest { agent: self.agent, goal: self.goal, context: self.context.to_string(), options }
    }
}

fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Json> {
    words.into_iter().map(Json::from).collect()
}
