//! Runs the founding documents' scenarios for real and reads what came of them. Every figure below comes from a run; none is
//! written down here but the expectations it is held against.

use sandfork::model::event::Event;
use sandfork::model::record::Thread;
use sandfork::model::{EventSink, RunRecord, Status, TaskRef, TranscriptSink};
use sandfork::{Finished, Host, HostError, Overrides, RunOptions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// One run with everything it left behind.
pub(crate) struct Scene {
    pub(crate) record: RunRecord,
    pub(crate) report: Value,
    pub(crate) events: Vec<Value>,
    pub(crate) threads: BTreeMap<String, Thread>,
}

/// All scenes that the evidence rests on.
pub(crate) struct Scenes {
    pub(crate) research: Scene,
    pub(crate) guarded: Scene,
    pub(crate) unguarded: Scene,
    pub(crate) fan_out: Scene,
    pub(crate) stale: Scene,
    pub(crate) conflict: Scene,
    pub(crate) propagate: Scene,
    pub(crate) skip: Scene,
    pub(crate) unknown: Scene,
    pub(crate) two_modules: Scene,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<Value>>>);

impl EventSink for Lines {
    fn write(&mut self, seq: u64, event: &Event) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.to_json(seq));
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Threads(Arc<Mutex<BTreeMap<String, Thread>>>);

impl TranscriptSink for Threads {
    fn write(&self, task: &TaskRef, thread: &Thread) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(task.task_id.to_string(), thread.clone());
        Ok(())
    }
}

impl Scenes {
    /// Plays every scene in virtual time, from the plans under `fixtures`.
    pub(crate) async fn play(host: &Host, fixtures: &Path) -> Result<Self, HostError> {
        let play = async |plan: &str| play(host, fixtures.join(plan)).await;
        Ok(Self {
            research: play("research/plan.yaml").await?,
            guarded: play("delegation-loop/plan.yaml").await?,
            unguarded: play("delegation-loop/unguarded.yaml").await?,
            fan_out: play("fan-out/plan.yaml").await?,
            stale: play("stale-result/plan.yaml").await?,
            conflict: play("conflict/plan.yaml").await?,
            propagate: play("failure/propagate.yaml").await?,
            skip: play("failure/skip.yaml").await?,
            unknown: play("unknown-agent/plan.yaml").await?,
            two_modules: play("fork-two-modules/plan.yaml").await?,
        })
    }
}

async fn play(host: &Host, plan: PathBuf) -> Result<Scene, HostError> {
    let (lines, threads) = (Lines::default(), Threads::default());
    let prepared = host.load(&plan, &Overrides::default()).await?;
    let options = RunOptions {
        sinks: vec![Box::new(lines.clone())],
        transcript: Some(Arc::new(threads.clone())),
        ..RunOptions::in_virtual_time()
    };
    let Finished { record, report, .. } = host.run(&prepared, options).await?;
    let events = lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let threads = threads.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Scene { record, report, events, threads })
}

impl Scene {
    pub(crate) fn count(&self, event_type: &str) -> u64 {
        self.record.events.get(event_type).copied().unwrap_or_default()
    }

    pub(crate) fn merged_keys(&self) -> usize {
        self.record.merged.as_object().map_or(0, serde_json::Map::len)
    }

    fn context(&self) -> String {
        self.report.get("context").map(Value::to_string).unwrap_or_default()
    }

    fn thread_text(&self, task: &str) -> String {
        let thread = self.threads.get(task);
        thread
            .map(|thread| thread.messages.iter().map(|message| message.content.as_str()).collect())
            .unwrap_or_default()
    }

    fn refusals(&self, code: &str) -> usize {
        let refused = self.record.outcomes.iter().filter_map(|outcome| outcome.error.as_ref());
        refused.filter(|error| error.code == code).count()
    }
}

/// The metrics of the evidence file (OR-56), each read off the scenes.
pub(crate) struct Metrics {
    pub(crate) orchestrator_free_of_notes: bool,
    pub(crate) siblings_disjoint: bool,
    pub(crate) loop_depth_limit_events: u64,
    pub(crate) loop_tasks_used: u64,
    pub(crate) unguarded_tasks_used: u64,
    pub(crate) conflict_count: usize,
    pub(crate) conflict_kept: String,
    pub(crate) timeout_output_discarded: bool,
    pub(crate) checks: Vec<(&'static str, bool)>,
}

impl Metrics {
    /// Reads the metrics and makes the sixteen checks (OR-53).
    pub(crate) fn of(scenes: &Scenes) -> Self {
        let research = &scenes.research;
        let notes: Vec<&String> = research.threads.values().flat_map(|thread| &thread.notes).collect();
        let context = research.context();
        let orchestrator_free_of_notes = !notes.is_empty() && notes.iter().all(|note| !context.contains(note.as_str()));
        let (one, other) = (research.thread_text("research"), research.thread_text("analysis"));
        let siblings_disjoint = one.contains("Tokyo")
            && !other.contains("Tokyo")
            && other.contains("ten million")
            && !one.contains("ten million");
        let stale = scenes.stale.record.outcomes.first();
        let timeout_output_discarded = stale
            .is_some_and(|outcome| outcome.status == Status::Timeout && outcome.output.is_none())
            && scenes.stale.merged_keys() == 0;
        let conflict = scenes.conflict.record.conflicts.first();
        let status = |scene: &Scene| scene.record.status.name();
        let checks = vec![
            ("a subagent sees its own context alone", siblings_disjoint),
            ("the orchestrator's context has no working notes", orchestrator_free_of_notes),
            ("the orchestrator's context is two lines", context.matches("\",\"").count() == 1),
            ("two tasks complete", research.record.tasks_used == 2 && status(research) == "completed"),
            ("three keys are merged", research.merged_keys() == 3),
            ("the third hop is intercepted once", scenes.guarded.count("depth_limit") == 1),
            ("the intercepted hop is told to the guest", scenes.guarded.refusals("delegation_depth_exceeded") == 1),
            ("the loop uses three tasks", scenes.guarded.record.tasks_used == 3),
            ("without guards it uses more than a hundred", scenes.unguarded.record.tasks_used > 100),
            ("a fan-out stops at four tasks", scenes.fan_out.record.tasks_used == 4),
            ("every other request is refused by the total", scenes.fan_out.refusals("task_budget_exceeded") == 9),
            ("a late output is discarded", timeout_output_discarded && scenes.stale.count("late_result_dropped") == 1),
            ("a disagreement is one conflict", scenes.conflict.record.conflicts.len() == 1),
            ("a failure with propagate fails the run", status(&scenes.propagate) == "failed"),
            ("a failure with skip leaves it partial", status(&scenes.skip) == "partial"),
            ("an unknown agent fails closed", status(&scenes.unknown) == "failed"),
        ];
        Self {
            orchestrator_free_of_notes,
            siblings_disjoint,
            loop_depth_limit_events: scenes.guarded.count("depth_limit"),
            loop_tasks_used: scenes.guarded.record.tasks_used,
            unguarded_tasks_used: scenes.unguarded.record.tasks_used,
            conflict_count: scenes.conflict.record.conflicts.len(),
            conflict_kept: conflict.map(|conflict| conflict.kept.to_string()).unwrap_or_default(),
            timeout_output_discarded,
            checks,
        }
    }

    pub(crate) fn passed(&self) -> usize {
        self.checks.iter().filter(|(_, holds)| *holds).count()
    }

    /// The evidence document (OR-55..57): the seven metrics, every check by name, and the control group without guards.
    pub(crate) fn evidence(&self) -> Value {
        let checks: Vec<Value> =
            self.checks.iter().map(|(name, holds)| json!({ "check": name, "passed": holds })).collect();
        json!({
            "schema": "learn-llm.evidence.v1",
            "module": "21-multi-agent",
            "seed": 10,
            "cost": { "gross_usd": 0 },
            "metrics": {
                "multi_agent_tests_passed": self.passed(),
                "isolation_orchestrator_free_of_subagent_notes": self.orchestrator_free_of_notes,
                "isolation_sibling_contexts_disjoint": self.siblings_disjoint,
                "loop_depth_limit_events": self.loop_depth_limit_events,
                "loop_tasks_used": self.loop_tasks_used,
                "conflict_count": self.conflict_count,
                "timeout_output_discarded": self.timeout_output_discarded,
            },
            "control_group": { "guards": "none", "loop_tasks_used": self.unguarded_tasks_used },
            "checks": checks,
        })
    }

    /// The five summary lines of the demo (OR-54), made of the figures.
    pub(crate) fn lines(&self, research: &Scene) -> [String; 5] {
        let yes = |holds: bool, good: &str, bad: &str| if holds { good.to_owned() } else { bad.to_owned() };
        [
            format!(
                "demo: {} subagents complete, {} keys merged, report {}",
                research.record.outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
                research.merged_keys(),
                research.record.status.name()
            ),
            format!(
                "isolation: orchestrator context {}; sibling context windows {}",
                yes(self.orchestrator_free_of_notes, "has no subagent notes", "HAS SUBAGENT NOTES"),
                yes(self.siblings_disjoint, "disjoint", "OVERLAP")
            ),
            format!(
                "loop: A↔B third hop intercepted by depth_limit ({} event, tasks_used={})",
                self.loop_depth_limit_events, self.loop_tasks_used
            ),
            format!(
                "conflict: two subagents disagree on fact:population → {} conflict record, deterministically keeps {}",
                self.conflict_count, self.conflict_kept
            ),
            format!(
                "timeout: timed-out output {} (status=timeout, output=None)",
                yes(self.timeout_output_discarded, "discarded", "NOT DISCARDED")
            ),
        ]
    }
}
