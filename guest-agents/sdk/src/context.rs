//! What an agent can reach: a notebook, tools, other agents. Turns typed calls into the interface's texts and back.

use crate::port::{Port, RawRequest};
use crate::{BudgetLeft, ChildError, Json, ModelAnswer, Outcome, Outcomes, Request, ToolError, json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The host of one fork. There is no other way out of an agent.
pub struct Context {
    port: Box<dyn Port>,
}

impl Context {
    pub(crate) fn new(port: Box<dyn Port>) -> Self {
        Self { port }
    }

    /// Writes a line into this fork's private notebook. Parent and siblings never see it.
    pub fn note(&mut self, text: impl AsRef<str>) {
        self.port.note(text.as_ref());
    }

    /// Calls a tool with an object of arguments.
    ///
    /// # Errors
    /// What the tool, or the host in front of it, says; the agent may go on.
    pub fn tool(&mut self, name: &str, arguments: &impl Serialize) -> Result<Json, ToolError> {
        let arguments = serde_json::to_string(arguments).map_err(|error| {
            let message = format!("the arguments of {name} are no JSON: {error}");
            ToolError::new(name, "invalid_arguments", message, json!({}))
        })?;
        let answer = self.port.tool(name, &arguments).map_err(|raw| ToolError::from_raw(name, raw))?;
        serde_json::from_str(&answer).map_err(|error| unexpected(name, &error))
    }

    /// Calls a tool and reads its answer as a type of the author's own.
    ///
    /// # Errors
    /// As [`Context::tool`]; `truncated` if the answer was over its limit and was cut (what there is stands in the details),
    /// `unexpected_answer` if it is something else.
    pub fn tool_as<T: DeserializeOwned>(&mut self, name: &str, arguments: &impl Serialize) -> Result<T, ToolError> {
        let answer = self.tool(name, arguments)?;
        let is_cut = answer.get("truncated") == Some(&Json::Bool(true)) && answer.get("head").is_some();
        let cut = is_cut.then(|| answer.clone());
        serde_json::from_value(answer).map_err(|error| match cut {
            Some(cut) => {
                let message = format!("the answer of {name} was over its limit and was cut; ask for less");
                ToolError::new(name, "truncated", message, cut)
            }
            None => unexpected(name, &error),
        })
    }

    /// Forks one agent and waits for it.
    ///
    /// # Errors
    /// The outcome, if it is not ok: refused, failed, timed out, … The agent may go on.
    pub fn spawn(&mut self, request: Request) -> Result<Outcome, ChildError> {
        let agent = request.agent.clone();
        let outcome = self.fork(vec![request], &json!({})).0.into_iter().next();
        // The interface promises one outcome for each request; an absent one is an outcome that is not ok.
        outcome.unwrap_or_else(|| Outcome { agent, ..Outcome::default() }).into_result()
    }

    /// Forks all at once and waits for all.
    pub fn spawn_all(&mut self, requests: Vec<Request>) -> Outcomes {
        self.fork(requests, &json!({ "return": "all" }))
    }

    /// Forks all at once and waits for the first that is ok; the rest are cancelled and have an outcome too.
    pub fn first_ok(&mut self, requests: Vec<Request>) -> Outcomes {
        self.fork(requests, &json!({ "return": "first_ok" }))
    }

    /// Forks all at once and waits until `enough` are ok (at least 1); the rest are cancelled and have an outcome too.
    pub fn quorum(&mut self, enough: u32, requests: Vec<Request>) -> Outcomes {
        self.fork(requests, &json!({ "return": { "quorum": enough } }))
    }

    /// What this fork has left. Needs no grant.
    ///
    /// # Errors
    /// As [`Context::tool_as`].
    pub fn budget(&mut self) -> Result<BudgetLeft, ToolError> {
        self.tool_as("budget", &json!({}))
    }

    /// Lets time pass, to the millisecond. Needs no grant.
    ///
    /// # Errors
    /// As [`Context::tool`].
    pub fn sleep(&mut self, time: Duration) -> Result<(), ToolError> {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.tool("sleep", &json!({ "ms": ms })).map(drop)
    }

    /// Calls a model: `{"messages": [...], …}`. One call is one turn. Needs no grant.
    ///
    /// # Errors
    /// As [`Context::tool_as`].
    pub fn model(&mut self, arguments: &impl Serialize) -> Result<ModelAnswer, ToolError> {
        self.tool_as("model", arguments)
    }

    fn fork(&mut self, requests: Vec<Request>, options: &Json) -> Outcomes {
        let requests: Vec<RawRequest> = requests.into_iter().map(Request::into_raw).collect();
        let outcomes = self.port.spawn(requests, &options.to_string());
        Outcomes(outcomes.into_iter().map(Outcome::from_raw).collect())
    }
}

fn unexpected(tool: &str, error: &serde_json::Error) -> ToolError {
    let message = format!("{tool} answered something else than expected: {error}");
    ToolError::new(tool, "unexpected_answer", message, json!({}))
}
