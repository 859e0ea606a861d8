//! Ctrl-C, and what means the same: once asks the run to stop in order, twice ends the process at once. Listens on a thread
//! of its own, so that nothing the run is busy with or waits for can keep the second one from landing.

use crate::cli::exit::Exit;
use crate::live::screen;
use sandfork::Interrupt;
use std::io;
use std::sync::mpsc;

/// How often the process was interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Asked {
    #[default]
    Never,
    Once,
}

/// What an interruption leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// What runs is told to stop; what has finished is reported.
    StopInOrder,
    /// The process ends now.
    EndAtOnce,
}

impl Asked {
    fn again(&mut self) -> Answer {
        match std::mem::replace(self, Self::Once) {
            Self::Never => Answer::StopInOrder,
            Self::Once => Answer::EndAtOnce,
        }
    }
}

/// Watches for interruptions until the process ends. They are caught once this returns.
pub(crate) fn watch(interrupt: Interrupt) {
    let (ready, is_ready) = mpsc::sync_channel(1);
    let listening = std::thread::Builder::new().name("signals".into()).spawn(move || {
        if let Err(error) = listen(&interrupt, &ready) {
            tracing::warn!(%error, "interruptions cannot be caught: they end the process at once");
        }
    });
    match listening {
        // Whoever cannot listen drops the sender: there is nothing to wait for then.
        Ok(_) => drop(is_ready.recv()),
        Err(error) => tracing::warn!(%error, "interruptions cannot be caught: they end the process at once"),
    }
}

fn listen(interrupt: &Interrupt, ready: &mpsc::SyncSender<()>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let mut signals = Signals::open()?;
        let _ = ready.send(());
        let mut asked = Asked::default();
        while signals.next().await {
            match asked.again() {
                Answer::StopInOrder => {
                    interrupt.trip();
                    screen::say_or_leave("stopping; interrupt again to stop at once");
                }
                Answer::EndAtOnce => {
                    screen::close_or_leave();
                    std::process::exit(Exit::Interrupted.code().into());
                }
            }
        }
        Ok(())
    })
}

/// Ctrl-C, requests to terminate, and the terminal's end. Opened once: what comes between two waits is not lost.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None where the process was told to outlive its terminal.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn open() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = if outlives_terminal() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())?, hangup })
    }

    /// The next one; false where the system tells of no more.
    async fn next(&mut self) -> bool {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            asked = self.interrupt.recv() => asked.is_some(),
            asked = self.terminate.recv() => asked.is_some(),
            asked = hangup => asked.is_some(),
        }
    }
}

/// Whether hang-ups are ignored, as `nohup` has it: to listen would undo that. Where nobody can tell, they are left as they are.
#[cfg(unix)]
fn outlives_terminal() -> bool {
    const HANGUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_none_or(|set| set & HANGUP != 0)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn open() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> bool {
        tokio::signal::ctrl_c().await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // HOSTILE 31
    #[test]
    fn the_first_interruption_stops_in_order_and_every_further_one_ends_at_once() {
        let mut asked = Asked::default();
        let answers = [asked.again(), asked.again(), asked.again()];
        assert_eq!(answers, [Answer::StopInOrder, Answer::EndAtOnce, Answer::EndAtOnce]);
    }
}
