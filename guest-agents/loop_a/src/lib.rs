//! Hands its task on to `loop_b`, which hands it back: the hostile pair that shows what depth and task limits are for.

#![forbid(unsafe_code)]

use sandfork_guest::{Agent, Context, Failure, Json, Task};

struct LoopA;

impl Agent for LoopA {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        Ok(loops::hand_on("loop_a", "loop_b", task, host))
    }
}

sandfork_guest::export!(LoopA);

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::fake::FakeHost;
    use sandfork_guest::json;

    #[test]
    fn what_comes_back_from_below_is_returned() {
        let run = FakeHost::new().child("loop_b", |_| Ok(json!({ "by": "loop_b" }))).run::<LoopA>(Task::new("Decide."));
        assert_eq!(run.result, Ok(json!({ "by": "loop_a", "depth": 0, "below": { "by": "loop_b" } })));
    }

    // OR-26
    #[test]
    fn a_refused_hop_is_told_and_not_a_failure() {
        let run = FakeHost::new().max_depth(0).agent::<LoopA>("loop_b").run::<LoopA>(Task::new("Decide."));
        let stopped = json!({ "by": "loop_a", "depth": 0, "stopped": "delegation_depth_exceeded" });
        assert_eq!(run.result, Ok(stopped));
    }
}
