//! Does what an agent should not do, to show that nothing comes of it: keeps things for the next fork and looks for what others
//! kept, takes memory or time without end, ends in every way there is. Has twins in ../exam-js and ../exam-python.

#![forbid(unsafe_code)]

use sandfork_guest::{Agent, Context, Failure, Json, Task, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Bytes that one growth takes.
const MIB: usize = 1 << 20;

/// How often this was run, in the memory of a sandbox.
static COUNT: AtomicU64 = AtomicU64::new(0);
/// What was kept, in the memory of a sandbox.
static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Exam;

impl Agent for Exam {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        match task.need_text("do")? {
            "count" => {
                keep("once".to_owned());
                let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).len();
                Ok(json!({ "count": COUNT.fetch_add(1, Ordering::Relaxed) + 1, "kept": kept }))
            }
            "keep" => {
                let text = task.need_text("text")?;
                keep(text.repeat(MIB / text.len().max(1)));
                Ok(json!({ "kept": true }))
            }
            // The text comes backwards: what it looks for must not stand in its own task.
            "seek" => {
                let wanted: String = task.need_text("text")?.chars().rev().collect();
                let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(json!({ "found": kept.iter().any(|text| text.contains(&wanted)) }))
            }
            "grow" => loop {
                keep("x".repeat(MIB));
            },
            "spin" => loop {
                COUNT.fetch_add(1, Ordering::Relaxed);
            },
            "wait" => {
                let ms = task.need("ms")?.as_u64().ok_or_else(|| Failure::blocked(["ms"]))?;
                host.sleep(Duration::from_millis(ms))?;
                Ok(json!({ "waited": ms }))
            }
            "recurse" => Ok(json!({ "depth": recurse(0) })),
            "fail" => Err(Failure::new("asked_to_fail", "as it was told").details(json!({ "asked": true }))),
            "throw" => panic!("as it was told"),
            other => Err(Failure::new("unknown", format!("nobody taught me to {other}"))),
        }
    }
}

sandfork_guest::export!(Exam);

fn keep(text: String) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(text);
}

/// Deeper than any stack, and nothing that a compiler makes a loop of.
fn recurse(depth: u64) -> u64 {
    if COUNT.load(Ordering::Relaxed) > 0 {
        return depth;
    }
    recurse(std::hint::black_box(depth + 1)) + std::hint::black_box(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::fake::FakeHost;

    // Natively all forks share one memory, so that what is looked for is found: the sandbox is what makes the difference.
    #[test]
    fn what_is_kept_in_one_memory_is_found_there() {
        let run = |context| FakeHost::new().run::<Exam>(Task::new("g").context(context)).result;
        assert_eq!(run(json!({ "do": "keep", "text": "secret" })), Ok(json!({ "kept": true })));
        assert_eq!(run(json!({ "do": "seek", "text": "terces" })), Ok(json!({ "found": true })));
        assert_eq!(run(json!({ "do": "seek", "text": "secret" })), Ok(json!({ "found": false })));
        assert_eq!(run(json!({ "do": "fail" })).map_err(|failure| failure.code), Err("asked_to_fail".to_owned()));
        assert_eq!(run(json!({})), Err(Failure::blocked(["do"])));
    }
}
