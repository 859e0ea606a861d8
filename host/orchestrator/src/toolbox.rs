//! Which provider answers which tool, and what guests are told about it. Looks up; checks nothing.

use crate::input::Broken;
use crate::prose::Prose;
use sandfork_model::{ToolProvider, ToolSpec};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;

/// One tool, with its two descriptions for guests: every fork is told of its tools, and this part is always the same.
pub(crate) struct Entry {
    name: Arc<str>,
    json: String,
    line: Prose,
    provider: Option<Arc<dyn ToolProvider>>,
}

impl Entry {
    fn new(spec: &ToolSpec, provider: Option<Arc<dyn ToolProvider>>) -> Self {
        let ToolSpec { name, description, input_schema } = spec;
        let json = json!({"name": name, "description": description, "input_schema": input_schema}).to_string();
        let mut line = Prose::default();
        line.push(&format!("- {name}: {description} {input_schema}\n"));
        Self { name: name.as_str().into(), json, line, provider }
    }

    /// For the `tools` of a task document: JSON text.
    pub(crate) fn json(&self) -> &str {
        &self.json
    }

    /// For the list of tools in an opening message: one line with its end.
    pub(crate) fn line(&self) -> &Prose {
        &self.line
    }
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
            let entry = Entry::new(&spec, provider.cloned());
            if entries.insert(name.clone(), entry).is_some() {
                return Err(Broken::new(format!("two providers offer the tool `{name}`")));
            }
        }
        Ok(Self(entries))
    }

    /// The tool's name, shared instead of copied; a name nobody offers is copied.
    pub(crate) fn shared_name(&self, name: &str) -> Arc<str> {
        self.0.get(name).map_or_else(|| name.into(), |entry| Arc::clone(&entry.name))
    }

    /// Who answers a tool; `None` for what the orchestrator answers itself, or nobody does.
    pub(crate) fn provider(&self, name: &str) -> Option<&Arc<dyn ToolProvider>> {
        self.0.get(name)?.provider.as_ref()
    }

    /// What is known of a tool.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.0.get(name)
    }
}
