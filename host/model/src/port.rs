//! The traits through which rooms that do not know each other meet: the orchestrator drives a [`Runtime`], a sandbox
//! speaks upward through a [`Port`].

use crate::event::Event;
use crate::id::TaskRef;
use crate::outcome::AgentError;
use crate::plan::TaskSpec;
use crate::record::Thread;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How much fuel the fork has used so far, the price of the call at hand included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    /// Units since the fork began.
    pub fuel_used: u64,
}

/// How far the guest may run until its next host call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leash {
    /// Fuel left in the fork's budget.
    pub fuel_left: u64,
    /// Fuel until the fork's deadline under virtual time (1 ns a unit); `None` in real time.
    pub fuel_to_deadline: Option<u64>,
}

/// The port's word that the fork must end now; the port itself knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halt;

/// A request as it crosses the interface: not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRequest {
    /// Agent name.
    pub agent: String,
    /// Goal.
    pub goal: String,
    /// JSON text.
    pub context: String,
    /// JSON text.
    pub options: String,
}

/// An outcome as it crosses the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawOutcome {
    /// Tree path.
    pub task_id: String,
    /// Agent name.
    pub agent: String,
    /// [`crate::Status::name`].
    pub status: String,
    /// JSON text.
    pub output: Option<String>,
    /// Code, message, JSON text of details.
    pub error: Option<RawError>,
    /// JSON text: counts and fuel.
    pub info: String,
}

/// An error as it crosses the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawError {
    /// Stable, snake case.
    pub code: String,
    /// For people.
    pub message: String,
    /// JSON text.
    pub details: String,
}

impl From<&AgentError> for RawError {
    fn from(error: &AgentError) -> Self {
        Self { code: error.code.clone(), message: error.message.clone(), details: error.details.to_string() }
    }
}

/// What a port answers: the value and the next leash, or the word to end.
pub type Answered<T> = Result<(T, Leash), Halt>;

/// The only way out of a sandbox: three calls, answered by the orchestrator. Each answer carries the next leash.
pub trait Port: Send + Sync {
    /// Appends to the notebook.
    fn note(&self, meter: Meter, text: String) -> BoxFuture<'_, Result<Leash, Halt>>;
    /// Starts children, answers with their outcomes in request order.
    fn spawn(
        &self,
        meter: Meter,
        requests: Vec<RawRequest>,
        options: String,
    ) -> BoxFuture<'_, Answered<Vec<RawOutcome>>>;
    /// Everything else.
    fn tool(&self, meter: Meter, name: String, arguments: String) -> BoxFuture<'_, Answered<Result<String, RawError>>>;
}

/// What a sandbox is given besides its task.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The first leash.
    pub leash: Leash,
    /// Bytes of linear memory and tables, all memories of the fork together.
    pub memory_bytes: u64,
    /// Bytes held by all live forks of the run, shared by them; growth beyond `memory_total_bytes` is refused.
    pub memory_in_use: Arc<AtomicU64>,
    /// Bytes that all live forks of the run may hold together.
    pub memory_total_bytes: u64,
    /// Bytes of the value that `run` returns.
    pub output_bytes: u64,
}

/// Resolves when the fork must stop, whatever it is doing; the orchestrator knows why.
pub type Stop = BoxFuture<'static, ()>;

/// How a sandbox ended, told apart by type; nothing here is text to be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// `run` returned ok with this text.
    Returned(String),
    /// `run` returned an error.
    Failed(RawError),
    /// The guest trapped; a word for people (`unreachable`, `integer divide by zero`, `stack overflow`).
    Trapped(String),
    /// The guest broke the calling convention: a bad pointer, bad UTF-8, a string over its cap.
    BadCall(String),
    /// What `run` returned is larger than the fork's cap on its output.
    OutputTooLarge {
        /// Bytes of what it returned.
        bytes: u64,
    },
    /// The component has no fitting `run`.
    MissingExport(String),
    /// The fork's fuel is gone.
    OutOfFuel,
    /// The guest computed up to its virtual deadline.
    DeadlineFuel,
    /// The port said [`Halt`].
    Halted,
    /// [`Stop`] resolved.
    Stopped,
    /// A panic in the host while serving this fork. The text stays on the host.
    Panicked(String),
    /// No slot in the pool although the gate admitted the fork: the host itself broke.
    Broken(String),
}

/// The end of a sandbox with its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub end: End,
    /// Fuel since the fork began; after a trap the running slice is charged whole.
    pub fuel_used: u64,
    /// Most bytes held at one time.
    pub peak_memory_bytes: u64,
    /// Which memory limit refused a growth, if one did: `memory` or `memory_total`.
    pub memory_refused: Option<&'static str>,
}

/// A loaded agent, ready to fork.
pub trait Agent: Send + Sync {
    /// Runs one fork in a sandbox of its own, made for it and dropped with it.
    fn run(&self, task: String, allowance: Allowance, port: Arc<dyn Port>, stop: Stop) -> BoxFuture<'static, Ended>;
}

/// What is wrong with a component: the agent's fault, found before anything ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unloadable {
    /// Names the import, the export, the section or the size.
    pub message: String,
    /// What to do about it, if there is something.
    pub hint: Option<String>,
    /// The component is well-formed but has no `run` of our type.
    pub is_missing_export: bool,
}

/// What a plan's entry says of how its component is to be loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoadOptions {
    /// An ordinary WASI component: it gets WASI with nothing behind it.
    pub wasi_denied: bool,
}

/// How much room each sandbox of an agent takes: the host has room for fewer of the large ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Footprint {
    /// Scripts and what is like them.
    #[default]
    Small,
    /// Language guests.
    Large,
}

/// The room below: bytes to agents. Loading the same bytes twice compiles once.
pub trait Runtime: Send + Sync {
    /// Checks and compiles a component off the async threads.
    fn load(&self, component: Arc<[u8]>) -> BoxFuture<'_, Result<Arc<dyn Agent>, Unloadable>>;

    /// As [`Self::load`], as the plan's entry says. A runtime that knows no options loads without them, which refuses whatever
    /// needs one.
    fn load_with(
        &self,
        component: Arc<[u8]>,
        options: LoadOptions,
    ) -> BoxFuture<'_, Result<Arc<dyn Agent>, Unloadable>> {
        let _ = options;
        self.load(component)
    }
}

/// Reads the list of tasks that a planner returned, as strictly as a written plan is read.
pub trait TaskReader: Send + Sync {
    /// The tasks of `{"tasks": [...]}`; they may also wait for those in `accepted`, by their ids.
    ///
    /// # Errors
    /// Every problem, one sentence each that names its place in the list.
    fn read(&self, output: &Value, accepted: &[&str]) -> Result<Vec<TaskSpec>, Vec<String>>;
}

/// Where the one event writer puts lines. Called from one place, in order of `seq`.
pub trait EventSink: Send {
    /// Takes one event. An error is a host fault: the log is part of the promise.
    ///
    /// # Errors
    /// When the line cannot be stored.
    fn write(&mut self, seq: u64, event: &Event) -> std::io::Result<()>;

    /// No more events are at hand right now: what was held back should go out.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    /// The run has ended and no event will come any more.
    ///
    /// # Errors
    /// When the log as a whole cannot be right.
    fn close(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where transcripts go, if they were asked for.
pub trait TranscriptSink: Send + Sync {
    /// Takes what one fork saw, at its end.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn write(&self, task: &TaskRef, thread: &Thread) -> std::io::Result<()>;
}
