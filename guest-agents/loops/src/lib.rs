//! What `loop_a` and `loop_b` do alike: hand a task on to the other, and say so when it cannot. Hostile on purpose: nothing in
//! here ever stops, so that the host's limits must.

#![forbid(unsafe_code)]

use sandfork_guest::{Context, Json, Request, Task, json};

/// Hands the task on to `other`; returns what came back, or the code under which it was stopped.
pub fn hand_on(own: &str, other: &str, task: &Task, host: &mut Context) -> Json {
    host.note(format!("this is for {other} to decide"));
    match host.spawn(Request::new(other, &task.goal)) {
        Ok(child) => json!({ "by": own, "depth": task.depth, "below": child.output }),
        Err(child) => json!({ "by": own, "depth": task.depth, "stopped": child.code() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::fake::FakeHost;
    use sandfork_guest::{Agent, Failure};

    struct A;
    struct B;

    impl Agent for A {
        fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
            Ok(hand_on("loop_a", "loop_b", task, host))
        }
    }

    impl Agent for B {
        fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
            Ok(hand_on("loop_b", "loop_a", task, host))
        }
    }

    fn host() -> FakeHost {
        FakeHost::new().agent::<A>("loop_a").agent::<B>("loop_b")
    }

    // OR-21, OR-23, OR-26
    #[test]
    fn the_third_hop_is_stopped_and_each_above_still_returns() {
        let run = host().run::<A>(Task::new("Decide who should decide."));
        let deepest = json!({ "by": "loop_a", "depth": 2, "stopped": "delegation_depth_exceeded" });
        let middle = json!({ "by": "loop_b", "depth": 1, "below": deepest });
        assert_eq!(run.result, Ok(json!({ "by": "loop_a", "depth": 0, "below": middle })));
        assert_eq!(run.spawned.len(), 1);
        assert_eq!(run.spawned[0].goal, "Decide who should decide.");
    }

    // OR-27
    #[test]
    fn nothing_in_the_pair_itself_stops() {
        let run = host().max_depth(120).run::<A>(Task::new("Decide who should decide."));
        let mut below = &run.result.expect("it returns");
        let mut hops = 0;
        while let Some(next) = below.get("below") {
            (below, hops) = (next, hops + 1);
        }
        assert_eq!(hops, 120);
    }
}
