//! Who answers model calls: replies that stand in a file beside the plan, or in the plan itself, turn by turn.

use crate::amount::{delay, wrong};
use crate::files::Base;
use crate::names::Known;
use crate::tasks::PLANNER_ID;
use sandfork_model::cap::HOST_CEILING;
use sandfork_model::{ModelAnswer, ModelToolCall, Models, ScriptedReply, Shape, TokenUsage};
use sandfork_source::{Fields, Key, Node, NodeValue, Problem, Problems, expect_list, nearest, quote};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// Where replies stand: what names them in messages, and the file if it is not the plan.
struct Written {
    entries: Vec<(Key, Node)>,
    file: Option<String>,
}

/// Reads `models`. Replies must be for an agent of the plan or for a task that its shape can have.
pub(crate) fn models(
    node: &Node,
    agents: &Known<'_>,
    shape: Option<&Shape>,
    base: &Base<'_>,
    problems: &mut Problems,
) -> Option<Models> {
    let mut fields = Fields::of(node, "models", problems)?;
    let replies = fields.need("replies", problems);
    fields.finish(problems);
    let Written { entries, file } = written(replies?, base, problems)?;
    // A file has problems of its own: they name it, and not the plan.
    let mut own = file.map(|file| Problems::new(&file));
    let read = replies_of(&entries, agents, shape, own.as_mut().unwrap_or(problems));
    for problem in own.into_iter().flat_map(Problems::into_vec) {
        problems.push(problem);
    }
    Some(Models { replies: read })
}

/// A map in place, or the path of a file that holds one.
fn written(node: &Node, base: &Base<'_>, problems: &mut Problems) -> Option<Written> {
    const PATH: &str = "models.replies";
    match &node.value {
        NodeValue::Map(entries) => Some(Written { entries: entries.clone(), file: None }),
        NodeValue::Text(_) => {
            let (name, read) = base.document(node, PATH, problems)?;
            match read {
                Ok(Node { value: NodeValue::Map(entries), .. }) => Some(Written { entries, file: Some(name) }),
                Ok(other) => {
                    let message = format!("replies are a map of lists, not {}", other.kind());
                    problems.push(Problem::new(&name, other.place, message));
                    None
                }
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            }
        }
        _ => {
            let problem = problems
                .at(node.place, format!("{} is {}", quote(PATH), node.kind()))
                .expected("the path of a file with replies by agent or task id, or the replies in place");
            problems.push(problem);
            None
        }
    }
}

fn replies_of(
    entries: &[(Key, Node)],
    agents: &Known<'_>,
    shape: Option<&Shape>,
    problems: &mut Problems,
) -> BTreeMap<String, Vec<ScriptedReply>> {
    let mut read = BTreeMap::new();
    for (key, node) in entries {
        if let Some(shape) = shape {
            known(key, agents, shape, problems);
        }
        let path = format!("replies.{}", key.text);
        let Some(items) = expect_list(node, &path, problems) else { continue };
        let items = items.iter().enumerate();
        let replies = items.filter_map(|(index, item)| reply(item, format!("{path}[{index}]"), problems)).collect();
        read.insert(key.text.clone(), replies);
    }
    read
}

/// An agent's name, or the id of a task: one of the plan's own, of a later attempt at it, or of a fork below it.
fn known(key: &Key, agents: &Known<'_>, shape: &Shape, problems: &mut Problems) {
    let top = key.text.split(['/', '.']).next().unwrap_or_default();
    let is_planned = matches!(shape, Shape::Planner(_));
    let mut ids: Vec<&str> = shape.tasks().iter().map(|task| task.id.as_str()).collect();
    ids.extend(is_planned.then_some(PLANNER_ID));
    // What tasks a planner returns is not known before it has.
    if is_planned || agents.has(&key.text) || ids.contains(&top) || ids.contains(&key.text.as_str()) {
        return;
    }
    if problems.is_full() {
        return;
    }
    let problem = problems.at(
        key.place,
        format!("replies for {}, which is neither an agent of the plan nor a task id", quote(&key.text)),
    );
    let problem = match nearest(&key.text, agents.all().chain(ids)) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.expected("an agent's name, or a task id as in root/1"),
    };
    problems.push(problem);
}

fn reply(node: &Node, path: String, problems: &mut Problems) -> Option<ScriptedReply> {
    let mut fields = Fields::of(node, path.clone(), problems)?;
    let think = fields.take("think").and_then(|node| delay(node, &fields.path_of("think"), problems));
    let said = fields.take("say");
    let text = fields.text("say", problems).unwrap_or_default().to_owned();
    let calls_path = fields.path_of("calls");
    let calls = fields.list("calls", problems);
    let output = fields.take("output").map(Node::to_json);
    let usage_path = fields.path_of("usage");
    let usage = fields.take("usage").and_then(|node| usage(node, usage_path, problems)).unwrap_or_default();
    fields.finish(problems);
    if said.is_none() && calls.is_none() && output.is_none() {
        let problem = problems
            .at(node.place, format!("{} says nothing", quote(&path)))
            .expected("at least one of say, calls, output");
        problems.push(problem);
    }
    let calls = calls.unwrap_or_default().iter().enumerate();
    let tool_calls = calls.filter_map(|(at, node)| call(node, format!("{calls_path}[{at}]"), problems)).collect();
    let answer = ModelAnswer { text, tool_calls, output, usage };
    Some(ScriptedReply { think: think.unwrap_or(Duration::ZERO), answer })
}

/// One call. Its arguments may be anything, also text that is no JSON: models say such things.
fn call(node: &Node, path: String, problems: &mut Problems) -> Option<ModelToolCall> {
    let mut fields = Fields::of(node, path, problems)?;
    let id = fields.text("id", problems).map(str::to_owned);
    let name = fields.need_text("name", problems).map(str::to_owned);
    let arguments = fields.take("arguments").map_or_else(|| json!({}), Node::to_json);
    fields.finish(problems);
    Some(ModelToolCall { id, name: name?, arguments })
}

fn usage(node: &Node, path: String, problems: &mut Problems) -> Option<TokenUsage> {
    let mut fields = Fields::of(node, path, problems)?;
    let mut tokens = |key: &'static str| {
        let node = fields.take(key)?;
        let number = match &node.value {
            NodeValue::Number(text) => text.parse::<u64>().ok().filter(|number| *number <= HOST_CEILING),
            _ => None,
        };
        if number.is_none() {
            let problem = wrong(node, &fields.path_of(key), problems, "a whole number of tokens");
            problems.push(problem);
        }
        number
    };
    let usage = TokenUsage { input_tokens: tokens("input_tokens"), output_tokens: tokens("output_tokens") };
    fields.finish(problems);
    Some(usage)
}
