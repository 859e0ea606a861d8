//! The plan's own tasks: one root, a fixed decomposition, or a planner that returns one. An agent nobody knows is an outcome later, no problem here.

use crate::again::{review, times};
use crate::amount::{milliseconds, time};
use crate::ask::{Purse, ask};
use crate::files::Base;
use crate::limits::on_failure;
use crate::names::Known;
use crate::needs::{self, Wish};
use crate::retry::retry;
use crate::tools::object;
use sandfork_model::id::is_valid_id;
use sandfork_model::{Ask, PlannerSpec, RequestOptions, RetrySpec, TaskSpec};
use sandfork_source::{Fields, Node, Problems, expect_list, expect_texts, quote};
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

/// The id of a root.
const ROOT_ID: &str = "root";
/// The id of a planner.
pub(crate) const PLANNER_ID: &str = "planner";

/// What a task's reader needs besides its text.
pub(crate) struct Room<'a> {
    pub(crate) tools: &'a Known<'a>,
    pub(crate) agents: &'a Known<'a>,
    pub(crate) tiers: &'a Known<'a>,
    pub(crate) base: &'a Base<'a>,
    /// Tasks that have ended well before, for which tasks may wait too.
    pub(crate) accepted: &'a [&'a str],
}

/// Reads `root`; `goal` is the plan's own, for a root that has none.
pub(crate) fn root(node: &Node, goal: Option<&str>, room: &Room<'_>, problems: &mut Problems) -> Option<TaskSpec> {
    let mut fields = Fields::of(node, "root", problems)?;
    let written = fields.take("goal");
    let goal = match (written, goal) {
        (None, Some(goal)) => Some(goal),
        (None, None) => fields.need_text("goal", problems),
        (Some(node), goal) => {
            let own = sandfork_source::expect_text(node, "root.goal", problems);
            if goal.is_some() && own.is_some() && goal != own {
                let problem = problems
                    .at(node.place, "the plan has two goals: `goal` and `root.goal` differ")
                    .hint("a root plan's goal is the root's; remove the other one");
                problems.push(problem);
            }
            own
        }
    };
    task(fields, ROOT_ID.to_owned(), goal, room, problems)
}

/// Reads `planner`; `goal` is the plan's own, for a planner that has none.
pub(crate) fn planner(
    node: &Node,
    goal: Option<&str>,
    room: &Room<'_>,
    problems: &mut Problems,
) -> Option<PlannerSpec> {
    let mut fields = Fields::of(node, "planner", problems)?;
    let written = fields.text("goal", problems);
    let max_replans = fields.take("max_replans").map(|node| times(node, &fields.path_of("max_replans"), problems));
    let task = task(fields, PLANNER_ID.to_owned(), written.or(goal), room, problems)?;
    Some(PlannerSpec { task, max_replans: max_replans.unwrap_or(Some(PlannerSpec::DEFAULT_REPLANS))? })
}

/// Reads `tasks`, in plan order.
pub(crate) fn tasks(node: &Node, room: &Room<'_>, problems: &mut Problems) -> Vec<TaskSpec> {
    let Some(items) = expect_list(node, "tasks", problems) else { return Vec::new() };
    if items.is_empty() {
        let problem = problems.at(node.place, "`tasks` is empty").expected("at least one task");
        problems.push(problem);
    }
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let (mut read, mut wishes) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let Some(mut fields) = Fields::of(item, format!("tasks[{index}]"), problems) else { continue };
        let id = id(&mut fields, item, &mut seen, problems);
        let goal = fields.need_text("goal", problems);
        let reviewed = fields.take("review");
        let review = reviewed.and_then(|node| review(node, &fields.path_of("review"), room.agents, problems));
        let retry = retry(&mut fields, room.tiers, problems);
        let wish = Wish::read(&id, &mut fields, problems);
        let (needs, needs_optional) = wish.ids();
        wishes.push(wish);
        let task = task(fields, id, goal, room, problems);
        read.extend(task.map(|task| TaskSpec { review, needs, needs_optional, retry, ..task }));
    }
    needs::check(&wishes, room.accepted, problems);
    read
}

fn id<'a>(
    fields: &mut Fields<'a>,
    item: &'a Node,
    seen: &mut HashMap<&'a str, u32>,
    problems: &mut Problems,
) -> String {
    let Some(id) = fields.need_text("id", problems) else { return String::new() };
    let place = item.get("id").map_or(item.place, |node| node.place);
    if !is_valid_id(id) {
        let problem = problems
            .at(place, format!("{} cannot be a task id", quote(id)))
            .expected("a letter, then at most 63 letters, digits, `_`, `-` or `.`");
        problems.push(problem);
    }
    if let Some(line) = seen.insert(id, place.line) {
        let problem = problems.at(place, format!("two tasks have the id {}", quote(id)));
        problems.push(match line {
            // Line 0 is a value from the command line.
            0 => problem.hint("give each task an id of its own"),
            line => problem.hint(format!("it is already used in line {line}; give each task an id of its own")),
        });
    }
    id.to_owned()
}

fn task(
    mut fields: Fields<'_>,
    id: String,
    goal: Option<&str>,
    room: &Room<'_>,
    problems: &mut Problems,
) -> Option<TaskSpec> {
    let agent = fields.need_text("agent", problems);
    let context = fields.take("context").and_then(|node| object(node, &fields.path_of("context"), problems));
    let options = options(&mut fields, room, problems);
    fields.finish(problems);
    Some(TaskSpec {
        id,
        agent: agent?.to_owned(),
        goal: goal?.to_owned(),
        context: Value::Object(context.unwrap_or_default()),
        options,
        review: None,
        needs: Vec::new(),
        needs_optional: Vec::new(),
        retry: RetrySpec::default(),
    })
}

fn options(fields: &mut Fields<'_>, room: &Room<'_>, problems: &mut Problems) -> RequestOptions {
    let tools = one_of(fields, ["tools", "allowed_tools"], problems)
        .and_then(|(key, node)| {
            let path = fields.path_of(key);
            expect_texts(node, &path, problems).map(|names| (path, names))
        })
        .map(|(path, names)| room.tools.check(names, &path, problems));
    let texts = |names: Option<Vec<(&str, _)>>| {
        names.unwrap_or_default().into_iter().map(|(text, _)| text.to_owned()).collect::<Vec<_>>()
    };
    RequestOptions {
        // The task's id is the plan's; a request's own id would only be a second copy.
        id: None,
        tools,
        budget: fields
            .take("budget")
            .map_or_else(Ask::default, |node| ask(node, &fields.path_of("budget"), Purse::Fork, problems)),
        budget_min: fields
            .take("budget_min")
            .map_or_else(Ask::default, |node| ask(node, &fields.path_of("budget_min"), Purse::Fork, problems)),
        timeout: timeout(fields, problems),
        on_failure: fields
            .take("on_failure")
            .and_then(|node| on_failure(node, &fields.path_of("on_failure"), problems)),
        critical: fields.flag("critical", problems).unwrap_or(false),
        low_value: fields.flag("low_value", problems).unwrap_or(false),
        is_acceptance: false,
        is_planning: false,
        handed: None,
        tier: None,
        output_schema: fields
            .take("output_schema")
            .and_then(|node| room.base.schema(node, &fields.path_of("output_schema"), problems)),
        acceptance_criteria: texts(fields.texts("acceptance_criteria", problems)),
        context_refs: texts(fields.texts("context_refs", problems)),
    }
}

fn timeout(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Duration> {
    let (key, node) = one_of(fields, ["timeout", "timeout_ms", "deadline_ms"], problems)?;
    let path = fields.path_of(key);
    if key == "timeout" { time(node, &path, problems) } else { milliseconds(node, &path, problems) }
}

/// The one of several names for the same thing that is written; a second one is a problem.
fn one_of<'a, const N: usize>(
    fields: &mut Fields<'a>,
    keys: [&'static str; N],
    problems: &mut Problems,
) -> Option<(&'static str, &'a Node)> {
    let mut found = None;
    for key in keys {
        let Some((written, node)) = fields.entry(key) else { continue };
        if let Some((first, _)) = found {
            let problem = problems
                .at(written.place, format!("{} says the same as `{first}`", quote(&fields.path_of(key))))
                .hint("keep one of them");
            problems.push(problem);
        } else {
            found = Some((key, node));
        }
    }
    found
}
