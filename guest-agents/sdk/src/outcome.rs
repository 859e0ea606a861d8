//! How one child ended, typed. An outcome that is not ok is data: what to do about it is the parent's to decide.

use crate::failure::lenient;
use crate::fields::{number, take};
use crate::port::RawOutcome;
use crate::{Failure, Json, Status};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// How one child, or one refused request, ended.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Outcome {
    /// Its place in the tree of forks.
    pub task_id: String,
    /// Which agent it was.
    pub agent: String,
    /// How it ended.
    pub status: Status,
    /// What it returned; `None` unless ok.
    pub output: Option<Json>,
    /// What went wrong; `None` if ok.
    pub error: Option<Failure>,
    /// What it did.
    pub info: Info,
}

/// What a fork did, as the host counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Info {
    /// Model calls.
    pub turns: u64,
    /// Messages of its thread.
    pub messages: u64,
    /// Tool and spawn answers among them.
    pub tool_messages: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Every crossing.
    pub host_calls: u64,
    /// Fuel burnt and charged.
    pub fuel_used: u64,
    /// Added by the host so that a batch covers all it must.
    pub added: bool,
}

impl Info {
    fn of(info: Json) -> Self {
        let Json::Object(mut info) = info else { return Self::default() };
        let all = &mut info;
        Self {
            turns: number(all, "turns"),
            messages: number(all, "messages"),
            tool_messages: number(all, "tool_messages"),
            tool_calls: number(all, "tool_calls"),
            host_calls: number(all, "host_calls"),
            fuel_used: number(all, "fuel_used"),
            added: take(all, "added") == Some(Json::Bool(true)),
        }
    }
}

impl Outcome {
    /// Whether the output may be used.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok
    }

    /// The error's code: `subagent_failed`, `timeout`, `delegation_depth_exceeded`, …; `None` if ok.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.error.as_ref().map(|error| error.code.as_str())
    }

    /// The code that the agent itself failed with, where it returned a failure.
    #[must_use]
    pub fn own_code(&self) -> Option<&str> {
        self.error.as_ref()?.details.get("code")?.as_str()
    }

    /// The output as a type of the author's own.
    ///
    /// # Errors
    /// The child's failure if it is not ok; code `unexpected_output` if the output is something else.
    pub fn output_as<T: DeserializeOwned>(self) -> Result<T, Failure> {
        let agent = self.agent.clone();
        let output = self.into_result()?.output.unwrap_or_default();
        serde_json::from_value(output).map_err(|error| {
            Failure::new("unexpected_output", format!("{agent} returned something else than expected: {error}"))
        })
    }

    /// This outcome if it is ok; else as an error that `?` hands on.
    ///
    /// # Errors
    /// The outcome itself, if it is not ok.
    pub fn into_result(self) -> Result<Self, ChildError> {
        if self.is_ok() { Ok(self) } else { Err(ChildError { outcome: Box::new(self) }) }
    }

    pub(crate) fn from_raw(raw: RawOutcome) -> Self {
        Self {
            task_id: raw.task_id,
            agent: raw.agent,
            status: raw.status.into(),
            output: raw.output.as_deref().map(lenient),
            error: raw.error.map(Failure::from_raw),
            info: Info::of(lenient(&raw.info)),
        }
    }
}

/// A child that is not ok. `?` makes it the agent's own [`Failure`].
#[derive(Clone, Debug, PartialEq)]
pub struct ChildError {
    /// How it ended.
    pub outcome: Box<Outcome>,
}

impl ChildError {
    /// The error's code; empty if the host gave none.
    #[must_use]
    pub fn code(&self) -> &str {
        self.outcome.code().unwrap_or_default()
    }
}

impl fmt::Display for ChildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { task_id, status, error, .. } = &*self.outcome;
        let message = error.as_ref().map_or("", |error| &error.message);
        write!(f, "{task_id} ended {}: {message}", status.name())
    }
}
