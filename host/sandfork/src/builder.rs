//! What a host is made with, and the making. Nothing here knows a plan.

use crate::host::Host;
use crate::state::StateDir;
use sandfork_model::ToolProvider;
use sandfork_orchestrator::Seats;
use sandfork_report::EngineFacts;
use sandfork_sandbox::{CodeCache, EngineError, LoadLimits, PoolLimits, Sandboxes};
use std::path::PathBuf;
use std::sync::Arc;

/// Where runs are kept unless said otherwise.
pub const DEFAULT_STATE_DIR: &str = ".sandfork";

/// Builds a [`Host`].
#[must_use]
pub struct HostBuilder {
    live_forks: u32,
    state_dir: PathBuf,
    tools: Vec<Arc<dyn ToolProvider>>,
    keeps_code: bool,
}

impl Default for HostBuilder {
    fn default() -> Self {
        Self {
            live_forks: PoolLimits::default().live_forks,
            state_dir: DEFAULT_STATE_DIR.into(),
            tools: Vec::new(),
            keeps_code: true,
        }
    }
}

impl HostBuilder {
    /// Sandboxes that may live at one time, all runs of this host together; fewer where the machine has less room.
    pub fn live_forks(mut self, count: u32) -> Self {
        self.live_forks = count;
        self
    }

    /// Where runs are kept; [`DEFAULT_STATE_DIR`] unless said otherwise. Made when the first run needs it.
    pub fn state_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_dir = path.into();
        self
    }

    /// Adds a provider of tools that every run of this host offers beside the built-in ones. A plan must still grant them.
    pub fn tool(mut self, provider: Arc<dyn ToolProvider>) -> Self {
        self.tools.push(provider);
        self
    }

    /// Whether compiled code is kept in the state directory for the next host, and looked for there; it is unless said otherwise.
    /// What is found is believed only if this host's own key vouches for it.
    pub fn code_cache(mut self, is_on: bool) -> Self {
        self.keeps_code = is_on;
        self
    }

    /// Starts the engine.
    ///
    /// # Errors
    /// When no sandbox fits on this machine.
    pub fn build(self) -> Result<Host, EngineError> {
        let pool = PoolLimits { live_forks: self.live_forks };
        let state = StateDir::new(self.state_dir);
        let cache = self.keeps_code.then(|| CodeCache::open(state.code_cache()));
        let sandboxes = Sandboxes::with_cache(pool, LoadLimits::default(), cache)?;
        let versions = sandboxes.engine_versions();
        let engine = EngineFacts {
            versions: vec![
                ("sandfork".into(), versions.sandfork.into()),
                ("wasmtime".into(), versions.wasmtime.into()),
            ],
            price_table_digest: sandboxes.price_table_digest(),
        };
        let seats = Seats::new(sandboxes.live_capacity());
        Ok(Host::new(Arc::new(sandboxes), seats, engine, state, self.tools))
    }
}
