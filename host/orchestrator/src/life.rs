//! The life of one fork: wait for a slot, start the clock, run the sandbox, stop what it left running, settle. Once begun it
//! always reaches its end, and reaches it once.

use crate::ending::{self, Verdict};
use crate::fork::Fork;
use crate::packet;
use crate::port::ForkPort;
use crate::settle::settle;
use crate::slots::Ticket;
use crate::stop::Reason;
use sandfork_model::{Agent, Allowance, BoxFuture, Dimension, End, Ended, EventBody, Unloadable};
use std::sync::Arc;
use std::task::Poll;

/// Puts the fork in line for a slot and lets it live on a task of its own. Under virtual time it counts as running only from
/// its turn on.
pub(crate) fn start(fork: &Arc<Fork>) {
    fork.run.enlist(fork);
    let ticket = fork.run.slots.start(&fork.task.path);
    let fork = Arc::clone(fork);
    tokio::spawn(async move {
        let unfinished = Unfinished(Arc::clone(&fork));
        live(&fork, ticket).await;
        drop(unfinished);
    });
}

/// A bug in this room must not leave a parent waiting for ever: a life cut short by a panic is settled all the same, and the
/// run reports a host fault. A life that came to its end has nothing left to settle.
struct Unfinished(Arc<Fork>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let fork = &self.0;
        if fork.done.reason().is_none() {
            fork.run.break_with(format!("the orchestrator failed while serving {}", fork.task.task_id));
            settle(fork, ending::broken());
        }
        fork.run.clock.leave();
    }
}

/// Tells a fork to stop and waits until it and its subtree have settled. A fork that has ended already is left as it is.
pub(crate) fn stop(fork: &Arc<Fork>, reason: Reason) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        if fork.done.reason().is_none() {
            fork.stop.tell(reason);
            fork.done.wait().await;
        }
    })
}

/// Stops several forks and waits until all have settled. In real time all are told before the first is waited for; under
/// virtual time one ends after the other, in request order.
pub(crate) async fn stop_all(forks: &[Arc<Fork>], reason: Reason) {
    for fork in forks.iter().filter(|fork| !fork.run.clock.is_virtual() && fork.done.reason().is_none()) {
        fork.stop.tell(reason);
    }
    for fork in forks {
        stop(fork, reason).await;
    }
}

async fn live(fork: &Arc<Fork>, ticket: Ticket) {
    let verdict = match begin(fork, ticket).await {
        Ok(agent) => run(fork, agent).await,
        Err(verdict) => verdict,
    };
    // Only a fork that was stopped can have children left; they end before it does.
    let children = std::mem::take(&mut fork.state.lock().children);
    stop_all(&children, Reason::ParentEnded).await;
    settle(fork, verdict);
}

/// Waits for the slot and the agent; the clock starts when both are there.
async fn begin(fork: &Arc<Fork>, ticket: Ticket) -> Result<Arc<dyn Agent>, Verdict> {
    // What is mostly there at once is looked at first; a stop that was told meanwhile stands above it all the same.
    tokio::select! {
        biased;
        () = ticket => fork.take_slot(),
        reason = fork.stop.wait() => return Err(ending::stopped(fork, reason)),
    }
    let loaded = tokio::select! {
        biased;
        loaded = fork.run.agents.load(&fork.row.entry) => loaded,
        reason = fork.stop.wait() => return Err(ending::stopped(fork, reason)),
    };
    if let Some(reason) = fork.stop.reason() {
        return Err(ending::stopped(fork, reason));
    }
    let now_ns = fork.run.clock.now_ns();
    let (fuel, queued_ns) = {
        let mut state = fork.state.lock();
        let queued_ns = now_ns.saturating_sub(fork.admitted_ns);
        state.started_ns = Some(now_ns);
        state.counts.queued_ns = queued_ns;
        state.deadline_ns = now_ns.saturating_add(fork.ceilings.timeout_ns);
        (state.budget.as_ref().map_or(0, |budget| budget.left().get(Dimension::Fuel)), queued_ns)
    };
    let tools = u64::try_from(fork.grant.tools.len()).unwrap_or(u64::MAX);
    let event = fork.emit(EventBody::SubagentFork { fuel, tools, queued_ns }, None);
    fork.state.lock().fork_event = Some(event);
    loaded.map_err(|fault: Unloadable| ending::unloadable(fork, &fault))
}

/// Runs the sandbox to its end and judges it, at the end's own moment under virtual time.
async fn run(fork: &Arc<Fork>, agent: Arc<dyn Agent>) -> Verdict {
    let packet = packet::document(fork);
    {
        let mut state = fork.state.lock();
        state.message_bytes = packet.message_bytes;
        if let Some(thread) = state.thread.as_mut() {
            (thread.task, thread.messages) = packet::opened(&packet.document);
        }
    }
    let allowance = Allowance {
        leash: fork.leash(),
        memory_bytes: fork.ceilings.memory_bytes,
        memory_in_use: Arc::clone(&fork.run.memory_in_use),
        memory_total_bytes: fork.run.plan.limits.memory_total,
        output_bytes: fork.state.lock().budget.as_ref().map_or(0, |budget| budget.left().get(Dimension::OutputBytes)),
    };
    let port = Arc::new(ForkPort(Arc::clone(fork)));
    let ended = agent.run(packet.document, allowance, port, watch(Arc::clone(fork))).await;
    finish(fork, ended).await
}

async fn finish(fork: &Arc<Fork>, ended: Ended) -> Verdict {
    {
        let mut state = fork.state.lock();
        state.counts.peak_memory_bytes = ended.peak_memory_bytes;
    }
    if fork.stop.reason().is_none() && fork.run.clock.is_virtual() {
        let end_ns = match &ended.end {
            // A trap's fuel is an upper bound, not a time: it ends at its last host call.
            End::Returned(_) | End::Failed(_) | End::OutOfFuel | End::DeadlineFuel => fork.moment(ended.fuel_used),
            _ => fork.run.clock.now_ns(),
        };
        tokio::select! {
            biased;
            _ = fork.stop.wait() => {}
            () = fork.run.clock.turn_at(end_ns, &fork.task.path) => {}
        }
    }
    fork.charge_fuel(ended.fuel_used);
    ending::judge(fork, ended)
}

/// Resolves when the fork must stop: told from above, or past its deadline in real time.
fn watch(fork: Arc<Fork>) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        later(&fork).await;
        tokio::select! {
            biased;
            _ = fork.stop.wait() => {}
            () = deadline(&fork) => fork.stop.tell(Reason::Timeout),
        }
    })
}

/// Puts off what watching costs (a place in two queues) to the second look: many forks have ended before. A stop that was
/// told already is not put off.
async fn later(fork: &Fork) {
    let mut is_first = true;
    std::future::poll_fn(|context| {
        if !std::mem::take(&mut is_first) || fork.stop.reason().is_some() {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Waits for the deadline in real time, which moves while the fork waits for a slot to resume. Virtual time has no timer.
async fn deadline(fork: &Fork) {
    if fork.run.clock.is_virtual() {
        // A look at the clock from here would be out of turn: whoever is at its turn has moved it.
        return std::future::pending().await;
    }
    loop {
        let (deadline_ns, is_paused) = {
            let state = fork.state.lock();
            (state.deadline_ns, state.is_paused)
        };
        let now_ns = fork.run.clock.now_ns();
        if deadline_ns <= now_ns && !is_paused {
            return;
        }
        // While paused the deadline only moves away: look again after what it may have moved by now.
        let look_ns = if is_paused { deadline_ns.max(now_ns.saturating_add(PAUSE_LOOK_NS)) } else { deadline_ns };
        match fork.run.clock.instant(look_ns) {
            Some(instant) => tokio::time::sleep_until(instant).await,
            None => return std::future::pending().await,
        }
    }
}

/// How often a deadline that stands still is looked at: half of the 10 ms that a stop may be late.
const PAUSE_LOOK_NS: u64 = 5_000_000;
