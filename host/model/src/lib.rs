//! The words of sandfork, and nothing else: no I/O, no clock, no tokio, no wasmtime.
//!
//! Every other room knows this one and none of the others. A lower room speaks upward only through a trait in [`port`].

pub mod agent;
pub mod artifact;
pub mod budget;
pub mod cap;
pub mod completion;
pub mod dependency;
pub mod digest;
pub mod event;
pub mod grant;
pub mod id;
pub mod limits;
pub mod manifest;
pub mod measures;
pub mod models;
pub mod outcome;
pub mod plan;
pub mod policy;
pub mod port;
pub mod record;
pub mod redact;
pub mod refusal;
pub mod request;
pub mod retry;
pub mod tool;

pub use agent::{AgentEntry, AgentSource, Cover};
pub use artifact::{Artifact, ArtifactFigures, ArtifactRef, ArtifactStore, MadeBy, NewArtifact};
pub use budget::{Amounts, Budget, Dimension, Shortfall};
pub use cap::Cap;
pub use completion::Completion;
pub use dependency::{Checkpoint, Dependency, Failure, Handed};
pub use digest::{Digest, sha256_hex};
pub use event::{Event, EventBody, EventId, EventType, MessageFacts, Standing};
pub use grant::Grant;
pub use id::{RunId, TaskPath, TaskRef};
pub use limits::{Ancestors, ForkLimits, RunLimits};
pub use manifest::{INTERFACE, MANIFEST_SECTION};
pub use measures::{Deliveries, Judged, Measures, Tasks};
pub use models::{
    BYTES_PER_TOKEN, Completed, ModelAnswer, ModelProvider, ModelRequest, ModelToolCall, Models, ScriptedReply,
    TokenUsage,
};
pub use outcome::{AgentError, Cause, Counts, Outcome, Status};
pub use plan::{Plan, PlannerSpec, ReviewSpec, Shape, TaskSpec};
pub use policy::{Floors, LoopDetector, OnShortage, Policy, Rounds, RunCap, ToolLimits, WaterLevels};
pub use port::{
    Agent, Allowance, BoxFuture, End, Ended, EventSink, Halt, Leash, Meter, Port, Runtime, Stop, TaskReader,
    TranscriptSink,
};
pub use port::{Answered, Footprint, LoadOptions, RawError, RawOutcome, RawRequest, Unloadable};
pub use record::{Conflict, Message, RunRecord, RunStatus, Thread, Usage};
pub use refusal::{Refusal, RefusalCode};
pub use request::{Ask, OnFailure, Request, RequestOptions, ReturnMode, SpawnOptions};
pub use retry::{RetryChange, RetrySpec};
pub use tool::{Reply, ToolCall, ToolProvider, ToolSpec};
