//! The tool `fork_subagents`: an ordinary tool answered by the spawn gate (M4-12..20). One message for all children.

use crate::fork::Fork;
use crate::spawning;
use crate::tooling::Answer;
use sandfork_model::event::millis;
use sandfork_model::{AgentError, EventBody, Halt, Outcome, RefusalCode, Request, RequestOptions, SpawnOptions};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

/// Characters of a reply shown per child in the summary; the outcomes carry it whole.
const REPLY_CHARS: usize = 400;

/// Answers one call. All names are checked before any sandbox exists: one unknown name refuses the whole call.
pub(crate) async fn answer(fork: &Arc<Fork>, arguments: &Value) -> Result<Answer, Halt> {
    let requests = match read(arguments) {
        Ok(requests) => requests.into_iter().map(|request| spawning::of_itself(fork, request)).collect::<Vec<_>>(),
        Err(why) => return Ok(Err(error("invalid_arguments", why, json!({})))),
    };
    let unknown: Vec<&str> = requests
        .iter()
        .map(|request| request.agent.as_str())
        .filter(|name| fork.run.plan.agent(name).is_none())
        .collect();
    if !unknown.is_empty() {
        for name in &unknown {
            let (agent, task_id) = ((*name).to_owned(), Arc::clone(&fork.task.task_id));
            let code = RefusalCode::UnknownSubagent.name();
            fork.emit(EventBody::SpawnRefused { agent, task_id, code }, None);
        }
        let names = unknown.join(", ");
        let known: Vec<&String> = fork.grant.spawn.iter().collect();
        let message = format!("unknown agent {names}; nothing was started; this agent may fork {known:?}");
        return Ok(Err(error(RefusalCode::UnknownSubagent.name(), message, json!({ "unknown": unknown }))));
    }
    let outcomes = spawning::run(fork, requests, SpawnOptions::default()).await?;
    Ok(Ok(summary(&outcomes).to_string()))
}

fn read(arguments: &Value) -> Result<Vec<Request>, String> {
    let tasks = arguments
        .get("tasks")
        .and_then(Value::as_array)
        .ok_or("fork_subagents expects {\"tasks\": [{\"agent\", \"goal\", \"context\"?, …options}]}")?;
    if tasks.is_empty() {
        return Err("`tasks` is empty: name at least one agent".into());
    }
    if tasks.len() > 1024 {
        return Err(format!("`tasks` has {} entries; at most 1024 can be read in one call", tasks.len()));
    }
    tasks.iter().enumerate().map(|(place, task)| read_task(place, task)).collect()
}

fn read_task(place: usize, task: &Value) -> Result<Request, String> {
    let map = task.as_object().ok_or_else(|| format!("`tasks[{place}]` must be an object"))?;
    let text = |key: &str| {
        map.get(key)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| format!("`tasks[{place}].{key}` must be a string"))
    };
    let options: Map<String, Value> = map
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "agent" | "goal" | "context"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Ok(Request {
        agent: text("agent")?,
        goal: text("goal")?,
        context: map.get("context").cloned().unwrap_or_else(|| json!({})),
        options: RequestOptions::from_json(&Value::Object(options)).map(Arc::new),
        is_added: false,
    })
}

/// `{ok, text, outcomes, error?}`; `ok` is false if any child is not ok, and the error has M2's shape (M4-19).
fn summary(outcomes: &[Arc<Outcome>]) -> Value {
    let ok = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let mut text = format!("fork_subagents: {ok} of {} ok\n", outcomes.len());
    for outcome in outcomes {
        let _ = writeln!(text, "{}", line(outcome));
    }
    let mut answer = json!({
        "ok": ok == outcomes.len(),
        "text": text,
        "outcomes": outcomes.iter().map(|outcome| spawning::seen(outcome)).collect::<Vec<_>>(),
    });
    let first = outcomes.iter().find_map(|outcome| outcome.error.as_ref().map(|error| (outcome, error)));
    if let (Some((outcome, error)), Some(map)) = (first, answer.as_object_mut()) {
        let message = format!("{}: {}", outcome.task.agent, error.message);
        map.insert("error".into(), json!({ "code": error.code, "message": message, "tool": "fork_subagents" }));
    }
    answer
}

/// One child in one line: name, ok, reply, turns, messages, elapsed. Widths of varying figures are fixed, so that two runs
/// differ in digits at most.
fn line(outcome: &Outcome) -> String {
    let counts = &outcome.counts;
    let reply = match (&outcome.output, &outcome.error) {
        (Some(output), _) => match output.get("reply").and_then(Value::as_str) {
            Some(reply) => reply.to_owned(),
            None => output.to_string(),
        },
        (None, Some(error)) => format!("{}: {}", error.code, error.message),
        (None, None) => String::new(),
    };
    let reply: String = reply.chars().take(REPLY_CHARS).map(|c| if c == '\n' { ' ' } else { c }).collect();
    format!(
        "- {} ({}): {reply} [turns {}, messages {}, elapsed {:>12.3} ms]",
        outcome.task.agent,
        outcome.status,
        counts.turns,
        counts.messages,
        millis(counts.elapsed_ns),
    )
}

fn error(code: &str, message: String, details: Value) -> AgentError {
    let mut details = details;
    if let Some(map) = details.as_object_mut() {
        map.insert("tool".into(), "fork_subagents".into());
    }
    AgentError { code: code.into(), message, details }
}
