//! One line of the audit log: who, when, what, on whose account. Sizes and digests, never prompt or payload text.

use crate::artifact::ArtifactRef;
use crate::completion::Completion;
use crate::digest::sha256_hex;
use crate::id::TaskRef;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// Names an event within its run: a thread and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventId {
    /// Whose thread: [`TaskRef::thread_id`], which for a fork is its task id.
    pub task_id: Arc<str>,
    /// Place in that thread, from 1.
    pub seq_no: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt-{}-{}", self.task_id, self.seq_no)
    }
}

/// What happened, with the numbers that belong to it. One variant per type, so that a new one cannot be forgotten.
#[derive(Clone, Debug, PartialEq)]
pub enum EventBody {
    /// The run began.
    RunStarted { tasks: u64 },
    /// The run ended with this status.
    RunFinished { status: &'static str, tasks_used: u64 },
    /// A fork's clock started.
    SubagentFork { fuel: u64, tools: u64, queued_ns: u64 },
    /// A fork ended: its one terminal event.
    SubagentReturn {
        status: &'static str,
        code: Option<String>,
        fuel_used: u64,
        elapsed_ns: u64,
        output_bytes: u64,
        message: MessageFacts,
    },
    /// A request was refused (depth refusals are `DepthLimit`).
    SpawnRefused { agent: String, task_id: Arc<str>, code: &'static str },
    /// A request was refused for its depth.
    DepthLimit { agent: String, task_id: Arc<str>, depth: u32, max_depth: u64 },
    /// A tool was called.
    ToolCall { tool: Arc<str>, argument_bytes: u64 },
    /// A tool answered.
    ToolResult { tool: Arc<str>, is_ok: bool, result_bytes: u64, code: Option<String> },
    /// A model was called and answered.
    ModelCall { turn: u64, is_ok: bool, input_tokens: u64, output_tokens: u64 },
    /// A note was written.
    Note { bytes: u64 },
    /// A child's budget was taken from its parent's.
    BudgetReserved { fuel: u64, turns: u64 },
    /// What a child did not spend came back.
    BudgetReturned { fuel: u64, turns: u64 },
    /// Consumption passed a mark of the run's cap.
    WaterLevel { dimension: &'static str, percent: u64 },
    /// The run's fuse went: no new spawns.
    Fused { reason: String },
    /// A fork goes in circles.
    LoopDetected { tool: String },
    /// A text was cut to its limit.
    Truncated { what: &'static str, bytes: u64, limit: u64 },
    /// Two outcomes disagree on a key.
    MergeConflict { key: String, kept_task_id: String, rejected_task_id: String },
    /// An artifact was stored.
    ArtifactPut { name: String, version: u64, bytes: u64, sha256: String },
    /// A fork was told to stop.
    Cancelled { reason: &'static str },
    /// An answer came after its fork had ended.
    LateResultDropped { tool: String, late_ns: u64 },
    /// A planner's list was taken: how many tasks, and after how many replans.
    Planned { tasks: u64, replan: u64 },
    /// A reviewer's verdict on one attempt at a task.
    Reviewed { task_id: Arc<str>, attempt: u64, verdict: &'static str },
}

/// What the log says of the message that a task's end sends upward (GV-12): sizes, counts and a digest, never its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFacts {
    /// Bytes of the summary; 0 without one.
    pub summary_bytes: u64,
    /// Digest of the summary, lower-case hex; `None` without one.
    pub summary_sha256: Option<String>,
    /// References to evidence.
    pub evidence_refs: u64,
    /// Things left open.
    pub unresolved: u64,
}

impl MessageFacts {
    /// Counts a message.
    #[must_use]
    pub fn of(message: &Completion<'_>) -> Self {
        let count = |list: &[&str]| u64::try_from(list.len()).unwrap_or(u64::MAX);
        Self {
            summary_bytes: message.summary.map_or(0, |text| u64::try_from(text.len()).unwrap_or(u64::MAX)),
            summary_sha256: message.summary.map(|text| sha256_hex(text.as_bytes())),
            evidence_refs: count(&message.evidence_refs),
            unresolved: count(&message.unresolved),
        }
    }
}

/// The type of an event, by its name in the log.
pub type EventType = &'static str;

impl EventBody {
    /// Every event type, by its name in the log; [`Self::ordinal`] indexes it.
    pub const TYPES: [EventType; 22] = [
        "run_started",
        "run_finished",
        "subagent_fork",
        "subagent_return",
        "spawn_refused",
        "depth_limit",
        "tool_call",
        "tool_result",
        "model_call",
        "note",
        "budget_reserved",
        "budget_returned",
        "water_level",
        "fused",
        "loop_detected",
        "truncated",
        "merge_conflict",
        "artifact_put",
        "cancelled",
        "late_result_dropped",
        "planned",
        "reviewed",
    ];

    /// The event's place in [`Self::TYPES`].
    #[must_use]
    pub fn ordinal(&self) -> usize {
        match self {
            Self::RunStarted { .. } => 0,
            Self::RunFinished { .. } => 1,
            Self::SubagentFork { .. } => 2,
            Self::SubagentReturn { .. } => 3,
            Self::SpawnRefused { .. } => 4,
            Self::DepthLimit { .. } => 5,
            Self::ToolCall { .. } => 6,
            Self::ToolResult { .. } => 7,
            Self::ModelCall { .. } => 8,
            Self::Note { .. } => 9,
            Self::BudgetReserved { .. } => 10,
            Self::BudgetReturned { .. } => 11,
            Self::WaterLevel { .. } => 12,
            Self::Fused { .. } => 13,
            Self::LoopDetected { .. } => 14,
            Self::Truncated { .. } => 15,
            Self::MergeConflict { .. } => 16,
            Self::ArtifactPut { .. } => 17,
            Self::Cancelled { .. } => 18,
            Self::LateResultDropped { .. } => 19,
            Self::Planned { .. } => 20,
            Self::Reviewed { .. } => 21,
        }
    }

    /// The event's type.
    #[must_use]
    pub fn event_type(&self) -> EventType {
        Self::TYPES.get(self.ordinal()).copied().unwrap_or_default()
    }

    /// The event's numbers, as the `attrs` of its line.
    #[must_use]
    pub fn attrs(&self) -> Value {
        match self {
            Self::RunStarted { tasks } => json!({ "tasks": tasks }),
            Self::RunFinished { status, tasks_used } => json!({ "status": status, "tasks_used": tasks_used }),
            Self::SubagentFork { fuel, tools, queued_ns } => {
                json!({ "fuel": fuel, "tools": tools, "queued_ms": millis(*queued_ns) })
            }
            Self::SubagentReturn { status, code, fuel_used, elapsed_ns, output_bytes, message } => json!({
                "status": status, "code": code, "fuel_used": fuel_used,
                "elapsed_ms": millis(*elapsed_ns), "output_bytes": output_bytes,
                "summary_bytes": message.summary_bytes, "summary_sha256": message.summary_sha256,
                "evidence_refs": message.evidence_refs, "unresolved": message.unresolved,
            }),
            Self::SpawnRefused { agent, task_id, code } => {
                json!({ "agent": agent, "task_id": &**task_id, "code": code })
            }
            Self::DepthLimit { agent, task_id, depth, max_depth } => json!({
                "agent": agent, "task_id": &**task_id, "code": "delegation_depth_exceeded",
                "depth": depth, "max_depth": max_depth,
            }),
            Self::ToolCall { tool, argument_bytes } => json!({ "tool": &**tool, "argument_bytes": argument_bytes }),
            Self::ToolResult { tool, is_ok, result_bytes, code } => {
                json!({ "tool": &**tool, "ok": is_ok, "result_bytes": result_bytes, "code": code })
            }
            Self::ModelCall { turn, is_ok, input_tokens, output_tokens } => json!({
                "turn": turn, "ok": is_ok, "input_tokens": input_tokens, "output_tokens": output_tokens,
            }),
            Self::Note { bytes } => json!({ "bytes": bytes }),
            Self::BudgetReserved { fuel, turns } | Self::BudgetReturned { fuel, turns } => {
                json!({ "fuel": fuel, "turns": turns })
            }
            Self::WaterLevel { dimension, percent } => json!({ "dimension": dimension, "percent": percent }),
            Self::Fused { reason } => json!({ "reason": reason }),
            Self::LoopDetected { tool } => json!({ "tool": tool }),
            Self::Truncated { what, bytes, limit } => json!({ "what": what, "bytes": bytes, "limit": limit }),
            Self::MergeConflict { key, kept_task_id, rejected_task_id } => json!({
                "key": key, "kept_task_id": kept_task_id, "rejected_task_id": rejected_task_id,
            }),
            Self::ArtifactPut { name, version, bytes, sha256 } => {
                json!({ "name": name, "version": version, "bytes": bytes, "sha256": sha256 })
            }
            Self::Cancelled { reason } => json!({ "reason": reason }),
            Self::LateResultDropped { tool, late_ns } => json!({ "tool": tool, "late_ms": millis(*late_ns) }),
            Self::Planned { tasks, replan } => json!({ "tasks": tasks, "replan": replan }),
            Self::Reviewed { task_id, attempt, verdict } => {
                json!({ "task_id": &**task_id, "attempt": attempt, "verdict": verdict })
            }
        }
    }
}

/// Nanoseconds as milliseconds, the unit of every time in events and reports.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "a run of 104 days still has microseconds")]
pub fn millis(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// One event before the writer gives it its `seq`.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Whose thread it belongs to.
    pub task: Arc<TaskRef>,
    /// Its place in that thread, from 1.
    pub seq_no: u64,
    /// Which event of which thread caused it; `None` for the first of the run.
    pub cause: Option<EventId>,
    /// When, on the run's clock, nanoseconds since its start. Never a cause.
    pub at_ns: u64,
    /// What.
    pub body: EventBody,
    /// Artifacts it speaks of.
    pub artifact_refs: Vec<String>,
    /// How its fork stood then; `None` for the run's own events. For whoever watches: it is no part of the log's line.
    pub standing: Option<Standing>,
}

/// What a fork had used, and until when it may go on, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Fuel charged so far.
    pub fuel_used: u64,
    /// When its time is up, on the run's clock; `u64::MAX` before its clock started. It moves away while the fork waits for
    /// a slot to resume in.
    pub deadline_ns: u64,
}

impl Event {
    /// The thread it stands in.
    #[must_use]
    pub fn thread(&self) -> &Arc<str> {
        &self.task.thread_id
    }

    /// Its name within the run.
    #[must_use]
    pub fn id(&self) -> EventId {
        EventId { task_id: Arc::clone(self.thread()), seq_no: self.seq_no }
    }

    /// What makes a second delivery of it recognisable (GV-17, GV-18). A task ends once: the key of its end says how, and
    /// on which version of its first artifact (1 where it has none), as in `inspect-payment-logs:completed:v3`.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        match &self.body {
            EventBody::SubagentReturn { status, .. } => {
                let first = self.artifact_refs.first().and_then(|text| ArtifactRef::parse(text));
                let word = if *status == "ok" { "completed" } else { status };
                format!("{}:{word}:v{}", self.task.task_id, first.map_or(1, |reference| reference.version))
            }
            body => format!("{}:{}:{}", self.thread(), body.event_type(), self.seq_no),
        }
    }

    /// The envelope of DESIGN section 7, one object per line of the log; `seq` is arrival.
    #[must_use]
    pub fn to_json(&self, seq: u64) -> Value {
        let mut line = Map::new();
        line.insert("event_id".into(), self.id().to_string().into());
        line.insert("run_id".into(), (&*self.task.run.id).into());
        line.insert("task_id".into(), (&*self.task.task_id).into());
        line.insert("parent_task_id".into(), self.task.parent_task_id.as_deref().into());
        line.insert("agent".into(), (&*self.task.agent).into());
        line.insert("agent_id".into(), self.task.agent_id().into());
        line.insert("depth".into(), self.task.depth.into());
        line.insert("seq".into(), seq.into());
        line.insert("seq_no".into(), self.seq_no.into());
        line.insert("parent_event_id".into(), self.cause.as_ref().map(EventId::to_string).into());
        line.insert("idempotency_key".into(), self.idempotency_key().into());
        line.insert("event_type".into(), self.body.event_type().into());
        line.insert("ts".into(), json!(millis(self.at_ns)));
        line.insert("attrs".into(), self.body.attrs());
        line.insert("artifact_refs".into(), self.artifact_refs.clone().into());
        Value::Object(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::RunId;

    fn event(body: EventBody, artifact_refs: &[&str]) -> Event {
        let run = RunId { name: "incident-20260908".into(), id: "incident-20260908".into() };
        Event {
            task: Arc::new(TaskRef::top(&run, "inspect-payment-logs", "logs", 1)),
            seq_no: 7,
            cause: Some(EventId { task_id: "inspect-payment-logs".into(), seq_no: 6 }),
            at_ns: 0,
            body,
            artifact_refs: artifact_refs.iter().map(|&text| text.to_owned()).collect(),
            standing: None,
        }
    }

    fn returned(status: &'static str) -> EventBody {
        let message = MessageFacts::default();
        EventBody::SubagentReturn { status, code: None, fuel_used: 0, elapsed_ns: 0, output_bytes: 0, message }
    }

    // GV-17, GV-18
    #[test]
    fn the_key_of_a_tasks_end_says_how_it_ended_and_on_which_version() {
        let line = event(returned("ok"), &["artifact://payment-log-analysis/v3"]).to_json(1);
        assert_eq!(line["idempotency_key"], "inspect-payment-logs:completed:v3");
        assert_eq!(line["artifact_refs"], json!(["artifact://payment-log-analysis/v3"]));
        assert_eq!((&line["seq_no"], &line["parent_event_id"]), (&json!(7), &json!("evt-inspect-payment-logs-6")));
        assert_eq!(event(returned("ok"), &[]).idempotency_key(), "inspect-payment-logs:completed:v1");
        assert_eq!(event(returned("timeout"), &[]).idempotency_key(), "inspect-payment-logs:timeout:v1");
        assert_eq!(event(EventBody::Note { bytes: 1 }, &[]).idempotency_key(), "inspect-payment-logs:note:7");
    }
}
