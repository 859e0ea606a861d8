//! Tool `model`. A call with words of its own is answered by the built-in provider `scripted`: it says what a script wrote
//! down, after the time the script thinks. A call with messages goes to the run's model provider. Waits for nothing itself;
//! think time is named in the answer and passes on the run's own clock.

use crate::arguments::{Arguments, Misread};
use crate::{completing, specs};
use sandfork_model::cap::HOST_CEILING;
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_model::models::REPLIES_EXHAUSTED as EXHAUSTED_CODE;
use sandfork_model::{AgentError, BoxFuture, ModelProvider, Reply, ToolCall, ToolProvider, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The message of a script whose replies ran out (M4-21); the code is [`EXHAUSTED_CODE`].
pub const REPLIES_EXHAUSTED: &str = "script replies exhausted";

/// Answers tool `model`.
#[derive(Default)]
pub struct Model {
    provider: Option<Arc<dyn ModelProvider>>,
}

impl Model {
    /// Calls that carry messages go to `provider`.
    #[must_use]
    pub fn answered_by(provider: Arc<dyn ModelProvider>) -> Self {
        Self { provider: Some(provider) }
    }
}

impl ToolProvider for Model {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![specs::model()]
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        if completing::is_for(&call.arguments) {
            return Box::pin(completing::complete(self.provider.as_deref(), call));
        }
        Box::pin(std::future::ready(
            answer(&call).unwrap_or_else(|misread| Reply::now(Err(misread.to_error(&call.name)))),
        ))
    }
}

fn answer(call: &ToolCall) -> Result<Reply, Misread> {
    // The provider decides which keys it knows, so it is looked at first.
    if let Some(provider) = call.arguments.get("provider").and_then(|provider| provider.as_str())
        && provider != "scripted"
    {
        return Ok(Reply::now(Err(unknown_provider(provider))));
    }
    let read = Arguments::read(&call.arguments, &["provider", "turn", "think_ns", "say", "exhausted"])?;
    read.text("provider")?;
    let turn = read.optional_number("turn", HOST_CEILING)?;
    let think_ns = read.optional_number("think_ns", ceiling_ns())?.unwrap_or(0);
    let say = read.optional_text("say")?.unwrap_or("");
    if read.optional_bool("exhausted")?.unwrap_or(false) {
        return Ok(Reply::now(Err(AgentError {
            code: EXHAUSTED_CODE.into(),
            message: REPLIES_EXHAUSTED.into(),
            details: turn.map_or_else(|| json!({}), |turn| json!({ "turn": turn })),
        })));
    }
    let turn =
        turn.ok_or_else(|| Misread("argument `turn` is missing; it expects the number of the turn".to_owned()))?;
    let text = format!("{{\"turn\":{turn},\"text\":{}}}", Value::from(say));
    Ok(Reply { result: Ok(text), delay: Duration::from_nanos(think_ns) })
}

fn unknown_provider(provider: &str) -> AgentError {
    let shown: String = provider.chars().take(64).collect();
    AgentError {
        code: "provider_unknown".into(),
        message: format!("no model provider `{}`; this host has: scripted", shown.escape_debug()),
        details: json!({ "provider": shown, "known": ["scripted"] }),
    }
}

fn ceiling_ns() -> u64 {
    u64::try_from(HOST_TIME_CEILING.as_nanos()).unwrap_or(u64::MAX)
}
