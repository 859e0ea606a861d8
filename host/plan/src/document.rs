//! The document as a whole: reads each part with its own reader, and puts the plan together if nothing is wrong.

use crate::agents::agents;
use crate::files::{Base, cause, read_bounded};
use crate::limits::limits;
use crate::models::models;
use crate::names::{BUILT_IN_TOOLS, Known, is_run_name};
use crate::overrides::Overrides;
use crate::tasks::{Room, planner, root, tasks};
use crate::tools::{object, tools};
use sandfork_model::{Plan, RunLimits, Shape};
use sandfork_source::{Fields, Node, ParseLimits, Place, Problem, Problems, parse, quote};
use std::path::Path;

/// Reads and checks the plan at `path` and the files it names.
///
/// # Errors
/// Everything that is wrong, in the order of the file, at most [`sandfork_source::MAX_PROBLEMS`] problems.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Plan, Vec<Problem>> {
    let file = path.display().to_string();
    let bytes = read_bounded(path, ParseLimits::default().max_bytes).map_err(|error| {
        let message = format!("the plan cannot be read: {}", cause(&error));
        vec![Problem::new(&file, Place::START, message)]
    })?;
    let base = path.parent().unwrap_or(Path::new(""));
    read(&file, &bytes, base, overrides)
}

/// Reads and checks a plan whose bytes are at hand; paths in it start from `base`.
///
/// # Errors
/// As [`load`].
pub fn read(file: &str, bytes: &[u8], base: &Path, overrides: &Overrides) -> Result<Plan, Vec<Problem>> {
    let mut document = parse(file, bytes, &ParseLimits::default()).map_err(|problem| vec![problem])?;
    let misplaced = overrides.apply(&mut document);
    if !misplaced.is_empty() {
        return Err(misplaced.into_iter().take(sandfork_source::MAX_PROBLEMS).collect());
    }
    checked(file, &document, base, overrides)
}

/// As [`read`], with a document that another reader has put together; problems are placed where its nodes stand.
///
/// # Errors
/// As [`load`].
pub fn read_tree(file: &str, document: &Node, base: &Path) -> Result<Plan, Vec<Problem>> {
    checked(file, document, base, &Overrides::default())
}

fn checked(file: &str, document: &Node, base: &Path, overrides: &Overrides) -> Result<Plan, Vec<Problem>> {
    let mut problems = Problems::new(file);
    let plan = plan(document, &Base::new(file, base), &overrides.tools, &mut problems);
    match plan {
        Some(plan) if problems.is_empty() => Ok(plan),
        _ => Err(problems.into_vec().into_iter().map(|problem| overrides.name(problem)).collect()),
    }
}

/// The plan; `None` only where problems were pushed.
fn plan(document: &Node, base: &Base<'_>, offered: &[String], problems: &mut Problems) -> Option<Plan> {
    let mut fields = Fields::of(document, "", problems)?;
    let name = run_name(&mut fields, problems);
    let goal = fields.text("goal", problems);
    let is_virtual = fields.flag("virtual", problems).unwrap_or(false);
    let rules = fields.texts("rules", problems).unwrap_or_default();
    let shared = fields.take("shared").and_then(|node| object(node, "shared", problems)).unwrap_or_default();
    let scripted = fields.take("tools").map(|node| tools(node, problems)).unwrap_or_default();
    // All names written under `tools`, also those of entries with problems: one mistake is reported once.
    let names = document.get("tools").into_iter().flat_map(keys);
    let known = Known::new("tool", BUILT_IN_TOOLS.into_iter().chain(offered.iter().map(String::as_str)).chain(names));
    let agents = fields.need("agents", problems).map(|node| agents(node, &known, base, problems));
    let workspace = fields.take("workspace").and_then(|node| base.directory(node, "workspace", problems));
    let limits = fields.take("limits").map_or_else(RunLimits::default, |node| limits(node, &known, problems));
    let agent_names = Known::new("agent", document.get("agents").into_iter().flat_map(keys));
    let tiers = Known::new("tier", limits.policy.tiers.keys().map(String::as_str));
    let room = Room { tools: &known, agents: &agent_names, tiers: &tiers, base, accepted: &[] };
    let shape = shape(&mut fields, goal, document.get("goal").is_some(), &room, problems);
    let replying = fields.take("models");
    let models = replying.and_then(|node| models(node, &agent_names, shape.as_ref(), base, problems));
    fields.finish(problems);
    let shape = shape?;
    let goal = match &shape {
        Shape::Root(root) => root.goal.clone(),
        Shape::Tasks(_) | Shape::Planner(_) => goal?.to_owned(),
    };
    Some(Plan {
        name: name?,
        goal,
        is_virtual,
        rules: rules.into_iter().map(|(rule, _)| rule.to_owned()).collect(),
        shared,
        agents: agents?,
        workspace,
        tools: scripted,
        models,
        limits,
        shape,
    })
}

fn run_name(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<String> {
    let node = fields.need("run", problems)?;
    let name = sandfork_source::expect_text(node, "run", problems)?;
    if !is_run_name(name) {
        let problem = problems
            .at(node.place, format!("{} cannot name a run", quote(name)))
            .expected("1 to 64 letters, digits, `-` or `_`");
        problems.push(problem);
    }
    Some(name.to_owned())
}

fn shape(
    fields: &mut Fields<'_>,
    goal: Option<&str>,
    has_goal: bool,
    room: &Room<'_>,
    problems: &mut Problems,
) -> Option<Shape> {
    const KEYS: [&str; 3] = ["root", "tasks", "planner"];
    let written: Vec<_> = KEYS.into_iter().filter_map(|key| fields.entry(key)).collect();
    let problem = match written.as_slice() {
        [(key, node)] if key.text == "root" => {
            return root(node, goal, room, problems).map(|root| Shape::Root(Box::new(root)));
        }
        [(key, node)] => {
            if !has_goal {
                let problem = problems
                    .at(key.place, format!("a plan with `{}` needs a `goal` of its own", key.text))
                    .hint("write `goal: …` beside `run`");
                problems.push(problem);
            }
            if key.text == "tasks" {
                return Some(Shape::Tasks(tasks(node, room, problems)));
            }
            return planner(node, goal, room, problems).map(|planner| Shape::Planner(Box::new(planner)));
        }
        [] => problems.at(fields.place(), "the plan has neither `root` nor `tasks` nor `planner`"),
        [(first, _), (second, _), ..] => {
            problems.at(second.place, format!("the plan has both `{}` and `{}`", first.text, second.text))
        }
    };
    problems.push(
        problem
            .expected("one of root, tasks, planner")
            .hint("`root` is one agent that forks others, `tasks` a fixed list, `planner` an agent that returns one"),
    );
    None
}

fn keys(node: &Node) -> impl Iterator<Item = &str> {
    let entries = match &node.value {
        sandfork_source::NodeValue::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|(key, _)| key.text.as_str())
}
