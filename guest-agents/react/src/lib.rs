//! A complete agent loop behind the guest interface: messages from the task, a model's answers, tool calls in the order they
//! were asked for, forks, and an output. Knows no model, no tool and no other agent; all of them are the host's.

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test stops at what it did not expect"
    )
)]

mod calls;
mod circles;
mod finish;
mod fits;
mod instructions;
mod keep;
mod limits;
mod looping;
mod offers;
mod saving;
mod squeeze;
mod thread;
mod water;

#[cfg(test)]
mod tests;

use sandfork_guest::{Agent, Context, Failure, Json, Task};

/// The agent. It holds nothing: every fork starts anew.
pub struct React;

impl Agent for React {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        looping::Loop::new(task).run(host)
    }
}

sandfork_guest::export!(React);
