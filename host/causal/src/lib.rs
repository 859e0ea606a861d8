//! Deliveries of events to applied events: whatever the order, the number of copies and the delay, every event is applied
//! once, after everything that it follows from. Knows the words; reads no file and no clock.
//!
//! Three steps stand between a delivery and its effect: it is new (by event id and by idempotency key), it is next in its
//! agent's thread (`seq_no` has no gap), and what it follows from has been applied (its `parent_event_id`, and the tasks that
//! its task needs). What fails the first step is acknowledged and does nothing, or is a conflict; what fails the others is
//! held in a bounded inbox. Time stamps and arrival are never compared.

mod answer;
mod content;
mod envelope;
mod ingest;
mod limits;
mod needs;
mod own_log;
mod sink;
mod state;
mod threads;

pub use answer::{Answer, Applied, Clash, Full, Missing, Refused, WaitingFor};
pub use envelope::{Envelope, Malformed};
pub use ingest::Ingest;
pub use limits::Limits;
pub use needs::{Cycle, Needs, TaskNeeds};
pub use own_log::{OwnLog, Violation};
pub use sink::CausalSink;
pub use state::{State, TaskState, ThreadState};
