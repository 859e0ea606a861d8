//! A plan with the code of its agents, ready to run any number of times.

use sandfork_model::plan::ScriptedTool;
use sandfork_model::{LoadOptions, Plan, Runtime};
use sandfork_orchestrator::AgentCode;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A plan and its agents. Loading them goes on in the background; whoever cannot wait for it need not.
pub struct Prepared {
    plan: Arc<Plan>,
    agents: HashMap<String, AgentCode>,
    runtime: Arc<dyn Runtime>,
    stand_ins: Vec<ScriptedTool>,
}

impl Prepared {
    /// Starts to load every component; must be called inside a tokio runtime.
    pub(crate) fn start(plan: Arc<Plan>, agents: HashMap<String, AgentCode>, runtime: Arc<dyn Runtime>) -> Self {
        let prepared = Self { plan, agents, runtime, stand_ins: Vec::new() };
        for (component, options) in prepared.components() {
            let runtime = Arc::clone(&prepared.runtime);
            // What comes of it is asked for again by whoever forks the agent; loading twice compiles once.
            tokio::spawn(async move { runtime.load_with(component, options).await.is_ok() });
        }
        prepared
    }

    /// Lets scripts answer for built-in tools: for trying an agent out, never for a run.
    pub(crate) fn with_stand_ins(self, stand_ins: Vec<ScriptedTool>) -> Self {
        Self { stand_ins, ..self }
    }

    pub(crate) fn stand_ins(&self) -> &[ScriptedTool] {
        &self.stand_ins
    }

    /// The plan, as it was read.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    pub(crate) fn agents(&self) -> &HashMap<String, AgentCode> {
        &self.agents
    }

    /// Waits until every component is loaded, or found to be broken.
    pub async fn ready(&self) {
        for (component, options) in self.components() {
            // A broken one fails the forks that need it, each with its own outcome.
            let _ = self.runtime.load_with(component, options).await;
        }
    }

    /// Each distinct component once for each way it is to be loaded.
    fn components(&self) -> Vec<(Arc<[u8]>, LoadOptions)> {
        let mut seen = HashSet::new();
        let options = |name: &str| {
            let wasi_denied = self.plan.agent(name).is_some_and(|entry| entry.wasi_denied);
            LoadOptions { wasi_denied }
        };
        let all = self.agents.iter().map(|(name, code)| (&code.component, options(name)));
        all.filter(|(component, options)| seen.insert((Arc::as_ptr(component), *options)))
            .map(|(component, options)| (Arc::clone(component), options))
            .collect()
    }
}
