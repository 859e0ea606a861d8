//! The port of one fork: charge, check, do, emit. Everything a guest can reach comes through here, one call at a time.

use crate::fork::{Fork, HaltReason};
use crate::{fusing, spawning, tooling};
use sandfork_model::{
    Answered, BoxFuture, Dimension, EventBody, Halt, Leash, Meter, Port, RawError, RawOutcome, RawRequest,
};
use std::sync::Arc;

/// The way out of one sandbox.
pub(crate) struct ForkPort(pub(crate) Arc<Fork>);

impl Port for ForkPort {
    fn note(&self, meter: Meter, text: String) -> BoxFuture<'_, Result<Leash, Halt>> {
        Box::pin(async move {
            let fork = &self.0;
            enter(fork, meter).await?;
            let bytes = length(&text);
            spend(fork, Dimension::NoteBytes, bytes)?;
            {
                let mut state = fork.state.lock();
                state.counts.notes += 1;
                if let Some(thread) = state.thread.as_mut() {
                    thread.notes.push(text);
                }
            }
            fork.emit(EventBody::Note { bytes }, None);
            Ok(fork.leash())
        })
    }

    fn spawn(
        &self,
        meter: Meter,
        requests: Vec<RawRequest>,
        options: String,
    ) -> BoxFuture<'_, Answered<Vec<RawOutcome>>> {
        Box::pin(async move {
            enter(&self.0, meter).await?;
            let outcomes = spawning::answer(&self.0, requests, &options).await?;
            Ok((outcomes, self.0.leash()))
        })
    }

    fn tool(&self, meter: Meter, name: String, arguments: String) -> BoxFuture<'_, Answered<Result<String, RawError>>> {
        Box::pin(async move {
            enter(&self.0, meter).await?;
            let answer = tooling::answer(&self.0, &name, arguments).await?;
            Ok((answer.map_err(|error| RawError::from(&error)), self.0.leash()))
        })
    }
}

/// Every call begins here: the fuel is charged, the fork's turn comes, the call is counted.
async fn enter(fork: &Arc<Fork>, meter: Meter) -> Result<(), Halt> {
    fork.run.log.room().await;
    if fork.run.clock.is_virtual() {
        fork.run.clock.turn_at(fork.moment(meter.fuel_used), &fork.task.path).await;
    }
    fork.charge_fuel(meter.fuel_used);
    fusing::check(fork).await;
    if fork.stop.reason().is_some() {
        return Err(Halt);
    }
    spend(fork, Dimension::HostCalls, 1)?;
    fork.state.lock().counts.host_calls += 1;
    Ok(())
}

/// Spends, or ends the fork.
pub(crate) fn spend(fork: &Fork, dimension: Dimension, amount: u64) -> Result<(), Halt> {
    fork.charge(dimension, amount).map_err(|shortfall| {
        fork.halt(HaltReason::Budget(shortfall));
        Halt
    })
}

/// The length of a text in bytes.
pub(crate) fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
