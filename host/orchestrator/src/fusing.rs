//! The run's fuse (GV-49): once it goes, no fork is admitted and every fork that is not critical is cancelled, so that what
//! is left serves a summary and a partial answer.

use crate::fork::Fork;
use crate::life;
use crate::stop::Reason;
use sandfork_model::{EventBody, Shape};
use std::sync::Arc;

/// Blows the fuse if this fork's last step made it due. Called in the fork's own turn.
pub(crate) async fn check(fork: &Arc<Fork>) {
    let run = &fork.run;
    if !run.gauge.blow_fuse() {
        return;
    }
    let (dimension, percent) = run.gauge.level();
    run.emit(EventBody::Fused { reason: format!("{percent} % of {dimension} consumed") }, None);
    for one in run.live_forks() {
        if is_spared(&one) {
            continue;
        }
        if Arc::ptr_eq(&one, fork) {
            // It must not wait for itself; it is told, and ends as soon as this call returns.
            one.stop.tell(Reason::Fused);
        } else {
            life::stop(&one, Reason::Fused).await;
        }
    }
}

/// Critical forks, the run's own root, and whoever waits for children: they are left to summarise what came back.
fn is_spared(fork: &Fork) -> bool {
    fork.options.critical
        || fork.options.is_acceptance
        || (fork.task.depth == 0 && matches!(fork.run.plan.shape, Shape::Root(_)))
        || !fork.state.lock().children.is_empty()
}
