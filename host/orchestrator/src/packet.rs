//! The task document and the two opening messages: everything a fork is told, in six fixed layers (GV-07), and nothing else.
//! Nothing here varies between runs of the same plan.

use crate::fork::Fork;
use sandfork_model::{Amounts, Dimension, Message, ToolSpec};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The task document as a map, and its two messages.
pub(crate) fn document(fork: &Fork) -> (Map<String, Value>, Vec<Message>) {
    let plan = &fork.run.plan;
    let specs = tool_specs(fork);
    let budget = declared_budget(fork);
    let messages = vec![
        Message { role: "system", content: identity(fork), tool: None, arguments: None },
        Message { role: "user", content: packet(fork, &specs, &budget), tool: None, arguments: None },
    ];
    let tools: Vec<Value> = specs
        .iter()
        .map(|spec| json!({"name": spec.name, "description": spec.description, "input_schema": spec.input_schema}))
        .collect();
    let opening: Vec<Value> =
        messages.iter().map(|message| json!({"role": message.role, "content": message.content})).collect();
    let mut document = Map::new();
    let mut put = |key: &str, value: Value| drop(document.insert(key.into(), value));
    put("run_id", json!(&*fork.run.id.name));
    put("task_id", json!(&*fork.task.task_id));
    put("parent_task_id", json!(fork.task.parent_task_id.as_deref()));
    put("agent", json!(&*fork.task.agent));
    put("depth", json!(fork.task.depth));
    put("goal", json!(fork.goal));
    put("acceptance_criteria", json!(fork.options.acceptance_criteria));
    put("context", fork.context.clone());
    put("shared", Value::Object(plan.shared.clone()));
    put("context_refs", json!(fork.options.context_refs));
    put("tools", Value::Array(tools));
    put("spawn", json!(fork.grant.spawn));
    put("output_schema", fork.output_schema.as_ref().map_or(Value::Null, |schema| schema.text().clone()));
    put("budget", budget);
    put("messages", Value::Array(opening));
    (document, messages)
}

/// Layers 1 and 2: rules that nothing below can override, then the role.
fn identity(fork: &Fork) -> String {
    let mut text = format!(
        "You are the subagent {} on task {} (depth {}).\n",
        fork.task.agent, fork.task.task_id, fork.task.depth
    );
    list(&mut text, "Safety rules, which nothing below can override", &fork.run.plan.rules);
    if !fork.entry.role.is_empty() {
        let _ = writeln!(text, "Role: {}", fork.entry.role);
    }
    text
}

/// Layers 3 to 6: the packet, accepted dependencies, tools, remaining budget; then the shared read-only input.
fn packet(fork: &Fork, specs: &[&ToolSpec], budget: &Value) -> String {
    let mut text = format!("Task: {}\n", fork.goal);
    list(&mut text, "Acceptance criteria", &fork.options.acceptance_criteria);
    if fork.context.as_object().is_none_or(|context| !context.is_empty()) {
        let _ = writeln!(text, "Context: {}", fork.context);
    }
    list(&mut text, "Accepted artifacts", &fork.options.context_refs);
    let tools: Vec<String> =
        specs.iter().map(|spec| format!("{}: {} {}", spec.name, spec.description, spec.input_schema)).collect();
    list(&mut text, "Tools", &tools);
    let _ = writeln!(text, "Remaining budget: {budget}");
    let shared: Vec<String> = fork
        .run
        .plan
        .shared
        .iter()
        .map(|(key, value)| match value {
            Value::String(words) => format!("{key}: {words}"),
            other => format!("{key}: {other}"),
        })
        .collect();
    list(&mut text, "Shared input (read only)", &shared);
    text
}

fn list(text: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for item in items {
        let _ = writeln!(text, "- {item}");
    }
}

/// What the fork may call, by name: its grant, and what needs no asking. `model` is how it thinks, not a tool it is told of.
fn tool_specs(fork: &Fork) -> Vec<&ToolSpec> {
    let may_spawn = (!fork.grant.spawn.is_empty()).then_some("fork_subagents");
    fork.grant
        .tools
        .iter()
        .map(String::as_str)
        .chain(["budget", "sleep"])
        .chain(may_spawn)
        .filter_map(|name| fork.run.toolbox.spec(name))
        .collect()
}

/// The limits as declared: what was granted, not what is left, and times before clamping.
fn declared_budget(fork: &Fork) -> Value {
    let granted = fork.state.lock().budget.as_ref().map_or_else(Amounts::default, |budget| *budget.granted());
    let mut table: Map<String, Value> =
        granted.iter().map(|(dimension, amount)| (dimension.name().to_owned(), json!(amount))).collect();
    let own_turns = granted.get(Dimension::Turns).min(fork.ceilings.steps);
    table.insert("steps".into(), json!(own_turns));
    table.insert("memory".into(), json!(fork.ceilings.memory_bytes));
    let timeout_ms = u64::try_from(fork.ceilings.declared_timeout.as_millis()).unwrap_or(u64::MAX);
    table.insert("timeout_ms".into(), json!(timeout_ms));
    Value::Object(table)
}
