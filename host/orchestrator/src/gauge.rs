//! What the run has consumed against its caps: counted totals and water levels. Counts and compares; what follows from a
//! level is the gate's business.

use sandfork_model::{Amounts, Cap, Dimension, RunLimits};
use std::sync::atomic::{AtomicU64, Ordering};

/// Marks of consumption, percent of the run's cap (GV-34).
pub(crate) const MARKS_PERCENT: [u64; 3] = [60, 80, 95];
/// From here on only critical children are admitted.
pub(crate) const SAVING_PERCENT: u64 = 80;
/// From here on nothing is admitted.
pub(crate) const CONVERGING_PERCENT: u64 = 95;

/// The run's meters.
pub(crate) struct Gauge {
    tank: Amounts,
    spent: [AtomicU64; Dimension::ALL.len()],
    model_calls: Counter,
    tool_calls: Counter,
}

struct Counter {
    cap: Option<Cap>,
    used: AtomicU64,
}

impl Counter {
    fn new(cap: Option<Cap>) -> Self {
        Self { cap, used: AtomicU64::new(0) }
    }

    /// Counts one more, or says what the hard cap is.
    fn count(&self) -> Result<(), u64> {
        let limit = self.cap.map_or(u64::MAX, Cap::ceiling);
        self.used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| (used < limit).then_some(used + 1))
            .map(drop)
            .map_err(|_| limit)
    }
}

impl Gauge {
    pub(crate) fn new(limits: &RunLimits) -> Self {
        Self {
            tank: limits.tank(),
            spent: std::array::from_fn(|_| AtomicU64::new(0)),
            model_calls: Counter::new(limits.model_calls),
            tool_calls: Counter::new(limits.tool_calls),
        }
    }

    /// Adds to a dimension; answers with the mark that this very step passed, in percent.
    pub(crate) fn add(&self, dimension: Dimension, amount: u64) -> Option<u64> {
        if amount == 0 {
            return None;
        }
        let spent = self.spent.get(dimension as usize)?;
        let before = spent.fetch_add(amount, Ordering::AcqRel);
        let (from, to) = (self.percent(dimension, before), self.percent(dimension, before.saturating_add(amount)));
        MARKS_PERCENT.into_iter().rev().find(|mark| from < *mark && to >= *mark)
    }

    /// The highest level over all dimensions with its dimension, in percent of the run's cap.
    pub(crate) fn level(&self) -> (Dimension, u64) {
        Dimension::ALL
            .into_iter()
            .map(|dimension| {
                let spent = self.spent.get(dimension as usize).map_or(0, |spent| spent.load(Ordering::Acquire));
                (dimension, self.percent(dimension, spent))
            })
            .fold((Dimension::Fuel, 0), |highest, next| if next.1 > highest.1 { next } else { highest })
    }

    /// Counts a model call against the run's hard cap.
    pub(crate) fn count_model_call(&self) -> Result<(), u64> {
        self.model_calls.count()
    }

    /// Counts a tool call against the run's hard cap.
    pub(crate) fn count_tool_call(&self) -> Result<(), u64> {
        self.tool_calls.count()
    }

    pub(crate) fn model_calls(&self) -> u64 {
        self.model_calls.used.load(Ordering::Acquire)
    }

    pub(crate) fn tool_calls(&self) -> u64 {
        self.tool_calls.used.load(Ordering::Acquire)
    }

    fn percent(&self, dimension: Dimension, spent: u64) -> u64 {
        let cap = u128::from(self.tank.get(dimension));
        if cap == 0 {
            return 0;
        }
        u64::try_from(u128::from(spent) * 100 / cap).unwrap_or(u64::MAX)
    }
}
