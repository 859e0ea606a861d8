//! The task document with its two opening messages: everything a fork is told, in six fixed layers (GV-07), and nothing
//! else. Nothing here varies between runs of the same plan. It is written as text at once: every fork has one, and most of it
//! is the same for all of them.

use crate::declared::{Declarations, Declared};
use crate::fork::Fork;
use crate::layers::Scale;
use crate::port::length;
use crate::prose::{Prose, compact, quote, quote_all};
use crate::repeats::Retold;
use sandfork_model::{Dependency, Handed, Message, Plan, Status};
use serde_json::{Map, Value, json};
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
    /// Both of them as pieces of what is told.
    retold: Retold,
    /// What forks are told of their limits.
    declarations: Declarations,
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
        let shared = compact(&Value::Object(plan.shared.clone()));
        Self { rules, shared, shared_lines, retold: Retold::default(), declarations: Declarations::default() }
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
    let (context, declared) = (compact(&fork.context), fork.run.common.declarations.of(fork));
    let told = fork.grant.told(&fork.run.toolbox);
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
    text.push(',');
    text.push_str(told.members());
    text.push_str(",\"output_schema\":");
    match &fork.output_schema {
        Some(schema) => text.push_str(&compact(schema.text())),
        None => text.push_str("null"),
    }
    text.push_str(",\"budget\":");
    text.push_str(&declared.json);
    text.push_str(",\"messages\":[{\"role\":\"system\",\"content\":\"");
    let (mut messages, mut scale) = (Prose::behind(text), Scale::default());
    identity(fork, &mut messages, &mut scale);
    messages.push_json("\"},{\"role\":\"user\",\"content\":\"");
    task(fork, &context, &declared, &mut messages, &mut scale);
    messages.push_json("\"}]}");
    fork.run.layers.add(scale.weights());
    tell(fork, &declared, messages.bytes());
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
fn tell(fork: &Fork, declared: &Declared, bytes: u64) {
    let common = &fork.run.common;
    let (role, told) = (&fork.row.role, fork.grant.told(&fork.run.toolbox));
    fork.run.repeats.tell(bytes, |telling| {
        telling.kept(&common.retold, [("@rules", common.rules.bytes()), ("@shared", common.shared_lines.bytes())]);
        telling.kept(&role.retold, [(fork.row.entry.role.as_str(), role.bytes)]);
        telling.kept(&declared.retold, [(declared.json.as_str(), length(&declared.json))]);
        telling.kept(told.retold(), told.pieces());
        for text in fork.options.acceptance_criteria.iter().chain(&fork.options.context_refs).chain([&fork.goal]) {
            telling.piece(text, length(text));
        }
        for value in fork.context.as_object().into_iter().flat_map(Map::values) {
            match value.as_str() {
                Some(text) => telling.piece(text, length(text)),
                None => {
                    let text = compact(value);
                    telling.piece(&text, length(&text));
                }
            }
        }
    });
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
    text.append(&fork.row.role.line);
    scale.mark(text.bytes());
}

/// Layers 3 to 6: the packet, accepted dependencies, tools, remaining budget; then the shared read-only input.
fn task(fork: &Fork, context: &str, declared: &Declared, text: &mut Prose, scale: &mut Scale) {
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
    text.append(fork.grant.told(&fork.run.toolbox).lines());
    scale.mark(text.bytes());
    text.append(&declared.line);
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
