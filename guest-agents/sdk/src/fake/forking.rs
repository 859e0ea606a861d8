//! The words a fake host has for forks: how requests are read and outcomes written, as the orchestrator does it.

use crate::port::{RawError, RawOutcome, RawRequest};
use crate::{Failure, Json, Request, Status, json};

/// How a request ended.
pub(super) enum Way {
    /// It ran.
    Ended(Result<Json, Failure>),
    /// The gate said no: code and words.
    Refused(&'static str, String),
    /// Nobody of that name.
    Unknown,
    /// Others were enough.
    Cancelled,
}

impl Way {
    /// The outcome that the orchestrator would give.
    pub(super) fn outcome(self, task_id: String, agent: String) -> RawOutcome {
        let (status, output, error) = match self {
            Self::Ended(Ok(output)) => (Status::Ok, Some(output.to_string()), None),
            Self::Ended(Err(failure)) if failure.code == "blocked" => (
                Status::Blocked,
                None,
                Some(Failure { message: format!("agent {agent} is blocked: {}", failure.message), ..failure }),
            ),
            Self::Ended(Err(failure)) => {
                let message = format!("agent {agent} failed: {failure}");
                let details = json!({
                    "cause": "returned", "agent": agent,
                    "code": failure.code, "message": failure.message, "details": failure.details,
                });
                (Status::Failed, None, Some(Failure::new("subagent_failed", message).details(details)))
            }
            Self::Refused(code, message) => (Status::Refused, None, Some(Failure::new(code, message))),
            Self::Unknown => {
                let message = format!("unknown agent {agent}; add it to the fake host with .child() or .agent()");
                (Status::Failed, None, Some(Failure::new("unknown_subagent", message)))
            }
            Self::Cancelled => {
                let error = Failure::new("cancelled", format!("agent {agent} was cancelled: its siblings were enough"));
                (Status::Cancelled, None, Some(error.details(json!({ "reason": "decided" }))))
            }
        };
        let status = status.name().to_owned();
        RawOutcome { task_id, agent, status, output, error: error.map(raw), info: "{}".to_owned() }
    }
}

/// A failure as the interface carries it.
pub(super) fn raw(failure: Failure) -> RawError {
    RawError { code: failure.code, message: failure.message, details: failure.details.to_string() }
}

/// A request as the agent built it.
pub(super) fn request(raw: RawRequest) -> Request {
    let mut request = Request::new(raw.agent, raw.goal).context(serde_json::from_str(&raw.context).unwrap_or_default());
    request.options = serde_json::from_str(&raw.options).unwrap_or_default();
    request
}

/// The child's place in the tree of forks.
pub(super) fn task_id(parent: &str, request: &Request, ordinal: usize) -> String {
    match request.options.get("id").and_then(Json::as_str) {
        Some(id) => format!("{parent}/{id}"),
        None => format!("{parent}/{ordinal}"),
    }
}

/// How many children must be ok before the rest is cancelled.
pub(super) fn enough(options: &str, requests: usize) -> usize {
    let options: Json = serde_json::from_str(options).unwrap_or_default();
    match options.get("return") {
        Some(Json::String(word)) if word == "first_ok" => 1,
        Some(Json::Object(quorum)) => {
            quorum.get("quorum").and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(requests)
        }
        _ => requests,
    }
}
