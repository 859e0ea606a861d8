//! Scripted tools: answers that stand in the plan.

use crate::amount::delay;
use crate::names::{BUILT_IN_TOOLS, is_name};
use sandfork_model::plan::{ScriptedError, ScriptedRule, ScriptedTool};
use sandfork_source::{Fields, Key, Node, NodeValue, Problems, quote};
use serde_json::{Map, Value};
use std::time::Duration;

/// Reads the table `tools`, in file order.
pub(crate) fn tools(node: &Node, problems: &mut Problems) -> Vec<ScriptedTool> {
    let NodeValue::Map(entries) = &node.value else {
        let problem = problems
            .at(node.place, format!("`tools` is {}", node.kind()))
            .expected("a map of scripted tools")
            .hint("built-in tools need no entry here; an agent asks for them under its own `tools`");
        problems.push(problem);
        return Vec::new();
    };
    entries.iter().filter_map(|(key, node)| tool(key, node, problems)).collect()
}

fn tool(key: &Key, node: &Node, problems: &mut Problems) -> Option<ScriptedTool> {
    let name = key.text.as_str();
    if BUILT_IN_TOOLS.contains(&name) {
        let problem = problems
            .at(key.place, format!("{} is a built-in tool", quote(name)))
            .hint("give the scripted tool another name");
        problems.push(problem);
    } else if !is_name(name) {
        let problem = problems
            .at(key.place, format!("{} cannot name a tool", quote(name)))
            .expected("at most 64 letters, digits, `_`, `-` or `.`");
        problems.push(problem);
    }
    scripted(key, node, problems)
}

/// The tool under `key`, whatever it is called.
pub(crate) fn scripted(key: &Key, node: &Node, problems: &mut Problems) -> Option<ScriptedTool> {
    let name = key.text.as_str();
    let mut fields = Fields::of(node, format!("tools.{name}"), problems)?;
    let description = fields.text("description", problems).unwrap_or_default().to_owned();
    let script = fields.need("script", problems);
    let path = fields.path_of("script");
    fields.finish(problems);
    let items = sandfork_source::expect_list(script?, &path, problems)?;
    if items.is_empty() {
        let problem = problems
            .at(node.place, format!("{} is empty", quote(&path)))
            .expected("at least one rule, as in {result: {...}}");
        problems.push(problem);
    }
    let rules =
        items.iter().enumerate().filter_map(|(index, item)| rule(item, format!("{path}[{index}]"), problems)).collect();
    Some(ScriptedTool { name: name.to_owned(), description, rules })
}

fn rule(node: &Node, path: String, problems: &mut Problems) -> Option<ScriptedRule> {
    let mut fields = Fields::of(node, path.clone(), problems)?;
    let when = fields.take("match").and_then(|node| object(node, &fields.path_of("match"), problems));
    let delay =
        fields.take("delay").and_then(|node| delay(node, &fields.path_of("delay"), problems)).unwrap_or(Duration::ZERO);
    let result = fields.take("result");
    let error = fields.take("error");
    let error_path = fields.path_of("error");
    let never = fields.flag("never", problems).unwrap_or(false);
    fields.finish(problems);
    let answer = match (result, error, never) {
        (Some(result), None, false) => Some(Ok(result.to_json())),
        (None, Some(node), false) => Some(Err(error_of(node, error_path, problems)?)),
        (None, None, true) => None,
        _ => {
            let problem = problems
                .at(node.place, format!("{} needs exactly one answer", quote(&path)))
                .expected("one of result, error, never: true");
            problems.push(problem);
            return None;
        }
    };
    Some(ScriptedRule { when, delay, answer })
}

fn error_of(node: &Node, path: String, problems: &mut Problems) -> Option<ScriptedError> {
    let mut fields = Fields::of(node, path, problems)?;
    let code = fields.need_text("code", problems);
    let message = fields.text("message", problems).unwrap_or_default().to_owned();
    let details = fields.take("details").and_then(|node| object(node, &fields.path_of("details"), problems));
    fields.finish(problems);
    Some(ScriptedError { code: code?.to_owned(), message, details: Value::Object(details.unwrap_or_default()) })
}

/// A map as JSON; a problem otherwise.
pub(crate) fn object(node: &Node, path: &str, problems: &mut Problems) -> Option<Map<String, Value>> {
    if let Value::Object(map) = node.to_json() {
        return Some(map);
    }
    let problem = problems.at(node.place, format!("{} is {}", quote(path), node.kind())).expected("a map");
    problems.push(problem);
    None
}
