//! The tree and its pictures, from events as the orchestrator writes them.

use super::frame::frame;
use super::layout::{Layout, Size};
use super::node::Tally;
use super::tree::Tree;
use sandfork_model::{Event, EventBody, MessageFacts, RunId, Standing, TaskRef};
use std::sync::Arc;

mod pictures;
mod terminal;

const TALL: Size = Size { rows: 24, cols: 80 };
const SMALL: Size = Size { rows: 10, cols: 40 };
const MS: u64 = 1_000_000;

fn run() -> RunId {
    RunId { name: "demo".into(), id: "demo-1".into() }
}

/// A tree that is told what happens.
struct Told(Tree);

impl Told {
    fn new() -> Self {
        let mut told = Self(Tree::default());
        told.tell(&Arc::new(TaskRef::orchestrator(&run())), EventBody::RunStarted { tasks: 1 });
        told
    }

    fn tell(&mut self, task: &Arc<TaskRef>, body: EventBody) {
        let standing = Some(Standing { fuel_used: 1_234, deadline_ns: 10_000 * MS });
        let task = Arc::clone(task);
        self.0.take(&Event { task, seq_no: 1, cause: None, at_ns: 0, body, artifact_refs: Vec::new(), standing });
    }

    /// A request of `parent`, or of the plan, is admitted.
    fn admit(&mut self, parent: Option<&Arc<TaskRef>>) {
        let asker = parent.map_or_else(|| Arc::new(TaskRef::orchestrator(&run())), Arc::clone);
        self.tell(&asker, EventBody::BudgetReserved { fuel: 1, turns: 1 });
    }

    fn start(&mut self, task: &Arc<TaskRef>) {
        self.tell(task, EventBody::SubagentFork { fuel: 640_000_000, tools: 0, queued_ns: 0 });
    }

    fn end(&mut self, task: &Arc<TaskRef>, status: &'static str) {
        let (fuel_used, elapsed_ns, output_bytes, message) = (1_234, MS, 0, MessageFacts::default());
        self.tell(task, EventBody::SubagentReturn { status, code: None, fuel_used, elapsed_ns, output_bytes, message });
    }

    /// A root that has forked `children`, none of which has started.
    fn with_children(children: u32) -> (Self, Arc<TaskRef>, Vec<Arc<TaskRef>>) {
        let mut told = Self::new();
        let root = Arc::new(TaskRef::top(&run(), "root", "lead", 0));
        told.admit(None);
        told.start(&root);
        let children: Vec<_> = (0..children).map(|n| Arc::new(root.child("worker", n, None))).collect();
        for _ in &children {
            told.admit(Some(&root));
        }
        (told, root, children)
    }

    fn picture(&self, size: Size, layout: &mut Layout) -> Vec<String> {
        frame(&self.0, 2_500 * MS, size, layout).iter().map(|line| line.text().trim_end().to_owned()).collect()
    }

    fn first_picture(&self, size: Size) -> String {
        self.picture(size, &mut Layout::default()).join("\n")
    }
}

#[test]
fn every_fork_is_counted_once_whatever_becomes_of_it() {
    let (mut told, root, children) = Told::with_children(5);
    assert_eq!((told.0.totals().in_spawn, told.0.totals().waiting), (1, 5));
    for child in &children[..3] {
        told.start(child);
    }
    assert_eq!((told.0.totals().running, told.0.totals().waiting), (3, 2));
    for (child, status) in children.iter().zip(["ok", "out_of_fuel", "cancelled", "cancelled"]) {
        told.end(child, status);
    }
    told.tell(&root, EventBody::SpawnRefused { agent: "x".into(), task_id: "root/6".into(), code: "host_full" });
    let totals = *told.0.totals();
    assert_eq!((totals.running, totals.in_spawn, totals.waiting), (0, 1, 1));
    assert_eq!(totals.ended, Tally { ok: 1, failed: 1, cancelled: 2, refused: 1 });
    told.end(&children[4], "cancelled");
    assert_eq!((told.0.totals().running, told.0.totals().in_spawn), (1, 0), "the root goes on");
    told.end(&root, "ok");
    assert_eq!((told.0.totals().running, told.0.totals().waiting), (0, 0));
}

#[test]
fn a_run_of_any_length_holds_no_more_than_it_has_alive() {
    let (mut told, _, children) = Told::with_children(10_000);
    for pair in children.chunks(2) {
        pair.iter().for_each(|child| told.start(child));
        pair.iter().for_each(|child| told.end(child, "ok"));
        assert!(told.0.len() <= 66, "{}", told.0.len());
    }
    assert_eq!(told.0.len(), 2, "the run and its root");
    assert_eq!(told.0.totals().ended.ok, 10_000);
}

#[test]
fn news_of_a_fork_that_is_no_longer_known_changes_nothing() {
    let (mut told, root, children) = Told::with_children(1);
    told.start(&children[0]);
    told.end(&children[0], "ok");
    let before = *told.0.totals();
    told.tell(&children[0], EventBody::LateResultDropped { tool: "slow".into(), late_ns: 1 });
    let stranger = Arc::new(root.child("worker", 99, None).child("worker", 0, None));
    told.tell(&stranger, EventBody::ModelCall { turn: 1, is_ok: true, input_tokens: 0, output_tokens: 0 });
    assert_eq!(*told.0.totals(), before);
}
