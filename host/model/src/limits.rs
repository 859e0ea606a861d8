//! The table of defaults: the only place where a default limit is written. `sandfork schema defaults` prints it.

use crate::budget::{Amounts, Dimension};
use crate::cap::{Cap, HOST_CEILING};
use crate::policy::Policy;
use crate::request::{Ask, OnFailure};
use std::time::Duration;

/// The longest time that `unlimited` stands for: one day.
pub const HOST_TIME_CEILING: Duration = Duration::from_secs(24 * 60 * 60);
/// What a parent keeps of its remaining time when it clamps a child's.
pub const PARENT_TIME_KEPT: Duration = Duration::from_millis(20);
/// What `max_tasks: unlimited` counts as when the run's tank is sized.
pub const TASKS_FOR_UNLIMITED_TANK: u64 = 16;

/// What to do about an ancestor with the same agent on the same task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ancestors {
    /// Refuse with `ancestor_cycle` (the default).
    Refuse,
    /// Let depth and totals decide.
    Allow,
}

/// Limits of a whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLimits {
    /// Deepest depth that may run; the first task has depth 0.
    pub max_depth: Cap,
    /// Forks over the life of the run.
    pub max_tasks: Cap,
    /// Forks that one fork may start over its life.
    pub max_children: Cap,
    /// Forks computing at one time; waiting parents do not count.
    pub max_concurrency: u64,
    /// Sandboxes alive at one time, queued forks included.
    pub max_live: u64,
    /// Time of the whole run, queueing included.
    pub deadline: Duration,
    /// The ancestor check.
    pub ancestors: Ancestors,
    /// Similarity (0..=1) above which a sibling's or ancestor's task is refused; `None` switches the check off.
    pub similar: Option<f64>,
    /// The run's tank where the plan writes it; absent dimensions are `max_tasks` × the fork default.
    pub budget: Ask,
    /// Model calls in the whole run, counted; `None` = only the divided `turns` bound it.
    pub model_calls: Option<Cap>,
    /// Tool calls in the whole run, counted.
    pub tool_calls: Option<Cap>,
    /// Memory of all live forks together, in bytes.
    pub memory_total: u64,
    /// What happens when things get tight.
    pub policy: Policy,
    /// Limits of each fork where neither its entry nor its request says otherwise.
    pub fork: ForkLimits,
}

/// Limits of one fork, where nobody says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct ForkLimits {
    /// Wall clock of a fork.
    pub timeout: Duration,
    /// Wall clock of the root.
    pub root_timeout: Duration,
    /// What a plan task's failure does to the run.
    pub on_failure: OnFailure,
    /// Linear memory, tables included, in bytes.
    pub memory: u64,
    /// Turns.
    pub steps: Cap,
    /// Fuel that each step brings where no fuel is written.
    pub fuel_per_step: u64,
    /// Calls of `note`, `spawn` and `tool` together.
    pub host_calls: Cap,
    /// Bytes of a single tool result.
    pub tool_result: u64,
    /// Bytes of the final output.
    pub output: u64,
    /// Bytes of all notes.
    pub notes: u64,
    /// Estimated tokens sent to models.
    pub input_tokens: Cap,
    /// Estimated tokens received from models.
    pub output_tokens: Cap,
    /// Bytes of all tool results.
    pub result_bytes: Cap,
    /// Second attempts.
    pub retries: Cap,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_depth: Cap::Finite(2),
            max_tasks: Cap::Finite(16),
            max_children: Cap::Finite(16),
            max_concurrency: 8,
            max_live: 1024,
            deadline: Duration::from_secs(5 * 60),
            ancestors: Ancestors::Refuse,
            similar: None,
            budget: Ask::default(),
            model_calls: None,
            tool_calls: None,
            memory_total: 4 << 30,
            policy: Policy::default(),
            fork: ForkLimits::default(),
        }
    }
}

impl Default for ForkLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            root_timeout: Duration::from_secs(60),
            on_failure: OnFailure::Propagate,
            memory: 64 << 20,
            steps: Cap::Finite(64),
            fuel_per_step: 10_000_000,
            host_calls: Cap::Finite(10_000),
            tool_result: 256 << 10,
            output: 1 << 20,
            notes: 1 << 20,
            input_tokens: Cap::Finite(10_000_000),
            output_tokens: Cap::Finite(1_000_000),
            result_bytes: Cap::Finite(64 << 20),
            retries: Cap::Finite(3),
        }
    }
}

impl ForkLimits {
    /// The default share of each divided dimension.
    #[must_use]
    pub fn amounts(&self) -> Amounts {
        Amounts::from_fn(|dimension| match dimension {
            Dimension::Fuel => self.steps.ceiling().saturating_mul(self.fuel_per_step).min(HOST_CEILING),
            Dimension::Turns => self.steps.ceiling(),
            Dimension::HostCalls => self.host_calls.ceiling(),
            Dimension::InputTokens => self.input_tokens.ceiling(),
            Dimension::OutputTokens => self.output_tokens.ceiling(),
            Dimension::ResultBytes => self.result_bytes.ceiling(),
            Dimension::OutputBytes => self.output,
            Dimension::NoteBytes => self.notes,
            Dimension::Retries => self.retries.ceiling(),
        })
    }
}

impl RunLimits {
    /// The run's tank: what the plan writes, else `max_tasks` × the fork default (`unlimited` tasks count as 16).
    #[must_use]
    pub fn tank(&self) -> Amounts {
        let tasks = match self.max_tasks {
            Cap::Finite(n) => n.max(1),
            Cap::Unlimited => TASKS_FOR_UNLIMITED_TANK,
        };
        let each = self.fork.amounts();
        let written = self.budget.amounts(self.fork.fuel_per_step);
        Amounts::from_fn(|dimension| {
            written(dimension).unwrap_or_else(|| each.get(dimension).saturating_mul(tasks).min(HOST_CEILING))
        })
    }
}
