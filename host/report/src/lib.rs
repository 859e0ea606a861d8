//! Outcomes and events to words and JSON. A pure fold over what the orchestrator hands over; it decides nothing, measures
//! nothing and knows no engine. The only files it writes are those its caller names.

pub mod compare;
pub mod document;
pub mod event_lines;
pub mod event_log;
pub mod failure;
pub mod hint;
pub mod judging;
pub mod metrics;
pub mod plain;
pub mod progress;
pub mod publish;
pub mod result;
pub mod schema;
pub mod summary;
pub mod transcript;

pub use compare::Comparison;
pub use document::{EngineFacts, RunFacts, report};
pub use event_lines::{Copies, EventLines};
pub use event_log::{EventLog, read_events};
pub use failure::{Failure, Problem};
pub use judging::{JudgeSink, Judging};
pub use progress::ProgressLines;
pub use summary::summary;
pub use transcript::TranscriptDir;
