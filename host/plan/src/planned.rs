//! The list of tasks that a planner returned, read by the reader of written tasks. What an agent said is no file of the
//! user's: it names no files, and its places are tasks, not lines.

use crate::files::Base;
use crate::names::{BUILT_IN_TOOLS, Known};
use crate::tasks::{Room, tasks};
use sandfork_model::{Plan, TaskReader, TaskSpec};
use sandfork_source::{Fields, Key, Node, NodeValue, Place, Problems};
use serde_json::Value;

/// Tasks in one list: as many as one call of `spawn` may ask for.
const MAX_TASKS: usize = 1024;

/// Reads what the planner of one plan returns.
#[derive(Clone, Debug)]
pub struct PlannedTasks {
    tools: Vec<String>,
    agents: Vec<String>,
    tiers: Vec<String>,
}

impl PlannedTasks {
    /// For the planner of `plan`: its tasks may name what a written task of that plan may.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let built_in = BUILT_IN_TOOLS.into_iter().map(str::to_owned);
        Self {
            tools: built_in.chain(plan.tools.iter().map(|tool| tool.name.clone())).collect(),
            agents: plan.agents.iter().map(|entry| entry.name.clone()).collect(),
            tiers: plan.limits.policy.tiers.keys().cloned().collect(),
        }
    }
}

impl TaskReader for PlannedTasks {
    fn read(&self, output: &Value, accepted: &[&str]) -> Result<Vec<TaskSpec>, Vec<String>> {
        if let Some(count) = output.get("tasks").and_then(Value::as_array).map(Vec::len)
            && count > MAX_TASKS
        {
            return Err(vec![format!("`tasks` has {count} tasks; at most {MAX_TASKS} are read")]);
        }
        let document = document(output);
        let mut problems = Problems::new("the planner's output");
        let tools = Known::new("tool", self.tools.iter().map(String::as_str));
        let agents = Known::new("agent", self.agents.iter().map(String::as_str));
        let tiers = Known::new("tier", self.tiers.iter().map(String::as_str));
        let room = Room { tools: &tools, agents: &agents, tiers: &tiers, base: &Base::nowhere(), accepted };
        let read = Fields::of(&document, "", &mut problems).and_then(|mut fields| {
            let list = fields.need("tasks", &mut problems).map(|node| tasks(node, &room, &mut problems));
            // A planner may say in words what it did, as every agent may.
            fields.text("summary", &mut problems);
            fields.finish(&mut problems);
            list
        });
        match read {
            Some(read) if problems.is_empty() => Ok(read),
            _ => Err(problems.into_vec().into_iter().map(sentence).collect()),
        }
    }
}

/// The output as a tree whose places are in line 0, like those of the command line; the column is the task's number.
fn document(output: &Value) -> Node {
    let mut document = node(output, place(0));
    if let NodeValue::Map(entries) = &mut document.value
        && let Some((_, list)) = entries.iter_mut().find(|(key, _)| key.text == "tasks")
        && let (NodeValue::List(items), Some(Value::Array(values))) = (&mut list.value, output.get("tasks"))
    {
        *items = values.iter().zip(1..).map(|(value, number)| node(value, place(number))).collect();
    }
    document
}

fn place(column: u32) -> Place {
    Place { line: 0, column }
}

fn node(value: &Value, place: Place) -> Node {
    let value = match value {
        Value::Null => NodeValue::Null,
        Value::Bool(flag) => NodeValue::Bool(*flag),
        Value::Number(number) => NodeValue::Number(number.to_string()),
        Value::String(text) => NodeValue::Text(text.clone()),
        Value::Array(items) => NodeValue::List(items.iter().map(|item| node(item, place)).collect()),
        Value::Object(map) => NodeValue::Map(
            map.iter().map(|(key, value)| (Key { place, text: key.clone() }, node(value, place))).collect(),
        ),
    };
    Node { place, value }
}

/// One problem as one sentence; a message that does not say which task it means is told so.
fn sentence(problem: sandfork_source::Problem) -> String {
    let mut text = match problem.place.column.checked_sub(1).map(|index| format!("tasks[{index}]")) {
        Some(task) if !problem.message.contains(&task) => format!("{task}: {}", problem.message),
        _ => problem.message,
    };
    for (word, said) in [("expected", problem.expected), ("hint", problem.hint)] {
        if let Some(said) = said {
            text.push_str(&format!("; {word}: {said}"));
        }
    }
    text
}
