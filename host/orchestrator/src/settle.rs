//! The end of a fork, once: outcome kept, ledger returned, slot and seat given back, parent told.

use crate::checkpoint;
use crate::constraints;
use crate::ending::Verdict;
use crate::fork::Fork;
use crate::prose::written_bytes;
use crate::stop::Reason;
use sandfork_model::{Completion, Dimension, EventBody, MessageFacts, Outcome, Status};
use std::sync::Arc;

/// Settles a fork. A second call changes nothing.
pub(crate) fn settle(fork: &Arc<Fork>, verdict: Verdict) {
    let Some(budget) = fork.state.lock().budget.take() else { return };
    fork.run.dismiss(&fork.task.path);
    if verdict.status != Status::Ok {
        checkpoint::keep(fork);
    }
    let now_ns = fork.run.clock.now_ns();
    let kept = verdict.output.as_ref().map(|output| constraints::kept(fork, output));
    let counts = {
        let mut state = fork.state.lock();
        (state.counts.reserved, state.counts.returned) = (*budget.granted(), *budget.left());
        (state.counts.constraints, state.counts.constraints_kept) = kept.unwrap_or_default();
        match state.started_ns {
            Some(started_ns) => {
                state.counts.elapsed_ns = now_ns.saturating_sub(started_ns).saturating_sub(state.resume_wait_ns);
            }
            None => state.counts.queued_ns = now_ns.saturating_sub(fork.admitted_ns),
        }
        state.counts
    };
    if let Some(reason) = verdict.stopped
        && !matches!(reason, Reason::Timeout)
    {
        fork.emit(EventBody::Cancelled { reason: reason.name() }, None);
    }
    let output_bytes = verdict.output.as_ref().map_or(0, written_bytes);
    let code = verdict.error.as_ref().map(|error| error.code.as_str());
    let message = Completion::read(&fork.task.task_id, verdict.status, code, verdict.output.as_ref());
    let returned = fork.emit_about(
        EventBody::SubagentReturn {
            status: verdict.status.name(),
            code: code.map(str::to_owned),
            fuel_used: counts.fuel_used,
            elapsed_ns: counts.elapsed_ns,
            output_bytes,
            message: MessageFacts::of(&message),
        },
        None,
        kept_versions(fork, &message),
    );
    let outcome = Arc::new(Outcome {
        task: Arc::clone(&fork.task),
        status: verdict.status,
        output: verdict.output,
        error: verdict.error,
        counts,
        on_failure: fork.on_failure,
        is_added: fork.is_added,
        is_loser: verdict.stopped == Some(Reason::Decided),
    });
    transcribe(fork);
    let left = *budget.left();
    let body = EventBody::BudgetReturned { fuel: left.get(Dimension::Fuel), turns: left.get(Dimension::Turns) };
    match &fork.parent {
        Some(parent) => {
            if let Some(purse) = parent.state.lock().budget.as_mut() {
                purse.absorb(budget);
            } else {
                fork.run.break_with(format!("{} ended after its parent was settled", fork.task.task_id));
                return;
            }
            parent.emit(body, Some(returned));
        }
        None => {
            fork.run.tank.lock().absorb(budget);
            fork.run.emit(body, Some(returned));
        }
    }
    fork.run.keep(Arc::clone(&outcome));
    fork.seat.lock().take();
    // The parent is told first, so that it is in line before the slot goes to a new start.
    fork.nursery.end(fork.place, outcome);
    fork.give_slot();
    fork.done.tell(Reason::ParentEnded);
}

/// The versions that an end refers to and that are there: an output can claim any, the log names none that lead nowhere.
fn kept_versions(fork: &Fork, message: &Completion<'_>) -> Vec<String> {
    let Some(store) = &fork.run.artifacts else { return Vec::new() };
    message.versions().iter().filter(|version| store.knows(version)).map(ToString::to_string).collect()
}

fn transcribe(fork: &Fork) {
    let Some(sink) = &fork.run.transcript else { return };
    let thread = fork.state.lock().thread.take();
    if let Some(thread) = thread
        && let Err(error) = sink.write(&fork.task, &thread)
    {
        fork.run.break_with(format!("the transcript of {} cannot be written: {error}", fork.task.task_id));
    }
}
