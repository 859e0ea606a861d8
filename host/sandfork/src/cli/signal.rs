//! Ctrl-C: once asks the run to stop in order, twice ends the process at once.

use crate::cli::exit::Exit;
use crate::cli::show;
use sandfork::Interrupt;

/// Watches for interruptions until the runtime ends.
pub(crate) fn watch(interrupt: Interrupt) {
    tokio::spawn(async move {
        if interrupted().await {
            interrupt.trip();
            show::say("stopping; interrupt again to stop at once");
            if interrupted().await {
                std::process::exit(Exit::Interrupted.code().into());
            }
        }
    });
}

/// Waits for Ctrl-C or a request to terminate; false where the system cannot tell of them.
async fn interrupted() -> bool {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            return tokio::signal::ctrl_c().await.is_ok();
        };
        tokio::select! {
            asked = tokio::signal::ctrl_c() => asked.is_ok(),
            asked = terminate.recv() => asked.is_some(),
        }
    }
    #[cfg(not(unix))]
    {
        tokio::signal::ctrl_c().await.is_ok()
    }
}
