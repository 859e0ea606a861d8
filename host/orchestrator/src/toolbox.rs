//! Which provider answers which tool, and what guests are told about it. Looks up; checks nothing.

use crate::input::Broken;
use sandfork_model::{ToolProvider, ToolSpec};
use std::collections::HashMap;
use std::sync::Arc;

struct Entry {
    name: Arc<str>,
    spec: ToolSpec,
    provider: Option<Arc<dyn ToolProvider>>,
}

/// The tools of a run.
pub(crate) struct Toolbox(HashMap<String, Entry>);

impl Toolbox {
    /// Providers, and the specs of what the orchestrator answers itself.
    pub(crate) fn new(providers: &[Arc<dyn ToolProvider>], own: Vec<ToolSpec>) -> Result<Self, Broken> {
        let mut entries = HashMap::new();
        let provided =
            providers.iter().flat_map(|provider| provider.specs().into_iter().map(move |spec| (spec, Some(provider))));
        for (spec, provider) in provided.chain(own.into_iter().map(|spec| (spec, None))) {
            let name = spec.name.clone();
            let entry = Entry { name: name.as_str().into(), spec, provider: provider.cloned() };
            if entries.insert(name.clone(), entry).is_some() {
                return Err(Broken::new(format!("two providers offer the tool `{name}`")));
            }
        }
        Ok(Self(entries))
    }

    /// The provider of a tool and its shared name; the provider is `None` for what the orchestrator answers itself.
    pub(crate) fn find(&self, name: &str) -> Option<(Arc<str>, Option<&Arc<dyn ToolProvider>>)> {
        self.0.get(name).map(|entry| (Arc::clone(&entry.name), entry.provider.as_ref()))
    }

    pub(crate) fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.0.get(name).map(|entry| &entry.spec)
    }
}
