//! The rows of the plan's `agents` table with what is made of each once and shared by all its forks.

use crate::agents::Agents;
use crate::grants::{self, Excess, Granted};
use crate::port::length;
use crate::prose::Prose;
use crate::repeats::Retold;
use crate::schema::OutputSchema;
use sandfork_model::{AgentEntry, Footprint, Plan};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// One row.
pub(crate) struct Row {
    pub(crate) entry: AgentEntry,
    /// What the entry grants by itself, or where its agent's manifest goes beyond it.
    pub(crate) grant: Result<Arc<Granted>, Excess>,
    /// Which of the host's sandboxes its forks need.
    pub(crate) footprint: Footprint,
    /// The role, as it stands in the first message.
    pub(crate) role: Role,
    output_schema: OnceLock<Option<Result<OutputSchema, String>>>,
}

/// A role as a line of an opening message.
pub(crate) struct Role {
    pub(crate) line: Prose,
    pub(crate) bytes: u64,
    pub(crate) retold: Retold,
}

impl Role {
    fn of(entry: &AgentEntry) -> Self {
        let mut line = Prose::default();
        if !entry.role.is_empty() {
            for part in ["Role: ", &entry.role, "\n"] {
                line.push(part);
            }
        }
        Self { line, bytes: length(&entry.role), retold: Retold::default() }
    }
}

impl Row {
    fn of(entry: &AgentEntry, agents: &Agents) -> Arc<Self> {
        Arc::new(Self {
            entry: entry.clone(),
            grant: grants::own(entry, agents.manifest_tools(&entry.name)),
            footprint: agents.footprint(&entry.name),
            role: Role::of(entry),
            output_schema: OnceLock::new(),
        })
    }

    /// The row's own output schema, compiled once; `None` if it has none.
    pub(crate) fn output_schema(&self) -> Option<Result<OutputSchema, String>> {
        let compiled = || self.entry.output_schema.as_ref().map(OutputSchema::new);
        self.output_schema.get_or_init(compiled).clone()
    }
}

/// All rows, by name.
pub(crate) struct Rows(HashMap<String, Arc<Row>>);

impl Rows {
    pub(crate) fn of(plan: &Plan, agents: &Agents) -> Self {
        // Of rows with one name the first counts, as everywhere.
        let rows = plan.agents.iter().rev().map(|entry| (entry.name.clone(), Row::of(entry, agents)));
        Self(rows.collect())
    }

    /// The row of an agent.
    pub(crate) fn row(&self, name: &str) -> Option<&Arc<Row>> {
        self.0.get(name)
    }
}
