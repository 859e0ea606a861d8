//! The task document with its two opening messages: everything a fork is told, in six fixed layers (GV-07), and nothing
//! else. Nothing here varies between runs of the same plan. It is written as text at once: every fork has one, and most of it
//! is the same for all of them.

use crate::fork::Fork;
use crate::layers::Scale;
use crate::port::length;
use crate::prose::{Prose, compact, quote, quote_all};
use sandfork_model::{Amounts, Dependency, Dimension, Handed, Message, Plan, Status};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Room for the document of a fork with a few tools: most never need more.
const USUAL_BYTES: usize = 4_096;

/// What all forks of a run are told alike.
#[derive(Debug)]
pub(crate) struct Common {
    /// The rules, as they stand in the first message.
    rules: Prose,
    /// The shared input as JSON text.
    shared: String,
    /// The shared input, as it stands in the second message.
    shared_lines: Prose,
}

impl Common {
    pub(crate) fn of(plan: &Plan) -> Self {
        let (mut rules, mut shared_lines) = (Prose::default(), Prose::default());
        rules.list("Safety rules, which nothing below can override", plan.rules.iter().map(String::as_str));
        let lines: Vec<String> = plan
            .shared
            .iter()
            .map(|(key, value)| match value {
                Value::String(words) => format!("{key}: {words}"),
                other => format!("{key}: {other}"),
            })
            .collect();
        shared_lines.list("Shared input (read only)", lines.iter().map(String::as_str));
        Self { rules, shared: compact(&Value::Object(plan.shared.clone())), shared_lines }
    }
}

/// What one fork is told.
pub(crate) struct Packet {
    /// The task document: JSON text.
    pub(crate) document: String,
    /// Bytes of the two opening messages.
    pub(crate) message_bytes: u64,
}

/// The task document of a fork.
pub(crate) fn document(fork: &Fork) -> Packet {
    let (context, budget) = (compact(&fork.context), declared_budget(fork));
    let mut text = String::with_capacity(USUAL_BYTES);
    text.push_str("{\"run_id\":");
    quote(&mut text, &fork.run.id.name);
    text.push_str(",\"task_id\":");
    quote(&mut text, &fork.task.task_id);
    text.push_str(",\"parent_task_id\":");
    match fork.task.parent_task_id.as_deref() {
        Some(parent) => quote(&mut text, parent),
        None => text.push_str("null"),
    }
    text.push_str(",\"agent\":");
    quote(&mut text, &fork.task.agent);
    let _ = write!(text, ",\"depth\":{},\"goal\":", fork.task.depth);
    quote(&mut text, &fork.goal);
    text.push_str(",\"acceptance_criteria\":");
    quote_all(&mut text, fork.options.acceptance_criteria.iter().map(String::as_str));
    text.push_str(",\"context\":");
    text.push_str(&context);
    text.push_str(",\"shared\":");
    text.push_str(&fork.run.common.shared);
    text.push_str(",\"context_refs\":");
    quote_all(&mut text, fork.options.context_refs.iter().map(String::as_str));
    if let Some(handed) = &fork.options.handed {
        handed_down(handed, &mut text);
    }
    text.push_str(",\"tools\":[");
    for (place, entry) in tools(fork).enumerate() {
        text.push_str(if place == 0 { "" } else { "," });
        text.push_str(entry.json());
    }
    text.push_str("],\"spawn\":");
    quote_all(&mut text, fork.grant.spawn.iter().map(String::as_str));
    text.push_str(",\"output_schema\":");
    text.push_str(&fork.output_schema.as_ref().map_or_else(|| "null".to_owned(), |schema| compact(schema.text())));
    text.push_str(",\"budget\":");
    text.push_str(&budget);
    text.push_str(",\"messages\":[{\"role\":\"system\",\"content\":\"");
    let (mut messages, mut scale) = (Prose::behind(text), Scale::default());
    identity(fork, &mut messages, &mut scale);
    messages.push_json("\"},{\"role\":\"user\",\"content\":\"");
    task(fork, &context, &budget, &mut messages, &mut scale);
    messages.push_json("\"}]}");
    fork.run.layers.add(scale.weights());
    tell(fork, &budget, messages.bytes());
    Packet { message_bytes: messages.bytes(), document: messages.into_json() }
}

/// What other tasks and the attempt before left: keys that only a task has for which there is something.
fn handed_down(handed: &Handed, text: &mut String) {
    for (place, one) in handed.dependencies.iter().enumerate() {
        text.push_str(if place == 0 { ",\"dependencies\":{" } else { "," });
        quote(text, &one.id);
        text.push(':');
        text.push_str(&compact(&json!(one)));
    }
    text.push_str(if handed.dependencies.is_empty() { "" } else { "}" });
    if let Some(checkpoint) = &handed.checkpoint {
        text.push_str(",\"checkpoint\":");
        text.push_str(&compact(&json!(checkpoint)));
    }
}

/// Tells the run which pieces the fork was told, so that it knows what it tells again and again. What is the same for all
/// forks stands under a name instead of its text.
fn tell(fork: &Fork, budget: &str, bytes: u64) {
    let common = &fork.run.common;
    let texts = fork.options.acceptance_criteria.iter().chain(&fork.options.context_refs).chain([&fork.goal]);
    let texts = texts.map(|text| (Cow::Borrowed(text.as_str()), length(text)));
    let context = fork.context.as_object().into_iter().flat_map(Map::values).map(|value| {
        let text = value.as_str().map_or_else(|| Cow::Owned(compact(value)), Cow::Borrowed);
        let bytes = length(&text);
        (text, bytes)
    });
    let own = [("@rules", common.rules.bytes()), ("@shared", common.shared_lines.bytes())];
    let own = own.into_iter().chain([(fork.entry.role.as_str(), length(&fork.entry.role)), (budget, length(budget))]);
    let tools = tools(fork).map(|entry| (entry.json(), entry.line().bytes()));
    let same = own.chain(tools).map(|(text, bytes)| (Cow::Borrowed(text), bytes));
    fork.run.repeats.tell(bytes, same.chain(texts).chain(context));
}

/// A task document read back for a transcript: as a map, and its two messages.
pub(crate) fn opened(document: &str) -> (Map<String, Value>, Vec<Message>) {
    let map: Map<String, Value> = serde_json::from_str(document).unwrap_or_default();
    let contents = map.get("messages").and_then(Value::as_array).into_iter().flatten();
    let contents = contents.map(|message| message.get("content").and_then(Value::as_str).unwrap_or_default());
    let messages = ["system", "user"].into_iter().zip(contents);
    let messages =
        messages.map(|(role, content)| Message { role, content: content.into(), tool: None, arguments: None });
    let messages = messages.collect();
    (map, messages)
}

/// Layers 1 and 2: rules that nothing below can override, then the role.
fn identity(fork: &Fork, text: &mut Prose, scale: &mut Scale) {
    // Writing to a Prose cannot fail.
    let _ = writeln!(
        text,
        "You are the subagent {} on task {} (depth {}).",
        fork.task.agent, fork.task.task_id, fork.task.depth
    );
    text.append(&fork.run.common.rules);
    scale.mark(text.bytes());
    if !fork.entry.role.is_empty() {
        let _ = writeln!(text, "Role: {}", fork.entry.role);
    }
    scale.mark(text.bytes());
}

/// Layers 3 to 6: the packet, accepted dependencies, tools, remaining budget; then the shared read-only input.
fn task(fork: &Fork, context: &str, budget: &str, text: &mut Prose, scale: &mut Scale) {
    for part in ["Task: ", &fork.goal, "\n"] {
        text.push(part);
    }
    text.list("Acceptance criteria", fork.options.acceptance_criteria.iter().map(String::as_str));
    if context != "{}" {
        for part in ["Context: ", context, "\n"] {
            text.push(part);
        }
    }
    let handed = fork.options.handed.as_deref();
    if let Some(checkpoint) = handed.and_then(|handed| handed.checkpoint.as_ref()) {
        // Writing to a Prose cannot fail.
        let _ = writeln!(
            text,
            "Earlier attempt: {} ended {} after event {}; this time: {}",
            checkpoint.task_id, checkpoint.status, checkpoint.last_seq_no, checkpoint.change
        );
        text.list("Stored by it", checkpoint.artifact_refs.iter().map(String::as_str));
    }
    scale.mark(text.bytes());
    text.list("Accepted artifacts", fork.options.context_refs.iter().map(String::as_str));
    for (place, one) in handed.iter().flat_map(|handed| &handed.dependencies).enumerate() {
        text.push(if place == 0 { "Dependencies:\n" } else { "" });
        dependency(one, text);
    }
    scale.mark(text.bytes());
    for (place, entry) in tools(fork).enumerate() {
        text.push(if place == 0 { "Tools:\n" } else { "" });
        text.append(entry.line());
    }
    scale.mark(text.bytes());
    for part in ["Remaining budget: ", budget, "\n"] {
        text.push(part);
    }
    scale.mark(text.bytes());
    text.append(&fork.run.common.shared_lines);
    scale.mark(text.bytes());
}

/// One line: what a dependency said of itself, quoted, and where its result is. A failure is told as one: that nothing came
/// back says nothing about what there is to find (GV-59).
fn dependency(one: &Dependency, text: &mut Prose) {
    // Writing to a Prose cannot fail.
    let _ = write!(text, "- {}: {}", one.id, one.status);
    match (&one.summary, &one.error) {
        (_, Some(error)) if one.status != Status::Ok => {
            let message = Value::String(error.message.clone());
            let _ = write!(text, " ({}: {message}); its result is missing, which is no finding", error.code);
        }
        (Some(summary), _) => {
            let _ = write!(text, ", {}", Value::String(summary.clone()));
        }
        (None, _) => {}
    }
    for reference in &one.artifact_refs {
        // A task may claim anything: what is no plain word is quoted, so that it cannot begin a line of its own.
        let _ = match reference.chars().any(|c| c.is_whitespace() || c.is_control()) {
            true => write!(text, " {}", Value::String(reference.clone())),
            false => write!(text, " {reference}"),
        };
    }
    text.push("\n");
}

/// What the fork may call, by name: its grant, and what needs no asking. `model` is how it thinks, not a tool it is told of.
fn tools(fork: &Fork) -> impl Iterator<Item = &crate::toolbox::Entry> {
    let may_spawn = (!fork.grant.spawn.is_empty()).then_some("fork_subagents");
    let granted = fork.grant.tools.iter().map(String::as_str);
    granted.chain(["budget", "sleep"]).chain(may_spawn).filter_map(|name| fork.run.toolbox.entry(name))
}

/// The limits as declared: what was granted, not what is left, and times before clamping. A JSON object as text.
fn declared_budget(fork: &Fork) -> String {
    let granted = fork.state.lock().budget.as_ref().map_or_else(Amounts::default, |budget| *budget.granted());
    let mut text = String::with_capacity(256);
    for (dimension, amount) in granted.iter() {
        text.push(if text.is_empty() { '{' } else { ',' });
        let _ = write!(text, "\"{dimension}\":{amount}");
    }
    let own_turns = granted.get(Dimension::Turns).min(fork.ceilings.steps);
    let timeout_ms = u64::try_from(fork.ceilings.declared_timeout.as_millis()).unwrap_or(u64::MAX);
    let memory = fork.ceilings.memory_bytes;
    let _ = write!(text, ",\"steps\":{own_turns},\"memory\":{memory},\"timeout_ms\":{timeout_ms}");
    if let Some(tier) = &fork.tier {
        text.push_str(",\"tier\":");
        quote(&mut text, tier);
    }
    text.push('}');
    text
}
