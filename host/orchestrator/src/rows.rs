//! The rows of the plan's `agents` table with what is made of each once and shared by all its forks.

use crate::schema::OutputSchema;
use sandfork_model::{AgentEntry, Plan};
use std::sync::{Arc, OnceLock};

/// One row.
struct Row {
    entry: Arc<AgentEntry>,
    output_schema: OnceLock<Result<OutputSchema, String>>,
}

/// All rows, in the order of the plan.
pub(crate) struct Rows(Vec<Row>);

impl Rows {
    pub(crate) fn of(plan: &Plan) -> Self {
        let rows =
            plan.agents.iter().map(|entry| Row { entry: Arc::new(entry.clone()), output_schema: OnceLock::new() });
        Self(rows.collect())
    }

    /// The row of an agent, shared; one that the plan does not have is copied.
    pub(crate) fn entry(&self, entry: &AgentEntry) -> Arc<AgentEntry> {
        self.row(entry).map_or_else(|| Arc::new(entry.clone()), |row| Arc::clone(&row.entry))
    }

    /// The row's own output schema, compiled once; `None` if it has none.
    pub(crate) fn output_schema(&self, entry: &AgentEntry) -> Option<Result<OutputSchema, String>> {
        let schema = entry.output_schema.as_ref()?;
        let compiled = || OutputSchema::new(schema);
        Some(self.row(entry).map_or_else(compiled, |row| row.output_schema.get_or_init(compiled).clone()))
    }

    fn row(&self, entry: &AgentEntry) -> Option<&Row> {
        self.0.iter().find(|row| row.entry.name == entry.name)
    }
}
