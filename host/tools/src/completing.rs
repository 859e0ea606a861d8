//! One call of tool `model` that carries messages: read, asked of the model provider, and answered in one shape whoever the
//! provider is. Knows no provider.

use crate::arguments::{Arguments, Misread};
use sandfork_model::cap::HOST_CEILING;
use sandfork_model::{
    AgentError, BYTES_PER_TOKEN, Completed, ModelAnswer, ModelProvider, ModelRequest, ModelToolCall, Reply, ToolCall,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The arguments of a call that carries messages.
const KEYS: [&str; 3] = ["messages", "tools", "max_output_tokens"];

/// Whether a call is meant for a model provider.
pub(crate) fn is_for(arguments: &Value) -> bool {
    KEYS.iter().any(|key| arguments.get(key).is_some())
}

/// Answers `{text, tool_calls: [{id, name, arguments}], output?, turn, usage: {input_tokens, output_tokens}}`.
pub(crate) async fn complete(provider: Option<&dyn ModelProvider>, mut call: ToolCall) -> Reply {
    let Some(provider) = provider else { return Reply::now(Err(nobody())) };
    let sent = call.arguments.to_string().len();
    let turn = call.nth.saturating_add(1);
    let request = match request(&mut call, turn) {
        Ok(request) => request,
        Err(misread) => return Reply::now(Err(misread.to_error(&call.name))),
    };
    let Completed { result, delay } = provider.complete(request).await;
    Reply { result: result.map(|answer| text(answer, turn, sent)), delay }
}

/// The request that a call stands for; lists are moved out of its arguments.
fn request(call: &mut ToolCall, turn: u64) -> Result<ModelRequest, Misread> {
    let max_output_tokens =
        Arguments::read(&call.arguments, &KEYS)?.optional_number("max_output_tokens", HOST_CEILING)?;
    let messages = objects(&mut call.arguments, "messages")?;
    let messages = messages.ok_or_else(|| Misread("argument `messages` is missing; it expects a list".to_owned()))?;
    let tools = objects(&mut call.arguments, "tools")?.unwrap_or_default();
    Ok(ModelRequest { task: Arc::clone(&call.task), turn, messages, tools, max_output_tokens })
}

/// Takes a list of objects out of the arguments.
fn objects(arguments: &mut Value, key: &str) -> Result<Option<Vec<Value>>, Misread> {
    match arguments.get_mut(key).map(Value::take) {
        None => Ok(None),
        Some(Value::Array(items)) => match items.iter().position(|item| !item.is_object()) {
            None => Ok(Some(items)),
            Some(place) => Err(Misread(format!("argument `{key}[{place}]` expects an object"))),
        },
        Some(_) => Err(Misread(format!("argument `{key}` expects a list"))),
    }
}

/// The answer as the guest reads it. Tokens that the provider did not report are estimated from bytes.
fn text(answer: ModelAnswer, turn: u64, sent: usize) -> String {
    let ModelAnswer { text, tool_calls, output, usage } = answer;
    let calls: Vec<Value> = tool_calls.into_iter().enumerate().map(|(place, call)| named(call, turn, place)).collect();
    let mut map = Map::new();
    map.insert("text".into(), text.into());
    map.insert("tool_calls".into(), calls.into());
    if let Some(output) = output {
        map.insert("output".into(), output);
    }
    let said = Value::Object(map.clone()).to_string().len();
    let estimate = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN);
    let input_tokens = usage.input_tokens.unwrap_or_else(|| estimate(sent));
    let output_tokens = usage.output_tokens.unwrap_or_else(|| estimate(said));
    map.insert("turn".into(), turn.into());
    map.insert("usage".into(), json!({ "input_tokens": input_tokens, "output_tokens": output_tokens }));
    Value::Object(map).to_string()
}

/// Every call has an id, so that its answer can be told from others.
fn named(call: ModelToolCall, turn: u64, place: usize) -> Value {
    let id = call.id.unwrap_or_else(|| format!("call_{turn}_{}", place + 1));
    json!({ "id": id, "name": call.name, "arguments": call.arguments })
}

fn nobody() -> AgentError {
    AgentError {
        code: "provider_unknown".into(),
        message: "no model answers here: the plan has no `models`".into(),
        details: json!({ "known": ["scripted"], "hint": "write `models: {replies: FILE}` in the plan" }),
    }
}
