//! The tool `budget`: what this fork has left, on its own asking. The only way time reaches a guest.

use crate::fork::Fork;
use crate::prose::quote;
use std::fmt::Write as _;

/// The remaining budget as a JSON object. Written as text at once: guests may ask before every step.
pub(crate) fn answer(fork: &Fork) -> String {
    let now_ns = fork.run.clock.now_ns();
    let mut text = String::with_capacity(512);
    text.push_str("{\"left\":{");
    {
        let state = fork.state.lock();
        // Writing to a String cannot fail.
        for (dimension, left) in state.budget.iter().flat_map(|budget| budget.left().iter()) {
            let _ = write!(text, "\"{dimension}\":{left},");
        }
        let steps = fork.ceilings.steps.saturating_sub(state.counts.turns);
        let time_ms = state.deadline_ns.saturating_sub(now_ns) / 1_000_000;
        let _ = write!(text, "\"steps\":{steps},\"time_ms\":{time_ms}}},\"run\":{{\"calls\":{{");
    }
    // Calls are counted over the whole tree: whoever asks reads the sum, whoever made them (HF-29).
    for (place, (name, calls)) in fork.run.gauge.calls_by_tool().enumerate() {
        text.push_str(if place == 0 { "" } else { "," });
        quote(&mut text, name);
        let _ = write!(text, ":{calls}");
    }
    let (dimension, percent) = fork.run.gauge.level();
    let _ = write!(text, "}},\"level_percent\":{percent},\"level_of\":\"{dimension}\"}}}}");
    text
}
