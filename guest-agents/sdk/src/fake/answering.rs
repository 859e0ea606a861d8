//! What a fake host answers with, and one fork against it.

use super::forking::{self, Way};
use super::{Call, Run, RunFn};
use crate::port::{Port, RawError, RawOutcome, RawRequest};
use crate::{Context, Failure, Json, Request, Task, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type ToolAnswer = Box<dyn FnMut(&Json) -> Result<Json, Failure>>;
type ChildAnswer = Box<dyn FnMut(&Request) -> Result<Json, Failure>>;

/// Everything a test has said, shared by all forks of its run.
pub(super) struct Answering {
    tools: BTreeMap<String, ToolAnswer>,
    children: BTreeMap<String, Child>,
    pub(super) max_depth: u32,
}

/// Who answers for an agent.
enum Child {
    Scripted(ChildAnswer),
    Real(RunFn),
}

impl Answering {
    pub(super) fn new(max_depth: u32) -> Self {
        let mut new = Self { tools: BTreeMap::new(), children: BTreeMap::new(), max_depth };
        new.tool("sleep", Box::new(|_| Ok(json!({}))));
        new.tool("budget", Box::new(|_| Ok(json!({ "left": {}, "run": {} }))));
        new
    }

    pub(super) fn tool(&mut self, name: &str, answer: ToolAnswer) {
        self.tools.insert(name.to_owned(), answer);
    }

    pub(super) fn child(&mut self, agent: &str, answer: ChildAnswer) {
        self.children.insert(agent.to_owned(), Child::Scripted(answer));
    }

    pub(super) fn agent(&mut self, name: &str, run: RunFn) {
        self.children.insert(name.to_owned(), Child::Real(run));
    }

    fn call(&mut self, name: &str, arguments: &Json) -> Result<Json, Failure> {
        match self.tools.get_mut(name) {
            Some(answer) => answer(arguments),
            None => {
                Err(Failure::new("tool_not_granted", format!("the fake host has no tool {name}; add it with .tool()")))
            }
        }
    }
}

/// What a fork has done so far.
#[derive(Default)]
struct Done {
    notes: Vec<String>,
    calls: Vec<Call>,
    spawned: Vec<Request>,
}

/// One fork: its place, and what it has done.
#[derive(Clone)]
pub(super) struct Fork {
    answering: Rc<RefCell<Answering>>,
    done: Rc<RefCell<Done>>,
    task_id: String,
    depth: u32,
}

impl Fork {
    pub(super) fn top(answering: Rc<RefCell<Answering>>) -> Self {
        Self { answering, done: Rc::default(), task_id: "root".to_owned(), depth: 0 }
    }

    pub(super) fn run(self, task: &Task, run: RunFn) -> Run {
        let done = Rc::clone(&self.done);
        let result = run(task, &mut Context::new(Box::new(self)));
        let Done { notes, calls, spawned } = done.take();
        Run { result, notes, calls, spawned }
    }

    /// How one request ends.
    fn child(&self, request: &Request, task_id: &str) -> Way {
        let Ok(mut answering) = self.answering.try_borrow_mut() else {
            return Way::Refused("invalid_request", "an answer of a test cannot fork".to_owned());
        };
        let (depth, max_depth) = (self.depth + 1, answering.max_depth);
        let Some(child) = answering.children.get_mut(&request.agent) else {
            return Way::Unknown;
        };
        if depth > max_depth {
            return Way::Refused("delegation_depth_exceeded", format!("depth {depth} is beyond {max_depth}"));
        }
        let run = match child {
            Child::Scripted(answer) => return Way::Ended(answer(request)),
            Child::Real(run) => *run,
        };
        drop(answering);
        let answering = Rc::clone(&self.answering);
        let fork = Self { answering, done: Rc::default(), task_id: task_id.to_owned(), depth };
        let task = Task {
            task_id: task_id.to_owned(),
            parent_task_id: Some(self.task_id.clone()),
            agent: request.agent.clone(),
            depth,
            context: request.context.clone(),
            ..Task::new(&request.goal)
        };
        Way::Ended(fork.run(&task, run).result)
    }
}

impl Port for Fork {
    fn note(&mut self, text: &str) {
        self.done.borrow_mut().notes.push(text.to_owned());
    }

    fn tool(&mut self, name: &str, arguments: &str) -> Result<String, RawError> {
        let arguments: Json = serde_json::from_str(arguments).unwrap_or_default();
        let answer = if arguments.is_object() {
            self.answering.borrow_mut().call(name, &arguments)
        } else {
            Err(Failure::new("invalid_arguments", format!("arguments of {name} must be a JSON object")))
        };
        self.done.borrow_mut().calls.push(Call { tool: name.to_owned(), arguments });
        answer.map(|answer| answer.to_string()).map_err(forking::raw)
    }

    fn spawn(&mut self, requests: Vec<RawRequest>, options: &str) -> Vec<RawOutcome> {
        let enough = forking::enough(options, requests.len());
        let mut ok = 0;
        let mut outcomes = Vec::with_capacity(requests.len());
        for raw in requests {
            let request = forking::request(raw);
            let ordinal = self.done.borrow().spawned.len() + 1;
            let task_id = forking::task_id(&self.task_id, &request, ordinal);
            self.done.borrow_mut().spawned.push(request.clone());
            let way = if ok < enough { self.child(&request, &task_id) } else { Way::Cancelled };
            ok += usize::from(matches!(way, Way::Ended(Ok(_))));
            outcomes.push(way.outcome(task_id, request.agent));
        }
        outcomes
    }
}
