//! Letting time pass for a fork, on whichever clock the run has; an answer that comes too late is recorded, not delivered.

use crate::clock::nanos;
use crate::fork::Fork;
use crate::stop::Reason;
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_model::{EventBody, Halt};
use std::sync::Arc;
use std::time::Duration;

/// Waits until an answer that takes `delay` arrives. Under virtual time a deadline before that ends the fork at the deadline.
pub(crate) async fn pass(fork: &Arc<Fork>, tool: &Arc<str>, delay: Duration) -> Result<(), Halt> {
    if delay.is_zero() {
        return Ok(());
    }
    let clock = &fork.run.clock;
    let due_ns = clock.now_ns().saturating_add(nanos(delay));
    let mut pending = Pending { fork, tool, due_ns, is_delivered: delay > HOST_TIME_CEILING };
    if let Some(due) = clock.instant(due_ns.min(nanos(HOST_TIME_CEILING))) {
        tokio::time::sleep_until(due).await;
        if delay > HOST_TIME_CEILING {
            std::future::pending::<()>().await;
        }
    } else {
        let deadline_ns = fork.state.lock().deadline_ns;
        clock.turn_at(due_ns.min(deadline_ns), &fork.task.path).await;
        if due_ns > deadline_ns {
            fork.stop.tell(Reason::Timeout);
            return Err(Halt);
        }
    }
    pending.is_delivered = true;
    Ok(())
}

/// An answer under way. Dropped before it was delivered, it will be late. A tool that never answers is never late.
struct Pending<'a> {
    fork: &'a Arc<Fork>,
    tool: &'a Arc<str>,
    due_ns: u64,
    is_delivered: bool,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if self.is_delivered {
            return;
        }
        let (fork, tool, due_ns) = (Arc::clone(self.fork), Arc::clone(self.tool), self.due_ns);
        let clock = fork.run.clock.clone();
        let path = fork.task.path.clone();
        let record = move || {
            let ended_ns = {
                let state = fork.state.lock();
                state.started_ns.unwrap_or_default().saturating_add(state.counts.elapsed_ns)
            };
            let late_ns = due_ns.saturating_sub(ended_ns);
            fork.emit(EventBody::LateResultDropped { tool: tool.to_string(), late_ns }, None);
        };
        clock.record_late(due_ns, &path, Box::new(record));
    }
}
