//! What the applied events of each task amount to. It is the same whatever the order between threads, because nothing in it
//! depends on that order: each thread is folded by itself.

use crate::envelope::Envelope;
use std::collections::{BTreeMap, BTreeSet};

/// References kept by name in one task; more are counted only.
const TASK_REFS: usize = 1024;

/// The tasks of all runs, by run and task id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    tasks: BTreeMap<(String, String), TaskState>,
}

/// One task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskState {
    /// The threads of all agents that worked on it.
    pub threads: BTreeMap<String, ThreadState>,
    /// Versions that its events speak of.
    pub artifact_refs: BTreeSet<String>,
    /// The code of its refusal, if a request for it was refused.
    pub refused: Option<String>,
    /// It needs others, and all of that holds.
    pub is_join_fired: bool,
}

/// One agent's thread of one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadState {
    /// Events applied.
    pub events: u64,
    /// How it ended, if it has.
    pub ended: Option<String>,
}

impl TaskState {
    /// `refused`, `waiting` (nothing of it was applied), `running`, or how it ended; where several agents worked on it, the
    /// least finished of these.
    #[must_use]
    pub fn status(&self) -> &str {
        let running = self.threads.values().any(|thread| thread.ended.is_none());
        let ended = self.threads.values().filter_map(|thread| thread.ended.as_deref());
        // Of several ends the one that is not good is told.
        let told = ended.min_by_key(|status| matches!(*status, "ok" | "completed"));
        match (running, told, &self.refused) {
            (true, _, _) => "running",
            (false, Some(status), _) => status,
            (false, None, Some(_)) => "refused",
            (false, None, None) => "waiting",
        }
    }

    /// Events applied, over all of its threads.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.threads.values().map(|thread| thread.events).sum()
    }
}

impl State {
    /// Every task by run and id, in order.
    pub fn tasks(&self) -> impl Iterator<Item = (&str, &str, &TaskState)> {
        self.tasks.iter().map(|((run, task), state)| (run.as_str(), task.as_str(), state))
    }

    /// A task of a run, if anything is known of it.
    #[must_use]
    pub fn task(&self, run_id: &str, task_id: &str) -> Option<&TaskState> {
        self.tasks.get(&(run_id.to_owned(), task_id.to_owned()))
    }

    /// Takes one applied event. Must not be given one twice: that is what the ingest is for.
    pub fn apply(&mut self, event: &Envelope) {
        if matches!(event.event_type.as_str(), "spawn_refused" | "depth_limit")
            && let Some(task) = event.attrs.get("task_id").and_then(serde_json::Value::as_str)
        {
            let code = event.attrs.get("code").and_then(serde_json::Value::as_str).unwrap_or_default();
            self.at(&event.run_id, task).refused = Some(code.to_owned());
        }
        let task = self.at(&event.run_id, &event.task_id);
        for reference in event.artifact_refs.iter().cloned().chain(stored(event)) {
            task.artifact_refs.insert(reference);
            // The first by name are kept, so that which ones they are does not depend on the order either.
            if task.artifact_refs.len() > TASK_REFS {
                task.artifact_refs.pop_last();
            }
        }
        let thread = task.threads.entry(event.agent_id.clone()).or_default();
        thread.events += 1;
        if event.ends_task().is_some() || event.event_type == "run_finished" {
            thread.ended = Some(event.status().unwrap_or("ended").to_owned());
        }
    }

    /// A join's preconditions hold.
    pub fn fire(&mut self, run_id: &str, task_id: &str) {
        self.at(run_id, task_id).is_join_fired = true;
    }

    fn at(&mut self, run_id: &str, task_id: &str) -> &mut TaskState {
        self.tasks.entry((run_id.to_owned(), task_id.to_owned())).or_default()
    }
}

/// The reference of an artifact that was stored, which the event speaks of in parts.
fn stored(event: &Envelope) -> Option<String> {
    let name = event.attrs.get("name")?.as_str()?;
    let version = event.attrs.get("version")?.as_u64()?;
    (event.event_type == "artifact_put").then(|| format!("artifact://{name}/v{version}"))
}
