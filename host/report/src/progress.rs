//! Plain lines for people who watch: one when a fork starts, one when it ends, one for each refusal. Nothing else of the
//! log is news.

use crate::plain::{duration, plain};
use sandfork_model::redact::redact;
use sandfork_model::{Event, EventBody, EventSink};
use std::io::{self, Write};

/// Words events into `W`. Watching is a courtesy: where the line cannot be written the run goes on.
#[derive(Debug)]
pub struct ProgressLines<W> {
    out: W,
}

impl<W: Write + Send> ProgressLines<W> {
    /// Writes into `out`, one write a line.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> EventSink for ProgressLines<W> {
    fn write(&mut self, _seq: u64, event: &Event) -> io::Result<()> {
        if let Some(line) = line(event) {
            let _ = self.out.write_all(line.as_bytes());
        }
        Ok(())
    }
}

/// The line of one event, with its line break; `None` for what is no news.
#[must_use]
pub fn line(event: &Event) -> Option<String> {
    let news = match &event.body {
        EventBody::SubagentFork { queued_ns, .. } => {
            let who = who(&event.task.task_id, &event.task.agent);
            match queued_ns {
                0..1_000_000 => format!("{who} started"),
                _ => format!("{who} started after waiting {}", duration(*queued_ns)),
            }
        }
        EventBody::SubagentReturn { status, code, elapsed_ns, .. } => {
            let who = who(&event.task.task_id, &event.task.agent);
            match code {
                Some(code) if code != status => {
                    format!("{who} {status} after {} ({})", duration(*elapsed_ns), plain(code))
                }
                Some(_) | None => format!("{who} {status} after {}", duration(*elapsed_ns)),
            }
        }
        EventBody::SpawnRefused { agent, task_id, code } => format!("{} refused ({code})", who(task_id, agent)),
        EventBody::DepthLimit { agent, task_id, depth, max_depth } => {
            format!("{} refused (delegation_depth_exceeded: depth {depth}, limit {max_depth})", who(task_id, agent))
        }
        EventBody::RunStarted { .. }
        | EventBody::RunFinished { .. }
        | EventBody::ToolCall { .. }
        | EventBody::ToolResult { .. }
        | EventBody::ModelCall { .. }
        | EventBody::Note { .. }
        | EventBody::BudgetReserved { .. }
        | EventBody::BudgetReturned { .. }
        | EventBody::WaterLevel { .. }
        | EventBody::Fused { .. }
        | EventBody::LoopDetected { .. }
        | EventBody::Truncated { .. }
        | EventBody::MergeConflict { .. }
        | EventBody::ArtifactPut { .. }
        | EventBody::Cancelled { .. }
        | EventBody::LateResultDropped { .. } => return None,
        EventBody::Planned { tasks, replan: 0 } => format!("planned {tasks} tasks"),
        EventBody::Planned { tasks, replan } => format!("planned {tasks} tasks (replan {replan})"),
        EventBody::Reviewed { task_id, attempt, verdict } => {
            format!("{task_id} reviewed: {verdict} (attempt {attempt})")
        }
    };
    let ms = event.at_ns / 1_000_000;
    Some(format!("[{:>4}.{:03} s] {}\n", ms / 1_000, ms % 1_000, redact(&news)))
}

fn who(task_id: &str, agent: &str) -> String {
    format!("{} ({})", plain(task_id), plain(agent))
}
