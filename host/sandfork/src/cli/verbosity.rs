//! What the host tells about itself, on stderr alone. `RUST_LOG` decides where it is set, else `-v`.

use crate::live::screen::{Stderr, has_colours};
use tracing_subscriber::EnvFilter;

/// Starts listening; called once.
pub(crate) fn listen(verbose: u8) {
    let by_flag = match verbose {
        0 => "warn",
        1 => "warn,sandfork=info",
        2 => "info,sandfork=debug",
        3.. => "debug,sandfork=trace",
    };
    // A filter that cannot be read is no reason not to run; the flag's own always can.
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(by_flag));
    let listening = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Stderr)
        .with_ansi(has_colours())
        .without_time()
        .try_init();
    if listening.is_err() {
        tracing::debug!("someone else listens already");
    }
}
