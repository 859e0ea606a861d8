//! Names of runs and forks. A task id is a path in the tree of forks and never carries anything that varies between runs.

use crate::digest::sha256_hex;
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

/// The two names of a run: guests see `name`, reports and events carry `id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunId {
    /// NAME of the plan: the same in every run of it.
    pub name: Arc<str>,
    /// `NAME-N`, what `--run-id` says, or NAME under virtual time.
    pub id: Arc<str>,
}

/// The place of a fork in the tree, as ordinals from the top; compares in request order, depth first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskPath(Box<[u32]>);

impl TaskPath {
    /// The path of the run's `ordinal`-th own task (0-based; a root is 0).
    #[must_use]
    pub fn top(ordinal: u32) -> Self {
        Self(Box::new([ordinal]))
    }

    /// The path of the run itself: before every fork's.
    #[must_use]
    pub fn above_all() -> Self {
        Self(Box::new([]))
    }

    /// The path of this fork's `ordinal`-th request (0-based).
    #[must_use]
    pub fn child(&self, ordinal: u32) -> Self {
        Self(self.0.iter().copied().chain([ordinal]).collect())
    }

    /// The path of whoever asked for this fork, the run itself for its own tasks; `None` above all.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.split_last().map(|(_, above)| Self(above.into()))
    }

    /// Which of the run's own forks it is, or descends from; 0 for the run itself.
    #[must_use]
    pub fn top_ordinal(&self) -> u32 {
        self.0.first().copied().unwrap_or_default()
    }

    /// 0 for the run's own tasks.
    #[must_use]
    pub fn depth(&self) -> u32 {
        u32::try_from(self.0.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

/// The thread of the run's own events: no task can be called so.
pub const RUN_THREAD: &str = "@run";

/// Who a fork is: shared by everything that speaks of it.
#[derive(Debug)]
pub struct TaskRef {
    /// The run it belongs to.
    pub run: RunId,
    /// Tree path in words: `root`, `root/1`, `root/fetch`, `research`.
    pub task_id: Arc<str>,
    /// `None` for the run's own tasks.
    pub parent_task_id: Option<Arc<str>>,
    /// Name of the agent, as the plan's `agents` table has it.
    pub agent: Arc<str>,
    /// What its events are called after: the task id, or `@run` for the run itself, whose name a task may have too.
    pub thread_id: Arc<str>,
    /// 0 for the run's own tasks.
    pub depth: u32,
    /// Orders forks: depth first, request order.
    pub path: TaskPath,
    agent_id: OnceLock<Box<str>>,
}

impl TaskRef {
    /// Names a fork of the run's own tasks.
    #[must_use]
    pub fn top(run: &RunId, task_id: &str, agent: &str, ordinal: u32) -> Self {
        Self::new(run.clone(), task_id.into(), None, agent.into(), TaskPath::top(ordinal))
    }

    /// Names the fork that this one's `ordinal`-th request (0-based) asks for. `id` is the request's own, if it gave one.
    #[must_use]
    pub fn child(&self, agent: &str, ordinal: u32, id: Option<&str>) -> Self {
        let task_id = match id {
            Some(id) => format!("{}/{id}", self.task_id),
            None => format!("{}/{}", self.task_id, u64::from(ordinal) + 1),
        };
        Self::new(
            self.run.clone(),
            task_id.into(),
            Some(Arc::clone(&self.task_id)),
            agent.into(),
            self.path.child(ordinal),
        )
    }

    /// The orchestrator itself, as the subject of run-wide events. It is no fork and is counted nowhere.
    #[must_use]
    pub fn orchestrator(run: &RunId) -> Self {
        Self {
            run: run.clone(),
            task_id: Arc::clone(&run.name),
            parent_task_id: None,
            agent: "orchestrator".into(),
            thread_id: RUN_THREAD.into(),
            depth: 0,
            path: TaskPath::above_all(),
            agent_id: OnceLock::from(Box::from("orchestrator")),
        }
    }

    fn new(run: RunId, task_id: Arc<str>, parent: Option<Arc<str>>, agent: Arc<str>, path: TaskPath) -> Self {
        let depth = path.depth();
        let thread_id = Arc::clone(&task_id);
        Self { run, task_id, parent_task_id: parent, agent, thread_id, depth, path, agent_id: OnceLock::new() }
    }

    /// Id of the fork's thread, `sub-{8 hex}-d{depth}`, seeded by run name and task id. Made when it is first written down:
    /// many forks end before anybody asks for it.
    #[must_use]
    pub fn agent_id(&self) -> &str {
        self.agent_id.get_or_init(|| {
            let seed = sha256_hex(format!("{}\n{}", self.run.name, self.task_id).as_bytes());
            format!("sub-{}-d{}", seed.get(..8).unwrap_or("00000000"), self.depth).into()
        })
    }
}

/// Within a run the place in the tree is the fork.
impl PartialEq for TaskRef {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.task_id == other.task_id && self.run == other.run
    }
}

impl Eq for TaskRef {}

impl PartialOrd for TaskRef {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TaskRef {
    fn cmp(&self, other: &Self) -> Ordering {
        self.path.cmp(&other.path)
    }
}

/// Characters of a name of an agent or a tool.
const MAX_NAME_CHARS: usize = 64;

/// Whether `name` may name an agent or a tool: at most 64 letters, digits, `_`, `-` or `.`.
#[must_use]
pub fn is_valid_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_CHARS
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Whether `id` may name a task: a letter, then up to 63 letters, digits, `_`, `-` or `.`.
///
/// A leading letter keeps written ids apart from the ordinals that unnamed requests get.
#[must_use]
pub fn is_valid_id(id: &str) -> bool {
    id.len() <= 64
        && id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}
