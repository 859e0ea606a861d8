//! The tree of forks as its events tell it. Every event costs one or two steps in a map; counts are kept, never counted
//! anew. Forks that ended are forgotten one by one once there are too many to show, so that a run of any length holds no
//! more here than it has alive.

use super::node::{Node, State, Tally};
use sandfork_model::{Event, EventBody, TaskPath};
use std::collections::BTreeMap;

/// Forks that a run may have had for its ended ones to be kept: about what a terminal has lines.
const KEPT_FORKS: u64 = 64;

/// Counts of the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) running: u64,
    pub(super) in_spawn: u64,
    pub(super) waiting: u64,
    pub(super) ended: Tally,
}

/// The forks of one run.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// By place: whoever walks this walks the tree depth first, in request order, the run itself first.
    nodes: BTreeMap<TaskPath, Node>,
    totals: Totals,
    /// Forks that ever started.
    started: u64,
    is_finished: bool,
}

impl Tree {
    /// Takes one event.
    pub(super) fn take(&mut self, event: &Event) {
        let place = &event.task.path;
        match &event.body {
            EventBody::RunStarted { .. } => {
                self.nodes.insert(place.clone(), Node::new(event.task.clone(), 0));
            }
            EventBody::RunFinished { .. } => self.is_finished = true,
            EventBody::BudgetReserved { .. } => {
                self.totals.waiting += 1;
                self.change(place, |node| node.waiting += 1);
            }
            EventBody::SubagentFork { fuel, .. } => self.begin(event, *fuel),
            EventBody::SubagentReturn { status, .. } => self.end(place, status),
            EventBody::SpawnRefused { .. } | EventBody::DepthLimit { .. } => {
                self.totals.ended.refused += 1;
                self.change(place, |node| node.ended.refused += 1);
            }
            EventBody::ModelCall { turn, .. } => self.change(place, |node| node.turns = *turn),
            EventBody::ToolCall { .. }
            | EventBody::ToolResult { .. }
            | EventBody::Note { .. }
            | EventBody::BudgetReturned { .. }
            | EventBody::WaterLevel { .. }
            | EventBody::Fused { .. }
            | EventBody::LoopDetected { .. }
            | EventBody::Truncated { .. }
            | EventBody::MergeConflict { .. }
            | EventBody::ArtifactPut { .. }
            | EventBody::Cancelled { .. }
            | EventBody::LateResultDropped { .. }
            | EventBody::Planned { .. }
            | EventBody::Reviewed { .. } => {}
        }
        if let Some(standing) = event.standing
            && let Some(node) = self.nodes.get_mut(place)
        {
            node.fuel_used = standing.fuel_used;
            node.deadline_ns = standing.deadline_ns;
        }
    }

    /// Every fork that may be shown, depth first, the run itself first.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values()
    }

    /// How many of them there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether those that ended are still among them.
    pub(super) fn keeps_ended(&self) -> bool {
        self.started <= KEPT_FORKS
    }

    pub(super) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn begin(&mut self, event: &Event, fuel: u64) {
        self.started += 1;
        if self.started == KEPT_FORKS + 1 {
            self.nodes.retain(|_, node| node.end.is_none());
        }
        self.totals.running += 1;
        self.nodes.insert(event.task.path.clone(), Node::new(event.task.clone(), fuel));
        self.totals.waiting = self.totals.waiting.saturating_sub(1);
        self.change_parent(&event.task.path, |parent| {
            parent.waiting = parent.waiting.saturating_sub(1);
            parent.alive += 1;
        });
    }

    fn end(&mut self, place: &TaskPath, status: &'static str) {
        self.totals.ended.count(status);
        let has_started = self.nodes.get(place).is_some_and(|node| node.end.is_none());
        if has_started {
            self.change(place, |node| node.end = Some(status));
            if !self.keeps_ended() {
                self.nodes.remove(place);
            }
        } else {
            self.totals.waiting = self.totals.waiting.saturating_sub(1);
        }
        self.change_parent(place, |parent| {
            let open = if has_started { &mut parent.alive } else { &mut parent.waiting };
            *open = open.saturating_sub(1);
            parent.ended.count(status);
        });
    }

    fn change_parent(&mut self, place: &TaskPath, change: impl FnOnce(&mut Node)) {
        if let Some(parent) = place.parent() {
            self.change(&parent, change);
        }
    }

    /// Changes one node and the totals with it. A fork that is no longer known changes nothing.
    fn change(&mut self, place: &TaskPath, change: impl FnOnce(&mut Node)) {
        let Some(node) = self.nodes.get_mut(place) else { return };
        let before = node.state();
        change(node);
        let after = node.state();
        // The run itself is no fork and is counted nowhere.
        if *place != TaskPath::above_all() && before != after {
            if let Some(count) = self.totals.of(before) {
                *count = count.saturating_sub(1);
            }
            if let Some(count) = self.totals.of(after) {
                *count += 1;
            }
        }
    }
}

impl Totals {
    fn of(&mut self, state: State) -> Option<&mut u64> {
        match state {
            State::Running => Some(&mut self.running),
            State::InSpawn => Some(&mut self.in_spawn),
            State::Ended(_) => None,
        }
    }
}
