//! One call of `model`: a turn. Counts turns, estimates tokens, adds the assistant's message.

use crate::fork::{Fork, HaltReason};
use crate::port::{length, spend};
use crate::reserve::tokens_at;
use crate::tooling::{Answer, halt, provided};
use sandfork_model::models::REPLIES_EXHAUSTED;
use sandfork_model::{
    AgentError, Amounts, BYTES_PER_TOKEN, Dimension, EventBody, Halt, Message, Shortfall, TokenUsage,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Answers one model call.
pub(crate) async fn answer(fork: &Arc<Fork>, arguments: &str) -> Result<Answer, Halt> {
    let turn = begin(fork)?;
    let parsed = serde_json::from_str::<Value>(arguments).ok().filter(Value::is_object);
    // Who sends messages pays for what it sends; a script has no messages of its own, the host keeps them.
    let has_messages = parsed.as_ref().is_some_and(|parsed| parsed.get("messages").is_some());
    let sent = if has_messages { length(arguments) } else { fork.state.lock().message_bytes };
    let estimate = sent.div_ceil(BYTES_PER_TOKEN);
    if has_messages {
        // What it really costs is known behind the call; one that cannot be paid for is not made.
        afford(fork, Dimension::InputTokens, estimate)?;
    } else {
        spend_tokens(fork, Dimension::InputTokens, estimate)?;
        fork.state.lock().counts.input_tokens += estimate;
    }
    let Some(parsed) = parsed else {
        let message = "arguments of model must be a JSON object".into();
        let details = json!({"tool": "model"});
        return Ok(Err(AgentError { code: "invalid_arguments".into(), message, details }));
    };
    let (answer, is_error) = provided(fork, "model", parsed, None).await?;
    let said = Said::of(&answer, has_messages);
    let input_tokens = said.usage.input_tokens.unwrap_or(estimate);
    let output_tokens = said.usage.output_tokens.unwrap_or(said.bytes.div_ceil(BYTES_PER_TOKEN));
    fork.emit(EventBody::ModelCall { turn, is_ok: !is_error, input_tokens, output_tokens }, None);
    if has_messages {
        spend_tokens(fork, Dimension::InputTokens, input_tokens)?;
        fork.state.lock().counts.input_tokens += input_tokens;
    }
    match &answer {
        Ok(answer) => {
            spend_tokens(fork, Dimension::OutputTokens, output_tokens)?;
            let mut state = fork.state.lock();
            state.counts.messages += 1;
            state.counts.output_tokens += output_tokens;
            state.message_bytes = state.message_bytes.saturating_add(said.bytes);
            if let Some(thread) = state.thread.as_mut() {
                let content = said.text.unwrap_or_else(|| answer.clone());
                thread.messages.push(Message { role: "assistant", content, tool: None, arguments: None });
            }
        }
        Err(error) if error.code == REPLIES_EXHAUSTED => {
            if has_messages {
                let turn = error.details.get("turn").and_then(Value::as_u64).unwrap_or(turn);
                return Err(halt(fork, HaltReason::Exhausted { message: error.message.clone(), turn }));
            }
            // A script ends by itself, with this very error.
            fork.state.lock().is_exhausted = true;
        }
        Err(_) => {}
    }
    Ok(answer)
}

/// What an answer comes to.
#[derive(Default)]
struct Said {
    /// The text, if the answer has one; else the answer itself counts as said.
    text: Option<String>,
    bytes: u64,
    usage: TokenUsage,
}

impl Said {
    fn of(answer: &Answer, has_usage: bool) -> Self {
        let Ok(answer) = answer else { return Self::default() };
        let mut parsed = serde_json::from_str::<Value>(answer).unwrap_or_default();
        let text = match parsed.get_mut("text").map(Value::take) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let tokens = |key: &str| parsed.get("usage").filter(|_| has_usage)?.get(key)?.as_u64();
        let usage = TokenUsage { input_tokens: tokens("input_tokens"), output_tokens: tokens("output_tokens") };
        let bytes = length(text.as_deref().unwrap_or(answer));
        Self { text, bytes, usage }
    }
}

/// Ends the fork if it could not spend these tokens; spends nothing.
fn afford(fork: &Fork, dimension: Dimension, tokens: u64) -> Result<(), Halt> {
    let asked = priced(fork, tokens);
    let amounts = fork.state.lock().budget.as_ref().map(|budget| {
        let amount = |amounts: &Amounts| amounts.get(dimension);
        (amount(budget.left()), amount(budget.granted()))
    });
    match amounts {
        Some((left, limit)) if left < asked => {
            Err(halt(fork, HaltReason::Budget(Shortfall { dimension, asked, left, limit })))
        }
        _ => Ok(()),
    }
}

/// Spends tokens at the price of the fork's tier.
fn spend_tokens(fork: &Fork, dimension: Dimension, tokens: u64) -> Result<(), Halt> {
    spend(fork, dimension, priced(fork, tokens))
}

/// What tokens cost at the fork's tier.
fn priced(fork: &Fork, tokens: u64) -> u64 {
    let tiers = &fork.run.plan.limits.policy.tiers;
    let percent = fork.tier.as_ref().and_then(|tier| tiers.get(tier)).copied();
    percent.map_or(tokens, |percent| tokens_at(tokens, percent))
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
