//! What an ingest says to one delivery. Data, and the words for it.

use crate::envelope::{Envelope, Malformed};
use std::fmt;

/// What a delivery came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It was applied, and with it whatever had waited for it.
    Applied(Applied),
    /// It is kept until what it waits for has come.
    Held {
        /// What is missing.
        waiting_for: WaitingFor,
    },
    /// It was there before: acknowledged, without effect. A copy under a new id takes up a place in its thread, so that what
    /// stands behind it may be applied now.
    Duplicate(Applied),
    /// Another content stands under the same id, key or place: rejected, without effect.
    Conflict(Clash),
    /// It cannot be taken; nothing of it is remembered, and it may come again.
    Refused(Refused),
}

/// What one delivery set free, in causal order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Events applied just now, each exactly once over the life of the ingest.
    pub events: Vec<Envelope>,
    /// Run and task of joins whose preconditions all hold as of now; each fires exactly once.
    pub joins: Vec<(String, String)>,
}

/// What a held event waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitingFor {
    /// Events of its own thread that have not come: `from..=to`.
    Sequence {
        /// First missing place.
        from: u64,
        /// Last missing place.
        to: u64,
    },
    /// Events that have come stand before it in its thread and wait themselves.
    Earlier {
        /// The place that waits.
        seq_no: u64,
    },
    /// The event that caused it.
    Cause {
        /// Its id.
        event_id: String,
    },
    /// Tasks that its task needs.
    Tasks {
        /// Their ids.
        task_ids: Vec<String>,
    },
}

impl fmt::Display for WaitingFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence { from, to } if from == to => write!(f, "seq_no {from} of its thread"),
            Self::Sequence { from, to } => write!(f, "seq_no {from} to {to} of its thread"),
            Self::Earlier { seq_no } => write!(f, "seq_no {seq_no} of its thread, which waits itself"),
            Self::Cause { event_id } => write!(f, "its cause {event_id}"),
            Self::Tasks { task_ids } => write!(f, "the tasks it needs: {}", task_ids.join(", ")),
        }
    }
}

/// Where two different contents met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// The same `event_id`.
    EventId,
    /// The same `idempotency_key`.
    IdempotencyKey,
    /// The same place in an agent's thread.
    Place,
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EventId => "another content came under this event_id",
            Self::IdempotencyKey => "another content came under this idempotency_key",
            Self::Place => "another event stands at this seq_no of the thread",
        })
    }
}

/// Why a delivery was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no event.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A bound of the ingest is met.
    #[error(transparent)]
    Full(#[from] Full),
}

/// Which bound is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} are used up ({limit}); deliver what the held events wait for first, or ingest in parts")]
pub struct Full {
    /// What there is too much of.
    pub what: &'static str,
    /// How much there may be.
    pub limit: u64,
}

/// Something to fetch once more from whoever has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// A gap in an agent's thread.
    Sequence {
        /// Which run.
        run_id: String,
        /// Which task.
        task_id: String,
        /// Which agent.
        agent_id: String,
        /// First missing place.
        from: u64,
        /// Last missing place.
        to: u64,
    },
    /// A cause that has not come.
    Event {
        /// Which run.
        run_id: String,
        /// Its id.
        event_id: String,
    },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence { run_id, task_id, agent_id, from, to } if from == to => {
                write!(f, "{run_id} {task_id} ({agent_id}): seq_no {from}")
            }
            Self::Sequence { run_id, task_id, agent_id, from, to } => {
                write!(f, "{run_id} {task_id} ({agent_id}): seq_no {from} to {to}")
            }
            Self::Event { run_id, event_id } => write!(f, "{run_id}: event {event_id}"),
        }
    }
}
