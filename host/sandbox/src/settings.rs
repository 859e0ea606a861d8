//! The engines' settings, for whoever measures what the host adds to a bare fork. Nothing that runs agents uses this.

use crate::engine::Profile;
use wasmtime::Config;

/// The settings of the engine for scripts, with a pool for `forks`.
#[must_use]
pub fn for_scripts(forks: u32) -> Config {
    Profile::Tight.settings(forks)
}

/// The settings of the engine for language guests, with a pool for `forks`.
#[must_use]
pub fn for_guests(forks: u32) -> Config {
    Profile::Wide.settings(forks)
}
