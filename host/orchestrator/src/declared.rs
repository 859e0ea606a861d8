//! The limits that a fork is told: as declared, what was granted and not what is left, times before clamping. The forks of
//! one call mostly have the same, so the text of the last ones is kept.

use crate::fork::Fork;
use crate::guarded::Guarded;
use crate::prose::{Prose, quote};
use crate::repeats::Retold;
use sandfork_model::{Amounts, Dimension};
use std::fmt::Write as _;
use std::sync::Arc;

/// What one fork may spend, and its ceilings.
#[derive(Debug, PartialEq, Eq)]
struct Limits {
    granted: Amounts,
    own_turns: u64,
    memory_bytes: u64,
    timeout_ms: u64,
    tier: Option<String>,
}

impl Limits {
    fn of(fork: &Fork) -> Self {
        let granted = fork.state.lock().budget.as_ref().map_or_else(Amounts::default, |budget| *budget.granted());
        Self {
            own_turns: granted.get(Dimension::Turns).min(fork.ceilings.steps),
            granted,
            memory_bytes: fork.ceilings.memory_bytes,
            timeout_ms: u64::try_from(fork.ceilings.declared_timeout.as_millis()).unwrap_or(u64::MAX),
            tier: fork.tier.clone(),
        }
    }

    fn to_json(&self) -> String {
        let mut text = String::with_capacity(256);
        for (dimension, amount) in self.granted.iter() {
            text.push(if text.is_empty() { '{' } else { ',' });
            // Writing to a String cannot fail.
            let _ = write!(text, "\"{dimension}\":{amount}");
        }
        let Self { own_turns, memory_bytes, timeout_ms, .. } = self;
        let _ = write!(text, ",\"steps\":{own_turns},\"memory\":{memory_bytes},\"timeout_ms\":{timeout_ms}");
        if let Some(tier) = &self.tier {
            text.push_str(",\"tier\":");
            quote(&mut text, tier);
        }
        text.push('}');
        text
    }
}

/// Limits, written down.
#[derive(Debug)]
pub(crate) struct Declared {
    of: Limits,
    /// A JSON object as text.
    pub(crate) json: String,
    /// The same as a line of an opening message.
    pub(crate) line: Prose,
    pub(crate) retold: Retold,
}

/// The last limits that were written down.
#[derive(Debug, Default)]
pub(crate) struct Declarations(Guarded<Option<Arc<Declared>>>);

impl Declarations {
    /// The limits of a fork.
    pub(crate) fn of(&self, fork: &Fork) -> Arc<Declared> {
        let of = Limits::of(fork);
        let mut last = self.0.lock();
        if let Some(declared) = last.as_ref().filter(|declared| declared.of == of) {
            return Arc::clone(declared);
        }
        let (json, mut line) = (of.to_json(), Prose::default());
        for part in ["Remaining budget: ", &json, "\n"] {
            line.push(part);
        }
        let declared = Arc::new(Declared { of, json, line, retold: Retold::default() });
        *last = Some(Arc::clone(&declared));
        declared
    }
}
