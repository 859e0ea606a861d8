//! What the applied events of each task amount to. It is the same whatever the order between threads, because nothing in it
//! depends on that order: each thread is folded by itself. Bounded: of names longer than an envelope's, and of more tasks and
//! references than it may keep, it takes no note.

use crate::envelope::Envelope;
use crate::limits::{NAME_BYTES, STATE_REFS, STATE_TASKS, TASK_REFS};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The tasks of all runs, by run and task id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    tasks: BTreeMap<(String, String), TaskState>,
    /// Tasks that have references, and how many there are in all.
    holders: BTreeSet<(String, String)>,
    refs: usize,
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
            && let Some(task) = named(event, "task_id")
            && (self.tasks.len() < STATE_TASKS || self.task(&event.run_id, task).is_some())
        {
            self.at(&event.run_id, task).refused = Some(named(event, "code").unwrap_or_default().to_owned());
        }
        self.note_references(event);
        let task = self.at(&event.run_id, &event.task_id);
        let thread = task.threads.entry(event.agent_id.clone()).or_default();
        thread.events += 1;
        if event.ends_task().is_some() || event.event_type == "run_finished" {
            let status = event.status().filter(|status| status.len() <= NAME_BYTES);
            thread.ended = Some(status.unwrap_or("ended").to_owned());
        }
    }

    /// A join's preconditions hold.
    pub fn fire(&mut self, run_id: &str, task_id: &str) {
        self.at(run_id, task_id).is_join_fired = true;
    }

    /// The first by task and name are kept, so that which ones they are does not depend on the order either.
    fn note_references(&mut self, event: &Envelope) {
        for reference in event.artifact_refs.iter().cloned().chain(stored(event)) {
            let task = self.at(&event.run_id, &event.task_id);
            let is_new = task.artifact_refs.insert(reference);
            let is_over = task.artifact_refs.len() > TASK_REFS && task.artifact_refs.pop_last().is_some();
            if is_new && !is_over {
                self.refs += 1;
                self.holders.insert((event.run_id.clone(), event.task_id.clone()));
            }
            if self.refs > STATE_REFS {
                self.drop_last_reference();
            }
        }
    }

    fn drop_last_reference(&mut self) {
        let Some(last) = self.holders.last().cloned() else { return };
        let task = self.at(&last.0, &last.1);
        self.refs -= usize::from(task.artifact_refs.pop_last().is_some());
        if self.at(&last.0, &last.1).artifact_refs.is_empty() {
            self.holders.remove(&last);
        }
    }

    fn at(&mut self, run_id: &str, task_id: &str) -> &mut TaskState {
        self.tasks.entry((run_id.to_owned(), task_id.to_owned())).or_default()
    }
}

/// A name that the event gives among its numbers, if it is one.
fn named<'a>(event: &'a Envelope, key: &str) -> Option<&'a str> {
    event.attrs.get(key).and_then(Value::as_str).filter(|name| name.len() <= NAME_BYTES)
}

/// The reference of an artifact that was stored, which the event speaks of in parts.
fn stored(event: &Envelope) -> Option<String> {
    let version = event.attrs.get("version")?.as_u64()?;
    let name = named(event, "name")?;
    (event.event_type == "artifact_put").then(|| format!("artifact://{name}/v{version}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(task: &str, kind: &str, attrs: &Value, refs: &[String]) -> Envelope {
        let line = json!({
            "event_id": "e", "run_id": "r", "task_id": task, "agent_id": "a", "seq_no": 1, "idempotency_key": "k",
            "event_type": kind, "attrs": attrs, "artifact_refs": refs,
        });
        Envelope::read(&line.to_string()).expect("an event")
    }

    fn refs(from: usize) -> Vec<String> {
        (from..from + 256).map(|n| format!("artifact://n{n:06}/v1")).collect()
    }

    // HOSTILE 36: a log of references cannot make its reader grow, and what is kept is the same in any order
    #[test]
    fn a_state_keeps_so_many_references_and_the_same_ones_in_any_order() {
        let tasks: Vec<String> = (0..STATE_REFS / TASK_REFS + 8).map(|n| format!("t{n:04}")).collect();
        let fold = |names: &mut dyn Iterator<Item = (&String, usize)>| {
            let mut state = State::default();
            for (task, from) in names {
                state.apply(&event(task, "note", &json!({}), &refs(from)));
            }
            let kept: Vec<BTreeSet<String>> = state.tasks().map(|(_, _, task)| task.artifact_refs.clone()).collect();
            assert_eq!((state.refs, kept.iter().map(BTreeSet::len).sum::<usize>()), (STATE_REFS, STATE_REFS));
            assert!(kept.iter().all(|refs| refs.len() <= TASK_REFS));
            kept
        };
        let starts = [512, 0, 1024, 256, 768];
        let all = || tasks.iter().flat_map(|task| starts.map(|from| (task, from)));
        let backwards: Vec<_> = all().collect();
        assert_eq!(fold(&mut all()), fold(&mut backwards.into_iter().rev()));
    }

    // HOSTILE 36
    #[test]
    fn what_is_no_name_is_not_kept_however_it_comes() {
        let long = "x".repeat(NAME_BYTES + 1);
        let mut state = State::default();
        state.apply(&event("t", "spawn_refused", &json!({ "task_id": long, "code": "c" }), &[]));
        state.apply(&event("t", "spawn_refused", &json!({ "task_id": "u", "code": long }), &[]));
        state.apply(&event("t", "artifact_put", &json!({ "name": long, "version": 1 }), &[]));
        state.apply(&event("t", "subagent_return", &json!({ "status": long }), &[]));
        let tasks: Vec<&str> = state.tasks().map(|(_, task, _)| task).collect();
        assert_eq!(tasks, ["t", "u"]);
        let task = state.task("r", "t").expect("there");
        assert_eq!((task.status(), task.artifact_refs.len()), ("ended", 0));
        for n in 0..=STATE_TASKS {
            state.apply(&event("t", "spawn_refused", &json!({ "task_id": format!("r{n}"), "code": "c" }), &[]));
        }
        assert_eq!(state.tasks().count(), STATE_TASKS);
    }
}
