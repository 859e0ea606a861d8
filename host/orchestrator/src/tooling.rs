//! One tool call: grant, counts, provider, delay, size. The grant is checked here and nowhere else.

use crate::budgeting;
use crate::fork::{Fork, HaltReason};
use crate::forking;
use crate::port::{length, spend};
use crate::thinking;
use crate::waiting;
use sandfork_model::{AgentError, Dimension, EventBody, EventId, Halt, Message, Reply, ToolCall};
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool's answer to the guest.
pub(crate) type Answer = Result<String, AgentError>;

/// Answers one call of `tool`.
pub(crate) async fn answer(fork: &Arc<Fork>, name: &str, arguments: String) -> Result<Answer, Halt> {
    match name {
        "model" => thinking::answer(fork, &arguments).await,
        "budget" => Ok(Ok(budgeting::answer(fork))),
        "sleep" => match checked(fork, name, &arguments) {
            Ok(arguments) => provided(fork, name, arguments).await.map(|(reply, _)| reply),
            Err(error) => Ok(Err(error)),
        },
        _ => counted(fork, name, arguments).await,
    }
}

/// A call that counts as a tool call and whose answer is a tool message.
async fn counted(fork: &Arc<Fork>, name: &str, arguments: String) -> Result<Answer, Halt> {
    fork.state.lock().counts.tool_calls += 1;
    let shared_name = fork.run.toolbox.find(name).map_or_else(|| name.into(), |(shared, _)| shared);
    let call = EventBody::ToolCall { tool: Arc::clone(&shared_name), argument_bytes: length(&arguments) };
    let call = fork.emit(call, None);
    let answer = match checked(fork, name, &arguments) {
        Err(error) => Err(error),
        Ok(_) if fork.run.gauge.count_tool_call().is_err() => Err(refused(
            "tool_calls_exceeded",
            name,
            "the run's tool calls are used up; return what there is".into(),
            json!({ "dimension": "tool_calls", "left": 0, "node": &*fork.run.id.name }),
        )),
        Ok(parsed) if name == "fork_subagents" => forking::answer(fork, &parsed).await?,
        Ok(parsed) => cut(fork, name, provided(fork, name, parsed).await?.0),
    };
    record(fork, &shared_name, arguments, &answer, call)?;
    Ok(answer)
}

/// Charges the answer, counts it as a message and writes its event.
fn record(fork: &Fork, tool: &Arc<str>, arguments: String, answer: &Answer, call: EventId) -> Result<(), Halt> {
    let content = answer.as_ref().map_or_else(rendered, Clone::clone);
    let bytes = length(&content);
    spend(fork, Dimension::ResultBytes, bytes)?;
    {
        let mut state = fork.state.lock();
        state.counts.messages += 1;
        state.counts.tool_messages += 1;
        state.message_bytes = state.message_bytes.saturating_add(bytes);
        if let Some(thread) = state.thread.as_mut() {
            let (tool, arguments) = (Some(tool.to_string()), Some(arguments));
            thread.messages.push(Message { role: "tool", content, tool, arguments });
        }
    }
    let code = answer.as_ref().err().map(|error| error.code.clone());
    let body =
        EventBody::ToolResult { tool: Arc::clone(tool), is_ok: answer.is_ok(), result_bytes: bytes, code };
    fork.emit(body, Some(call));
    Ok(())
}

/// The parent-facing rendering of an error (X-7, M4-19).
pub(crate) fn rendered(error: &AgentError) -> String {
    json!({ "code": error.code, "message": error.message, "details": error.details }).to_string()
}

/// Whether this fork may call this tool with these arguments.
fn checked(fork: &Fork, name: &str, arguments: &str) -> Result<Value, AgentError> {
    let is_granted = match name {
        "sleep" => true,
        "fork_subagents" => !fork.grant.spawn.is_empty(),
        _ => fork.grant.tools.contains(name),
    };
    if !is_granted {
        let granted: Vec<&String> = fork.grant.tools.iter().collect();
        let message = format!("{} was not granted the tool {name}; add it to the agent's `tools`", fork.task.agent);
        return Err(refused("tool_not_granted", name, message, json!({ "granted": granted })));
    }
    match serde_json::from_str::<Value>(arguments) {
        Ok(parsed) if parsed.is_object() => Ok(parsed),
        Ok(_) => Err(refused("invalid_arguments", name, "arguments must be a JSON object".into(), json!({}))),
        Err(error) => {
            let message = format!("arguments are no JSON: {error}");
            Err(refused("invalid_arguments", name, message, json!({})))
        }
    }
}

/// Asks the provider and lets its delay pass. The second part says whether the provider itself said error.
pub(crate) async fn provided(fork: &Arc<Fork>, name: &str, arguments: Value) -> Result<(Answer, bool), Halt> {
    let Some((shared_name, Some(provider))) = fork.run.toolbox.find(name) else {
        let message = format!("no provider offers the tool {name}");
        return Ok((Err(refused("tool_unknown", name, message, json!({}))), true));
    };
    let nth = {
        let mut state = fork.state.lock();
        let calls = state.calls_by_tool.entry(Arc::clone(&shared_name)).or_default();
        *calls += 1;
        *calls - 1
    };
    let call = ToolCall { task: Arc::clone(&fork.task), name: name.into(), arguments, nth };
    let Reply { result, delay } = provider.call(call).await;
    waiting::pass(fork, &shared_name, delay).await?;
    let is_error = result.is_err();
    Ok((result.map_err(|error| named(error, name)), is_error))
}

/// A result over its limit is an error that says so: half a JSON text would be none.
fn cut(fork: &Fork, name: &str, answer: Answer) -> Answer {
    let limit = fork.run.plan.limits.fork.tool_result;
    let Ok(text) = &answer else { return answer };
    let bytes = length(text);
    if bytes <= limit {
        return answer;
    }
    fork.emit(EventBody::Truncated { what: "tool_result", bytes, limit }, None);
    let head: String = text.chars().take(200).collect();
    let message = format!("the result of {name} has {bytes} bytes, the limit is {limit}; ask for a smaller part");
    let details = json!({ "dimension": "tool_result", "bytes": bytes, "limit": limit, "head": head });
    Err(refused("result_too_large", name, message, details))
}

fn refused(code: &str, tool: &str, message: String, details: Value) -> AgentError {
    named(AgentError { code: code.into(), message, details }, tool)
}

/// Every tool error names its tool (M4-19).
fn named(mut error: AgentError, tool: &str) -> AgentError {
    if !error.details.is_object() {
        error.details = json!({});
    }
    if let Some(details) = error.details.as_object_mut() {
        details.insert("tool".into(), tool.into());
    }
    error
}

/// One turn too many, or the run's model calls used up: the fork must end.
pub(crate) fn halt(fork: &Fork, reason: HaltReason) -> Halt {
    fork.halt(reason);
    Halt
}
