//! A case as a plan document: the built component as root, scripted tools, scripts for the agents it forks. Whoever reads
//! plans reads it, so that a case means what a plan means; problems keep their places in the case.

use super::read::Case;
use super::tree::{Making, value_node};
use crate::project::{Project, SELF};
use sandfork_source::{Key, Node, NodeValue};
use serde_json::json;
use std::path::Path;

/// An agent that a script of the case stands for, compiled.
#[derive(Clone, Debug)]
pub struct Child<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its component.
    pub component: &'a Path,
    /// What the script hands on.
    pub delegate: &'a [String],
    /// What the script forks.
    pub spawn: &'a [String],
}

/// What a plan of a case is made of besides the case.
#[derive(Clone, Debug)]
pub struct PlanParts<'a> {
    /// The built component.
    pub component: &'a Path,
    /// The agents it may fork.
    pub children: &'a [Child<'a>],
    /// A file with the scripted replies, where the case has any.
    pub replies: Option<&'a Path>,
    /// The tools that a host has without being told.
    pub built_in: &'a [&'a str],
}

impl Case {
    /// The plan of this case.
    #[must_use]
    pub fn plan(&self, project: &Project, parts: &PlanParts<'_>) -> Node {
        let name = project.manifest.name.as_str();
        // A run's name has no dots.
        let run = name.replace('.', "-");
        let mut root = Making::at(self.place).text("agent", name).with("goal", self.goal.clone());
        for (key, node) in &self.task {
            root = root.with(&key.text, node.clone());
        }
        Making::at(self.place)
            .text("run", &run)
            .with("agents", self.agents(project, parts))
            .with("tools", self.scripted(project, parts.built_in))
            .with_some("shared", self.shared.clone())
            .with_some("limits", self.limits.clone())
            .with_some("workspace", self.workspace.clone())
            .with_some(
                "models",
                parts.replies.map(|path| Making::at(self.place).text("replies", &path.display().to_string()).done()),
            )
            .with("root", root.done())
            .done()
    }

    /// Scripted answers of the case for tools that the host has itself.
    #[must_use]
    pub fn stand_ins(&self, built_in: &[&str]) -> Vec<(Key, Node)> {
        self.tools.iter().filter(|(key, _)| built_in.contains(&key.text.as_str())).cloned().collect()
    }

    fn agents(&self, project: &Project, parts: &PlanParts<'_>) -> Node {
        let manifest = &project.manifest;
        // An agent that names no tool of its own is given those that the case answers.
        let answered = self.tools.iter().map(|(key, _)| key.text.as_str()).filter(|_| project.takes_any_tool);
        let children = parts.children.iter().map(|child| child.name.to_owned());
        let children: Vec<String> = children.filter(|_| project.takes_any_agent).collect();
        // Whoever is not in the case is not there: forking it is refused as it would be in a run.
        let known = |names: &'_ [String]| -> Vec<String> {
            let is_there = |name: &&String| {
                *name == SELF
                    || **name == manifest.name
                    || parts.children.iter().any(|child| child.name == name.as_str())
            };
            names.iter().filter(is_there).cloned().collect()
        };
        let texts = |names: Vec<String>, key: &str, making: Making| making.names(key, names.iter().map(String::as_str));
        let under_test = Making::at(self.place)
            .text("component", &parts.component.display().to_string())
            .names("tools", manifest.tools.iter().map(String::as_str).chain(answered))
            .names("delegate", manifest.delegate.iter().map(String::as_str));
        let spawn = if project.takes_any_agent { children } else { known(&manifest.spawn) };
        let under_test = texts(spawn, "spawn", under_test)
            .with_some("output_schema", manifest.output_schema.as_ref().map(|schema| value_node(self.place, schema)));
        let mut agents = Making::at(self.place).with(&manifest.name, under_test.done());
        for child in parts.children.iter().filter(|child| child.name != manifest.name) {
            let entry = Making::at(self.place)
                .text("component", &child.component.display().to_string())
                .names("delegate", child.delegate.iter().map(String::as_str));
            agents = agents.with(child.name, texts(known(child.spawn), "spawn", entry).done());
        }
        agents.done()
    }

    /// The case's tools; those that the manifest names and the case does not answer say so when they are called.
    fn scripted(&self, project: &Project, built_in: &[&str]) -> Node {
        let place = self.place;
        let mut entries: Vec<(Key, Node)> =
            self.tools.iter().filter(|(key, _)| !built_in.contains(&key.text.as_str())).cloned().collect();
        for tool in project.manifest.tools.iter().chain(&project.manifest.delegate) {
            if built_in.contains(&tool.as_str()) || entries.iter().any(|(key, _)| key.text == *tool) {
                continue;
            }
            let message =
                format!("the case `{}` has no answer of the tool `{tool}`; write one under `tools`", self.name);
            let script = json!({ "script": [{ "error": { "code": "no_answer", "message": message } }] });
            entries.push((Key { place, text: tool.clone() }, value_node(place, &script)));
        }
        Node { place, value: NodeValue::Map(entries) }
    }
}
