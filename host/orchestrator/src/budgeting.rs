//! The tool `budget`: what this fork has left, on its own asking. The only way time reaches a guest.

use crate::fork::Fork;
use serde_json::{Map, Value, json};

/// The remaining budget as a JSON object.
pub(crate) fn answer(fork: &Fork) -> String {
    let now_ns = fork.run.clock.now_ns();
    let state = fork.state.lock();
    let mut left: Map<String, Value> = state
        .budget
        .as_ref()
        .map(|budget| {
            budget.left().iter().map(|(dimension, left)| (dimension.name().to_owned(), json!(left))).collect()
        })
        .unwrap_or_default();
    left.insert("steps".into(), json!(fork.ceilings.steps.saturating_sub(state.counts.turns)));
    left.insert("time_ms".into(), json!(state.deadline_ns.saturating_sub(now_ns) / 1_000_000));
    // Calls are counted over the whole tree: whoever asks reads the sum, whoever made them (HF-29).
    let calls: Map<String, Value> =
        fork.run.gauge.calls_by_tool().map(|(name, calls)| (name.to_owned(), json!(calls))).collect();
    let (dimension, percent) = fork.run.gauge.level();
    let run = json!({ "calls": calls, "level_percent": percent, "level_of": dimension.name() });
    json!({ "left": left, "run": run }).to_string()
}
