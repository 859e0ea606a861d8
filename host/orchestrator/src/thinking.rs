//! One call of `model`: a turn. Counts turns, estimates tokens, adds the assistant's message.

use crate::fork::{Fork, HaltReason};
use crate::port::{length, spend};
use crate::tooling::{Answer, halt, provided};
use sandfork_model::{AgentError, Dimension, EventBody, Halt, Message};
use serde_json::{Value, json};
use std::sync::Arc;

/// Bytes that one token is taken for, where no provider reports tokens.
const BYTES_PER_TOKEN: u64 = 4;

/// Answers one model call.
pub(crate) async fn answer(fork: &Arc<Fork>, arguments: &str) -> Result<Answer, Halt> {
    let turn = begin(fork)?;
    let input_tokens = fork.state.lock().message_bytes.div_ceil(BYTES_PER_TOKEN);
    spend(fork, Dimension::InputTokens, input_tokens)?;
    let parsed = match serde_json::from_str::<Value>(arguments) {
        Ok(parsed) if parsed.is_object() => parsed,
        _ => {
            let message = "arguments of model must be a JSON object".into();
            return Ok(Err(AgentError { code: "invalid_arguments".into(), message, details: json!({"tool": "model"}) }));
        }
    };
    let (answer, is_error) = provided(fork, "model", parsed).await?;
    let output_tokens = answer.as_ref().map_or(0, |text| said(text).div_ceil(BYTES_PER_TOKEN));
    fork.emit(EventBody::ModelCall { turn, is_ok: !is_error, input_tokens, output_tokens }, None);
    match &answer {
        Ok(text) => {
            spend(fork, Dimension::OutputTokens, output_tokens)?;
            let mut state = fork.state.lock();
            state.counts.messages += 1;
            state.message_bytes = state.message_bytes.saturating_add(said(text));
            if let Some(thread) = state.thread.as_mut() {
                let content = words(text).unwrap_or_else(|| text.clone());
                thread.messages.push(Message { role: "assistant", content, tool: None, arguments: None });
            }
        }
        Err(error) => {
            if error.code == "replies_exhausted" {
                fork.state.lock().is_exhausted = true;
            }
        }
    }
    Ok(answer)
}

/// Counts the turn against the fork's steps, its budget and the run's cap.
fn begin(fork: &Fork) -> Result<u64, Halt> {
    let turns = fork.state.lock().counts.turns;
    let limit = fork.ceilings.steps;
    if turns >= limit {
        return Err(halt(fork, HaltReason::Iterations { limit }));
    }
    fork.charge(Dimension::Turns, 1)
        .map_err(|shortfall| halt(fork, HaltReason::Iterations { limit: shortfall.limit }))?;
    fork.run.gauge.count_model_call().map_err(|limit| halt(fork, HaltReason::ModelCalls { limit }))?;
    let mut state = fork.state.lock();
    state.counts.turns += 1;
    Ok(state.counts.turns)
}

/// The text a model said, if the answer has one.
fn words(answer: &str) -> Option<String> {
    serde_json::from_str::<Value>(answer).ok()?.get("text")?.as_str().map(str::to_owned)
}

fn said(answer: &str) -> u64 {
    words(answer).map_or_else(|| length(answer), |text| length(&text))
}
