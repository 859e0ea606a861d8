//! Hands its task on to `loop_a`, which hands it back: the hostile pair that shows what depth and task limits are for.

#![forbid(unsafe_code)]

use sandfork_guest::{Agent, Context, Failure, Json, Task};

struct LoopB;

impl Agent for LoopB {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        Ok(loops::hand_on("loop_b", "loop_a", task, host))
    }
}

sandfork_guest::export!(LoopB);

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::fake::FakeHost;
    use sandfork_guest::json;

    #[test]
    fn what_comes_back_from_below_is_returned() {
        let run = FakeHost::new().child("loop_a", |_| Ok(json!({ "by": "loop_a" }))).run::<LoopB>(Task::new("Decide."));
        assert_eq!(run.result, Ok(json!({ "by": "loop_b", "depth": 0, "below": { "by": "loop_a" } })));
    }

    // OR-26
    #[test]
    fn a_refused_hop_is_told_and_not_a_failure() {
        let run = FakeHost::new().max_depth(0).agent::<LoopB>("loop_a").run::<LoopB>(Task::new("Decide."));
        let stopped = json!({ "by": "loop_b", "depth": 0, "stopped": "delegation_depth_exceeded" });
        assert_eq!(run.result, Ok(stopped));
    }
}
