//! Scripted answers in the place of a built-in tool, for trying an agent out: the tool keeps its name and schemas, so that
//! the guest sees what it would see in a run.

use sandfork_model::plan::ScriptedTool;
use sandfork_model::{BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use sandfork_tools::Scripted;
use std::collections::HashSet;
use std::sync::Arc;

/// A provider of which some tools are answered by a script.
struct StandIn {
    provider: Arc<dyn ToolProvider>,
    names: HashSet<String>,
    scripted: Scripted,
}

/// The providers, with scripts in the place of the tools that have one.
pub(crate) fn standing_in(
    providers: Vec<Arc<dyn ToolProvider>>,
    scripts: &[ScriptedTool],
) -> Vec<Arc<dyn ToolProvider>> {
    if scripts.is_empty() {
        return providers;
    }
    let stand_in = |provider: Arc<dyn ToolProvider>| -> Arc<dyn ToolProvider> {
        let names = scripts.iter().map(|script| script.name.clone()).collect();
        Arc::new(StandIn { provider, names, scripted: Scripted::new(scripts.to_vec()) })
    };
    providers.into_iter().map(stand_in).collect()
}

impl ToolProvider for StandIn {
    fn specs(&self) -> Vec<ToolSpec> {
        self.provider.specs()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        if self.names.contains(&call.name) { self.scripted.call(call) } else { self.provider.call(call) }
    }
}
