//! The agents of a run, loaded once each, however many forks want them.

use crate::input::AgentCode;
use sandfork_model::{Agent, AgentEntry, BoxFuture, Footprint, LoadOptions, Runtime, Unloadable};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OnceCell;

struct Slot {
    code: AgentCode,
    loaded: OnceCell<Result<Arc<dyn Agent>, Unloadable>>,
}

/// Code by agent name.
pub(crate) struct Agents {
    runtime: Arc<dyn Runtime>,
    slots: HashMap<String, Slot>,
}

impl Agents {
    pub(crate) fn new(runtime: Arc<dyn Runtime>, codes: HashMap<String, AgentCode>) -> Self {
        let slots = codes.into_iter().map(|(name, code)| (name, Slot { code, loaded: OnceCell::new() })).collect();
        Self { runtime, slots }
    }

    /// What the agent's manifest asks for.
    pub(crate) fn manifest_tools(&self, name: &str) -> Option<&[String]> {
        self.slots.get(name)?.code.manifest_tools.as_deref()
    }

    /// Which of the host's sandboxes the agent needs; one without code needs none.
    pub(crate) fn footprint(&self, name: &str) -> Footprint {
        self.slots.get(name).map_or_else(Footprint::default, |slot| slot.code.footprint)
    }

    /// The agent, ready to fork; an agent without code is as unloadable as a broken one.
    pub(crate) fn load<'a>(&'a self, entry: &'a AgentEntry) -> BoxFuture<'a, Result<Arc<dyn Agent>, Unloadable>> {
        Box::pin(async move {
            let name = &entry.name;
            let Some(slot) = self.slots.get(name) else {
                return Err(Unloadable {
                    message: format!("agent {name} has no component"),
                    hint: None,
                    is_missing_export: false,
                });
            };
            let options = LoadOptions { wasi_denied: entry.wasi_denied };
            slot.loaded.get_or_init(|| self.runtime.load_with(Arc::clone(&slot.code.component), options)).await.clone()
        })
    }
}
