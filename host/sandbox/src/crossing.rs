//! Values on their way through the interface: their sizes, which are what they cost, and their two forms.

use crate::bindings::{Error, Outcome, Request};
use sandfork_model::port::{RawError, RawOutcome, RawRequest};

/// Bytes of the arguments of a `spawn`.
pub(crate) fn requests_bytes(requests: &[Request], options: &str) -> usize {
    let texts = requests.iter().flat_map(|request| [&request.agent, &request.goal, &request.context, &request.options]);
    sum(texts.map(String::len)).saturating_add(options.len())
}

/// Bytes of the answer to a `spawn`.
pub(crate) fn outcomes_bytes(outcomes: &[RawOutcome]) -> usize {
    sum(outcomes.iter().map(|outcome| {
        let texts =
            [&outcome.task_id, &outcome.agent, &outcome.status, &outcome.info].into_iter().chain(&outcome.output);
        sum(texts.map(String::len)).saturating_add(outcome.error.as_ref().map_or(0, error_bytes))
    }))
}

/// Bytes of the answer to a `tool`.
pub(crate) fn answer_bytes(answer: &Result<String, RawError>) -> usize {
    match answer {
        Ok(text) => text.len(),
        Err(error) => error_bytes(error),
    }
}

/// Bytes of an error.
pub(crate) fn error_bytes(error: &RawError) -> usize {
    sum([&error.code, &error.message, &error.details].into_iter().map(String::len))
}

fn sum(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}

impl From<Request> for RawRequest {
    fn from(request: Request) -> Self {
        Self { agent: request.agent, goal: request.goal, context: request.context, options: request.options }
    }
}

impl From<RawError> for Error {
    fn from(error: RawError) -> Self {
        Self { code: error.code, message: error.message, details: error.details }
    }
}

impl From<RawOutcome> for Outcome {
    fn from(outcome: RawOutcome) -> Self {
        Self {
            task_id: outcome.task_id,
            agent: outcome.agent,
            status: outcome.status,
            output: outcome.output,
            error: outcome.error.map(Error::from),
            info: outcome.info,
        }
    }
}

impl From<Error> for RawError {
    fn from(error: Error) -> Self {
        Self { code: error.code, message: error.message, details: error.details }
    }
}
