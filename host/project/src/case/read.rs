//! `cases/*.yaml` to cases. A file is one case, or several under `cases`.

use super::expect::{Expect, object};
use crate::files::{cause, read_bounded};
use crate::project::{Project, below};
use sandfork_source::{
    Fields, Key, Node, NodeValue, ParseLimits, Place, Problem, Problems, expect_list, nearest, parse, quote,
};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files of cases in one project.
const MOST_FILES: usize = 10_000;
/// The keys that a case's task may have, in the plan's own words.
const TASK_KEYS: [&str; 7] = ["goal", "context", "shared", "acceptance_criteria", "context_refs", "budget", "timeout"];

/// One case, read. What it hands to others (tools, agents, replies, limits) they read themselves, with the places kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What it is called: its own name, or its file's.
    pub name: String,
    /// The file, as the user would name it.
    pub file: String,
    /// Where the case starts in it.
    pub place: Place,
    /// What it expects; `None` where nothing is written yet.
    pub expect: Option<Expect>,
    /// Where it stands in the list of its file; `None` for a file that is one case.
    pub(super) index: Option<usize>,
    pub(super) goal: Node,
    pub(super) shared: Option<Node>,
    /// The rest of the task, as a plan's root has it.
    pub(super) task: Vec<(Key, Node)>,
    pub(super) tools: Vec<(Key, Node)>,
    pub(super) agents: Vec<(Key, Node)>,
    pub(super) replies: Option<Node>,
    pub(super) limits: Option<Node>,
    pub(super) workspace: Option<Node>,
}

impl Case {
    /// The scripted replies of models, as one document; `None` where the case has none.
    #[must_use]
    pub fn replies(&self) -> Option<serde_json::Value> {
        self.replies.as_ref().map(Node::to_json)
    }

    /// Answers of tools that the manifest neither calls nor hands on: nobody could ask for them, and the tool that was meant
    /// would answer by itself.
    #[must_use]
    pub fn unasked(&self, project: &Project) -> Vec<Problem> {
        let asked = || project.manifest.tools.iter().chain(&project.manifest.delegate).map(String::as_str);
        let known = |tool: &str| project.takes_any_tool || asked().any(|asked| asked == tool);
        let unasked = self.tools.iter().filter(|(key, _)| !known(&key.text));
        unasked
            .map(|(key, _)| {
                let message = format!("the case answers {}, which agent.yaml names under no list", quote(&key.text));
                let problem = Problem::new(&self.file, key.place, message);
                match nearest(&key.text, asked()) {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => problem.hint("name it under `tools`, or under `delegate` if only forked agents call it"),
                }
            })
            .collect()
    }

    /// The scripts that stand for agents it forks, each with its name.
    pub fn scripts(&self) -> impl Iterator<Item = (&str, Node)> {
        self.agents.iter().map(|(key, node)| (key.text.as_str(), named(key, node)))
    }
}

/// A script that does not say its name is called what its key says.
fn named(key: &Key, node: &Node) -> Node {
    let mut node = node.clone();
    if node.get("agent").is_none()
        && let NodeValue::Map(entries) = &mut node.value
    {
        let name = Node { place: key.place, value: NodeValue::Text(key.text.clone()) };
        entries.insert(0, (Key { place: key.place, text: "agent".into() }, name));
    }
    node
}

/// The files of a project's cases, in the order of their names.
///
/// # Errors
/// A directory that cannot be read, or holds more than anybody wrote.
pub fn case_files(project: &Project) -> Result<Vec<PathBuf>, Vec<Problem>> {
    let dir = below(&project.dir, "cases");
    let wrong = |message: String| {
        let problem = Problem::new(&dir.display().to_string(), Place::START, message);
        vec![problem.hint("a case is a file such as cases/first.yaml with `task` and `expect`")]
    };
    let entries = fs::read_dir(&dir).map_err(|error| wrong(format!("the cases cannot be read: {}", cause(&error))))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| wrong(format!("the cases cannot be read: {}", cause(&error))))?.path();
        let is_case = path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
        if is_case {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            return Err(wrong(format!("there are more than {MOST_FILES} files")));
        }
    }
    files.sort();
    if files.is_empty() { Err(wrong("there is no case".into())) } else { Ok(files) }
}

/// The cases of one file.
///
/// # Errors
/// Everything that is wrong with them, in the order of the file.
pub fn read_cases(path: &Path) -> Result<Vec<Case>, Vec<Problem>> {
    let file = path.display().to_string();
    let limits = ParseLimits::default();
    let most = u64::try_from(limits.max_bytes).unwrap_or(u64::MAX);
    let unreadable = |error: io::Error| {
        vec![Problem::new(&file, Place::START, format!("the case cannot be read: {}", cause(&error)))]
    };
    let bytes = read_bounded(path, most).map_err(unreadable)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    parsed(&file, &stem, &bytes)
}

/// As [`read_cases`], from bytes at hand; `stem` names a case that does not say its name.
pub(super) fn parsed(file: &str, stem: &str, bytes: &[u8]) -> Result<Vec<Case>, Vec<Problem>> {
    let tree = parse(file, bytes, &ParseLimits::default()).map_err(|problem| vec![problem])?;
    let mut problems = Problems::new(file);
    let mut cases = Vec::new();
    if tree.get("cases").is_some() {
        let mut fields = Fields::of(&tree, "", &mut problems);
        let list = fields.as_mut().and_then(|fields| fields.take("cases"));
        let items = list.and_then(|list| expect_list(list, "cases", &mut problems)).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            let named = format!("{stem} {}", index + 1);
            cases.extend(case(item, &format!("cases[{index}]"), &named, Some(index), &mut problems));
        }
        if let Some(fields) = fields {
            fields.finish(&mut problems);
        }
        if cases.is_empty() && problems.is_empty() {
            let problem = problems.at(tree.place, "`cases` is empty").expected("at least one case");
            problems.push(problem);
        }
    } else {
        cases.extend(case(&tree, "", stem, None, &mut problems));
    }
    if problems.is_empty() { Ok(cases) } else { Err(problems.into_vec()) }
}

fn case(node: &Node, path: &str, stem: &str, index: Option<usize>, problems: &mut Problems) -> Option<Case> {
    let mut fields = Fields::of(node, path, problems)?;
    let name = fields.text("name", problems).unwrap_or(stem).to_owned();
    let task = fields.need("task", problems);
    let task = task.and_then(|node| task_of(node, &fields.path_of("task"), problems));
    let tools = entries(&mut fields, "tools", problems);
    let agents = entries(&mut fields, "agents", problems);
    let replies = fields.take("replies");
    let replies = replies.filter(|node| object(node, &fields.path_of("replies"), problems).is_some()).cloned();
    let limits = fields.take("limits").cloned();
    let workspace = fields.take("workspace").cloned();
    let expect = fields.take("expect").map(|node| Expect::read(node, &fields.path_of("expect"), problems));
    fields.finish(problems);
    let (goal, shared, task) = task?;
    Some(Case {
        name,
        file: problems.file().to_owned(),
        place: node.place,
        expect: expect.flatten(),
        index,
        goal,
        shared,
        task,
        tools,
        agents,
        replies,
        limits,
        workspace,
    })
}

type Task = (Node, Option<Node>, Vec<(Key, Node)>);

/// The task: its goal, the run's shared input, and the rest as a plan's root has it.
fn task_of(node: &Node, path: &str, problems: &mut Problems) -> Option<Task> {
    let mut fields = Fields::of(node, path, problems)?;
    fields.need_text("goal", problems);
    let read: Vec<(Key, Node)> = TASK_KEYS
        .into_iter()
        .filter_map(|key| fields.entry(key).map(|(key, node)| (key.clone(), node.clone())))
        .collect();
    fields.finish(problems);
    let find = |name: &str| read.iter().find(|(key, _)| key.text == name).map(|(_, node)| node.clone());
    let (goal, shared) = (find("goal")?, find("shared"));
    let rest = read.into_iter().filter(|(key, _)| key.text != "goal" && key.text != "shared").collect();
    Some((goal, shared, rest))
}

/// The entries of a map of named things.
fn entries(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Vec<(Key, Node)> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    if let NodeValue::Map(entries) = &node.value {
        return entries.clone();
    }
    let problem = problems.at(node.place, format!("{} is {}", quote(&fields.path_of(key)), node.kind()));
    problems.push(problem.expected("a map of names"));
    Vec::new()
}
