//! What a fork suffers from its neighbours: how late its 5 ms waits end beside guests that spin or never stop calling.

use crate::rig::{Code, Part, Rig, endless};
use crate::sample::percentile;
use crate::table::{Row, Target};
use anyhow::Result;
use sandfork::model::{BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const SPIN: &str = include_str!("../../../../fixtures/guests/spin.wat");
const NOTES: &str = include_str!("../../../../fixtures/guests/note_empty_flood.wat");
const QUICK: &str = "tools: [tick]\nturns: [{ do: [{ repeat: 150, do: [{ tool: tick }] }], return: done }]\n";
const WAIT: Duration = Duration::from_millis(5);
/// How long the neighbours go on: longer than the quick one's waits.
const NEIGHBOURS_FOR: Duration = Duration::from_secs(3);

/// The quick one's lateness beside each kind of neighbour.
pub(crate) fn lateness() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (what, guest, neighbours, threads) in [
        ("nobody", SPIN, 0, 1),
        ("8 spinning forks, 1 worker", SPIN, 8, 1),
        ("100 spinning forks, 1 worker", SPIN, 100, 1),
        ("100 spinning forks, 2 workers", SPIN, 100, 2),
        ("1 note-looping fork, 1 worker", NOTES, 1, 1),
        ("8 note-looping forks, 1 worker", NOTES, 8, 1),
    ] {
        let ticks = Arc::new(Ticks::default());
        let rig = Rig::new(threads, 128, vec![Arc::<Ticks>::clone(&ticks)])?;
        let mut plan = rig.plan(&[
            Part { agent: "quick", code: Code::Script(QUICK), forks: 1 },
            Part { agent: "neighbour", code: Code::Wat(guest), forks: neighbours },
        ])?;
        endless(&mut plan.limits, NEIGHBOURS_FOR);
        plan.limits.max_concurrency = neighbours as u64 + 1;
        let prepared = rig.prepare(plan)?;
        // Without a sink: a million notes are the log's memory, and this is about time.
        rig.run_with(&prepared, sandfork::RunOptions::default())?;
        let late = std::mem::take(&mut *ticks.late_ms.lock().unwrap_or_else(PoisonError::into_inner));
        anyhow::ensure!(late.len() > 100, "only {} waits beside {what}", late.len());
        let target = Target::AtMost(10.0);
        rows.push(Row::new(format!("5 ms waits beside {what}: late by, p99"), percentile(late, 99), 2, "ms", target));
    }
    Ok(rows)
}

/// A tool that answers after 5 ms, and notes at each call how late the last answer came.
#[derive(Default)]
struct Ticks {
    due: Mutex<Option<Instant>>,
    late_ms: Mutex<Vec<f64>>,
}

impl ToolProvider for Ticks {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec { name: "tick".into(), description: "Ticks.".into(), input_schema: json!({}) }]
    }

    fn call(&self, _call: ToolCall) -> BoxFuture<'_, Reply> {
        let now = Instant::now();
        if let Some(due) = self.due.lock().unwrap_or_else(PoisonError::into_inner).replace(now + WAIT) {
            let late = now.saturating_duration_since(due).as_secs_f64() * 1e3;
            self.late_ms.lock().unwrap_or_else(PoisonError::into_inner).push(late);
        }
        Box::pin(std::future::ready(Reply { result: Ok("{}".into()), delay: WAIT }))
    }
}
