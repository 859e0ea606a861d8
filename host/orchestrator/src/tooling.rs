//! One tool call: grant, counts, provider, delay, size. The grant is checked here and nowhere else.

use crate::artifact_reads::ArtifactRead;
use crate::budgeting;
use crate::checkpoint;
use crate::fork::{Fork, HaltReason};
use crate::forking;
use crate::gauge::Counted;
use crate::keeping;
use crate::panicking::{self, PANIC_TOOL};
use crate::port::{length, spend};
use crate::thinking;
use crate::waiting;
use sandfork_model::{AgentError, Dimension, EventBody, EventId, Halt, Message, Policy, Reply, ToolCall};
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool's answer to the guest.
pub(crate) type Answer = Result<String, AgentError>;

/// Answers one call of `tool`.
pub(crate) async fn answer(fork: &Arc<Fork>, name: &str, arguments: String) -> Result<Answer, Halt> {
    match name {
        PANIC_TOOL => Err(panicking::answer(fork, &arguments)),
        "model" => thinking::answer(fork, &arguments).await,
        "budget" => Ok(Ok(budgeting::answer(fork))),
        "sleep" => match checked(fork, name, &arguments) {
            Ok(arguments) => provided(fork, name, arguments, None).await.map(|(reply, _)| reply),
            Err(error) => Ok(Err(error)),
        },
        _ => counted(fork, name, arguments).await,
    }
}

/// A call that counts as a tool call and whose answer is a tool message.
async fn counted(fork: &Arc<Fork>, name: &str, arguments: String) -> Result<Answer, Halt> {
    fork.state.lock().counts.tool_calls += 1;
    let shared_name = fork.run.toolbox.shared_name(name);
    let call = EventBody::ToolCall { tool: Arc::clone(&shared_name), argument_bytes: length(&arguments) };
    let call = fork.emit(call, None);
    let mut speaks_of = Vec::new();
    let answer = match checked(fork, name, &arguments).and_then(|parsed| Ok((parsed, capped(fork, name)?))) {
        Err(error) => Err(error),
        Ok((parsed, _)) if name == "fork_subagents" => forking::answer(fork, &parsed).await?,
        Ok((parsed, counted)) => {
            let read = ArtifactRead::of(name, &parsed);
            let answer = provided(fork, name, parsed, Some(&call)).await?.0;
            let answer = match answer {
                Err(error) => Err(error),
                Ok(text) if matches!(name, "artifact_put" | "artifact_get") => {
                    speaks_of.extend(keeping::answered(&text));
                    Ok(keeping::tool_result(fork, name, text, &call).await.0)
                }
                Ok(text) => {
                    let (text, kept) = keeping::tool_result(fork, name, text, &call).await;
                    speaks_of = kept;
                    Ok(text)
                }
            };
            if let Some(read) = read {
                read.count(fork, answer.is_ok());
            }
            marked(look_for_loop(fork, name, answer), name, counted)
        }
    };
    record(fork, &shared_name, arguments, &answer, call, speaks_of)?;
    Ok(answer)
}

/// Counts the call against every cap it falls under: the fork's, the run's, the tool's over the run. Three layers, one
/// place; each refuses before it counts, so a call that a later one refuses has been counted by those before it.
fn capped(fork: &Fork, name: &str) -> Result<Counted, AgentError> {
    let run = &fork.run;
    let exceeded = |dimension: &str, node: &str, limit: u64, advice: &str| {
        let message = format!("the calls of {name} are used up ({dimension}: {limit}); {advice}");
        let details = json!({ "dimension": dimension, "node": node, "asked": 1, "left": 0, "limit": limit });
        refused("tool_calls_exceeded", name, message, details)
    };
    if run.gauge.is_converging() && name != "fork_subagents" && !fork.options.is_acceptance {
        let message = format!("the run is converging; {name} was not executed: return what there is");
        return Err(refused("budget_converging", name, message, json!({ "node": &*run.id.name })));
    }
    let caps = run.plan.limits.policy.tools.get(name).copied().unwrap_or_default();
    if let Some(cap) = caps.per_fork {
        let used = fork.state.lock().calls_by_tool.get(name).copied().unwrap_or_default();
        if !cap.admits(used) {
            let node = &*fork.task.task_id;
            return Err(exceeded("calls_per_fork", node, cap.ceiling(), "work with what it has returned"));
        }
    }
    if let Err(limit) = run.gauge.count_tool_call() {
        return Err(exceeded("tool_calls", &run.id.name, limit, "return what there is"));
    }
    match run.gauge.count_call_of(name) {
        Counted::Over { limit } => {
            Err(exceeded("calls_per_run", &run.id.name, limit, "the whole tree has used them: return what there is"))
        }
        counted => Ok(counted),
    }
}

/// A fork that goes in circles is told so instead of being answered once more.
fn look_for_loop(fork: &Fork, name: &str, answer: Answer) -> Answer {
    let Some(detector) = fork.run.plan.limits.policy.loop_detector else { return answer };
    let text = answer.as_ref().map_or_else(rendered, Clone::clone);
    if !fork.state.lock().recent.is_loop(detector, name, &text) {
        return answer;
    }
    fork.emit(EventBody::LoopDetected { tool: name.into() }, None);
    let message = format!(
        "{} has called {name} {} times without progress within {} calls; change the question or return what there is",
        fork.task.agent, detector.threshold, detector.window
    );
    let details = json!({ "window": detector.window, "threshold": detector.threshold });
    Err(refused("loop_detected", name, message, details))
}

/// One call over a soft cap is answered, with the word to converge (HF-30).
fn marked(answer: Answer, name: &str, counted: Counted) -> Answer {
    let Counted::Converge { limit } = counted else { return answer };
    let word = format!("the run's {limit} calls of {name} are used up; this one was the last: return what there is");
    answer.map(|text| match serde_json::from_str::<Value>(&text) {
        Ok(Value::Object(mut map)) => {
            map.insert("converge".into(), word.into());
            Value::Object(map).to_string()
        }
        Ok(other) => json!({ "result": other, "converge": word }).to_string(),
        Err(_) => text,
    })
}

/// Charges the answer, counts it as a message and writes its event.
fn record(
    fork: &Fork,
    tool: &Arc<str>,
    arguments: String,
    answer: &Answer,
    call: EventId,
    speaks_of: Vec<String>,
) -> Result<(), Halt> {
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
    let body = EventBody::ToolResult { tool: Arc::clone(tool), is_ok: answer.is_ok(), result_bytes: bytes, code };
    let put = (&**tool == "artifact_put").then(|| speaks_of.clone());
    let result = fork.emit_about(body, Some(call), speaks_of);
    if let (Some(references), Ok(text)) = (put, answer) {
        announce_artifact(fork, text, result, references);
    }
    Ok(())
}

/// A stored artifact has an event of its own: name, version, size and digest, never its text.
fn announce_artifact(fork: &Fork, answer: &str, cause: EventId, references: Vec<String>) {
    let stored: Value = serde_json::from_str(answer).unwrap_or_default();
    let text = |key: &str| stored.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |key: &str| stored.get(key).and_then(Value::as_u64).unwrap_or_default();
    checkpoint::wrote(fork, &text("ref"));
    let (name, sha256) = (text("name"), text("sha256"));
    let body = EventBody::ArtifactPut { name, version: number("version"), bytes: number("bytes"), sha256 };
    fork.emit_about(body, Some(cause), references);
}

/// The parent-facing rendering of an error (X-7, M4-19).
pub(crate) fn rendered(error: &AgentError) -> String {
    json!({ "code": error.code, "message": error.message, "details": error.details }).to_string()
}

/// The depth from which on a tool is denied, if that is `depth` or above it (HF-04, HF-05).
pub(crate) fn denied_from(policy: &Policy, depth: u32, name: &str) -> Option<u32> {
    let mut denied = policy.deny_at_depth.range(..=depth);
    denied.find(|(_, tools)| tools.iter().any(|tool| tool == name)).map(|(depth, _)| *depth)
}

/// Whether this fork may call this tool with these arguments.
fn checked(fork: &Fork, name: &str, arguments: &str) -> Result<Value, AgentError> {
    let is_granted = match name {
        "sleep" => true,
        "fork_subagents" => !fork.grant.spawn.is_empty(),
        _ => fork.grant.tools.contains(name),
    };
    if is_granted && denied_from(&fork.run.plan.limits.policy, fork.task.depth, name).is_some() {
        let depth = fork.task.depth;
        let message = format!("{name} is denied at depth {depth}; leave it to the fork above, which has it");
        return Err(refused("tool_denied_at_depth", name, message, json!({ "depth": depth })));
    }
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
pub(crate) async fn provided(
    fork: &Arc<Fork>,
    name: &str,
    arguments: Value,
    event: Option<&EventId>,
) -> Result<(Answer, bool), Halt> {
    let Some(provider) = fork.run.toolbox.provider(name) else {
        let message = format!("no provider offers the tool {name}");
        return Ok((Err(refused("tool_unknown", name, message, json!({}))), true));
    };
    let shared_name = fork.run.toolbox.shared_name(name);
    let nth = {
        // Calls that carry messages are turns of their own line: a script's words between them do not count.
        let is_apart = name == "model" && arguments.get("messages").is_some();
        let counted_as = if is_apart { "model messages".into() } else { Arc::clone(&shared_name) };
        let mut state = fork.state.lock();
        let calls = state.calls_by_tool.entry(counted_as).or_default();
        *calls += 1;
        *calls - 1
    };
    let call = ToolCall { task: Arc::clone(&fork.task), name: name.into(), arguments, nth, event: event.cloned() };
    let Reply { result, delay } = provider.call(call).await;
    waiting::pass(fork, &shared_name, delay).await?;
    let is_error = result.is_err();
    Ok((result.map_err(|error| named(error, name)), is_error))
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
