//! One call of `model`: a turn. Counts turns, estimates tokens, adds the assistant's message.

use crate::fork::{Fork, HaltReason};
use crate::port::{length, spend};
use crate::reserve::tokens_at;
use crate::tooling::{Answer, halt, provided};
use sandfork_model::{AgentError, Dimension, EventBody, Halt, Message};
use serde_json::{Value, json};
use std::sync::Arc;

/// Bytes that one token is taken for, where no provider reports tokens.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;

/// Answers one model call.
pub(crate) async fn answer(fork: &Arc<Fork>, arguments: &str) -> Result<Answer, Halt> {
    let turn = begin(fork)?;
    let input_tokens = fork.state.lock().message_bytes.div_ceil(BYTES_PER_TOKEN);
    spend_tokens(fork, Dimension::InputTokens, input_tokens)?;
    let parsed = match serde_json::from_str::<Value>(arguments) {
        Ok(parsed) if parsed.is_object() => parsed,
        _ => {
            let message = "arguments of model must be a JSON object".into();
            return Ok(Err(AgentError {
                code: "invalid_arguments".into(),
                message,
                details: json!({"tool": "model"}),
            }));
        }
    };
    let (answer, is_error) = provided(fork, "model", parsed).await?;
    // What was said, if the answer has a text; else the answer itself counts as said.
    let text = answer.as_ref().ok().and_then(|answer| words(answer));
    let said = answer.as_ref().map_or(0, |answer| length(text.as_deref().unwrap_or(answer)));
    let output_tokens = said.div_ceil(BYTES_PER_TOKEN);
    fork.emit(EventBody::ModelCall { turn, is_ok: !is_error, input_tokens, output_tokens }, None);
    match &answer {
        Ok(answer) => {
            spend_tokens(fork, Dimension::OutputTokens, output_tokens)?;
            let mut state = fork.state.lock();
            state.counts.messages += 1;
            state.message_bytes = state.message_bytes.saturating_add(said);
            if let Some(thread) = state.thread.as_mut() {
                let content = text.unwrap_or_else(|| answer.clone());
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

/// Spends tokens at the price of the fork's tier.
fn spend_tokens(fork: &Fork, dimension: Dimension, tokens: u64) -> Result<(), Halt> {
    let tiers = &fork.run.plan.limits.policy.tiers;
    let percent = fork.tier.as_ref().and_then(|tier| tiers.get(tier)).copied();
    spend(fork, dimension, percent.map_or(tokens, |percent| tokens_at(tokens, percent)))
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
    match serde_json::from_str::<Value>(answer).ok()?.get_mut("text")?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}
