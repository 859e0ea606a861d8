//! The task document: everything that a fork is told. Nothing in it varies between runs of the same plan.

use crate::fields::{list, number, object, take, text, texts};
use crate::{Failure, Json, json};
use serde::de::DeserializeOwned;
use serde_json::Map;

/// What a fork is to do. Keys that a newer host adds are ignored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// The run's name.
    pub run_id: String,
    /// This fork's place in the tree of forks.
    pub task_id: String,
    /// The parent's; `None` at the top.
    pub parent_task_id: Option<String>,
    /// The name under which the plan knows this agent.
    pub agent: String,
    /// 0 at the top.
    pub depth: u32,
    /// What for, in words.
    pub goal: String,
    /// What the result must meet.
    pub acceptance_criteria: Vec<String>,
    /// The fork's own input.
    pub context: Json,
    /// The run's read-only input, the same for all forks.
    pub shared: Map<String, Json>,
    /// References of the artifacts that the task rests on.
    pub context_refs: Vec<String>,
    /// What may be called, with schemas.
    pub tools: Vec<Tool>,
    /// Whom it may fork.
    pub spawn: Vec<String>,
    /// JSON Schema that the output must meet, if there is one.
    pub output_schema: Option<Json>,
    /// The limits as declared. What is left of them, only [`crate::Context::budget`] tells.
    pub budget: Budget,
    /// The two opening messages for a model.
    pub messages: Vec<Message>,
}

/// A tool as the task names it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// What to call it by.
    pub name: String,
    /// For people and models.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
}

/// One message for a model.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// `system` or `user`.
    pub role: String,
    /// Its text.
    pub content: String,
}

/// Declared limits. A limit that the host does not name reads 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Units of fuel.
    pub fuel: u64,
    /// Model calls.
    pub turns: u64,
    /// Every crossing.
    pub host_calls: u64,
    /// Tokens sent to models.
    pub input_tokens: u64,
    /// Tokens received from models.
    pub output_tokens: u64,
    /// Bytes of tool results.
    pub result_bytes: u64,
    /// Bytes of output.
    pub output_bytes: u64,
    /// Bytes of notes.
    pub note_bytes: u64,
    /// Second attempts.
    pub retries: u64,
    /// Turns of this fork alone.
    pub steps: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Milliseconds.
    pub timeout_ms: u64,
    /// The model tier, where the plan has tiers.
    pub tier: Option<String>,
}

impl Default for Task {
    fn default() -> Self {
        Self {
            run_id: String::new(),
            task_id: String::new(),
            parent_task_id: None,
            agent: String::new(),
            depth: 0,
            goal: String::new(),
            acceptance_criteria: Vec::new(),
            context: json!({}),
            shared: Map::new(),
            context_refs: Vec::new(),
            tools: Vec::new(),
            spawn: Vec::new(),
            output_schema: None,
            budget: Budget::default(),
            messages: Vec::new(),
        }
    }
}

impl Task {
    /// A task for a test: a goal, an empty context, nothing else.
    #[must_use]
    pub fn new(goal: impl Into<String>) -> Self {
        Self { goal: goal.into(), ..Self::default() }
    }

    /// The same task with another context.
    #[must_use]
    pub fn context(mut self, context: Json) -> Self {
        self.context = context;
        self
    }

    /// Reads a task document, or the part of one that a test needs.
    ///
    /// # Errors
    /// `invalid_task`, with the place, if it is no task document.
    pub fn from_text(text: &str) -> Result<Self, Failure> {
        match serde_json::from_str(text) {
            Ok(Json::Object(document)) => Ok(Self::of(document)),
            Ok(_) => Err(unreadable("it is no JSON object")),
            Err(error) => Err(unreadable(&error.to_string())),
        }
    }

    /// Read field by field instead of derived: every agent holds this code, and this is a fifth of the size.
    fn of(mut document: Map<String, Json>) -> Self {
        let all = &mut document;
        Self {
            run_id: text(all, "run_id"),
            task_id: text(all, "task_id"),
            parent_task_id: Some(text(all, "parent_task_id")).filter(|id| !id.is_empty()),
            agent: text(all, "agent"),
            depth: u32::try_from(number(all, "depth")).unwrap_or(u32::MAX),
            goal: text(all, "goal"),
            acceptance_criteria: texts(all, "acceptance_criteria"),
            context: take(all, "context").unwrap_or_else(|| json!({})),
            shared: object(all, "shared"),
            context_refs: texts(all, "context_refs"),
            tools: list(all, "tools").map(Tool::of).collect(),
            spawn: texts(all, "spawn"),
            output_schema: take(all, "output_schema"),
            budget: Budget::of(object(all, "budget")),
            messages: list(all, "messages").map(Message::of).collect(),
        }
    }

    /// A field of the context.
    ///
    /// # Errors
    /// `blocked`, naming the field, if it is absent or null.
    pub fn need(&self, field: &str) -> Result<&Json, Failure> {
        self.context.get(field).filter(|value| !value.is_null()).ok_or_else(|| Failure::blocked([field]))
    }

    /// A text field of the context.
    ///
    /// # Errors
    /// `blocked`, naming the field, if it is absent or no text.
    pub fn need_text(&self, field: &str) -> Result<&str, Failure> {
        self.need(field)?.as_str().ok_or_else(|| Failure::blocked([field]))
    }

    /// The whole context as a type of the author's own.
    ///
    /// # Errors
    /// `invalid_context`, saying what does not fit.
    pub fn context_as<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_value(self.context.clone())
            .map_err(|error| Failure::new("invalid_context", format!("the context does not fit: {error}")))
    }
}

impl Tool {
    fn of(mut tool: Map<String, Json>) -> Self {
        let all = &mut tool;
        Self {
            name: text(all, "name"),
            description: text(all, "description"),
            input_schema: take(all, "input_schema").unwrap_or_default(),
        }
    }
}

impl Message {
    fn of(mut message: Map<String, Json>) -> Self {
        Self { role: text(&mut message, "role"), content: text(&mut message, "content") }
    }
}

impl Budget {
    fn of(mut budget: Map<String, Json>) -> Self {
        let all = &mut budget;
        Self {
            fuel: number(all, "fuel"),
            turns: number(all, "turns"),
            host_calls: number(all, "host_calls"),
            input_tokens: number(all, "input_tokens"),
            output_tokens: number(all, "output_tokens"),
            result_bytes: number(all, "result_bytes"),
            output_bytes: number(all, "output_bytes"),
            note_bytes: number(all, "note_bytes"),
            retries: number(all, "retries"),
            steps: number(all, "steps"),
            memory: number(all, "memory"),
            timeout_ms: number(all, "timeout_ms"),
            tier: Some(text(all, "tier")).filter(|tier| !tier.is_empty()),
        }
    }
}

fn unreadable(why: &str) -> Failure {
    Failure::new("invalid_task", format!("the task document cannot be read: {why}"))
}

impl From<Json> for Task {
    /// A task from the part of a document that a test writes; what is absent, or of another type, is left at its default.
    fn from(document: Json) -> Self {
        match document {
            Json::Object(document) => Self::of(document),
            _ => Self::default(),
        }
    }
}
