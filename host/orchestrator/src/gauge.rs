//! What the run has consumed against its caps: counted totals, calls by tool, water levels, the fuse. Counts and compares;
//! what follows from a level is decided elsewhere.

use sandfork_model::{Amounts, Cap, Dimension, RunCap, RunLimits, WaterLevels};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The run's meters.
pub(crate) struct Gauge {
    /// Caps that the plan writes, by dimension; what it does not write has no level.
    written: Amounts,
    /// Whether the plan writes any of them.
    has_written: bool,
    spent: [AtomicU64; Dimension::ALL.len()],
    model_calls: Counter,
    tool_calls: Counter,
    by_tool: BTreeMap<String, ToolCounter>,
    water: WaterLevels,
    fuse: Option<u64>,
    is_fused: AtomicBool,
}

struct ToolCounter {
    cap: Option<RunCap>,
    used: AtomicU64,
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

/// What a call counted against a tool's cap comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Within the cap, or without one.
    Within,
    /// One over a soft cap: answered, with the mark to converge.
    Converge { limit: u64 },
    /// Over the cap: not executed.
    Over { limit: u64 },
}

impl Gauge {
    pub(crate) fn new(limits: &RunLimits) -> Self {
        let written = limits.budget.amounts(limits.fork.fuel_per_step);
        let by_tool = limits.policy.tools.iter();
        let written = Amounts::from_fn(|dimension| written(dimension).unwrap_or(0));
        Self {
            has_written: written != Amounts::default(),
            written,
            spent: std::array::from_fn(|_| AtomicU64::new(0)),
            model_calls: Counter::new(limits.model_calls),
            tool_calls: Counter::new(limits.tool_calls),
            by_tool: by_tool
                .map(|(name, caps)| (name.clone(), ToolCounter { cap: caps.per_run, used: AtomicU64::new(0) }))
                .collect(),
            water: limits.policy.water,
            fuse: limits.policy.fuse,
            is_fused: AtomicBool::new(false),
        }
    }

    /// Adds to a dimension; answers with the mark that this very step passed, in percent.
    pub(crate) fn add(&self, dimension: Dimension, amount: u64) -> Option<u64> {
        if amount == 0 || self.written.get(dimension) == 0 {
            return None;
        }
        let spent = self.spent.get(dimension as usize)?;
        let before = spent.fetch_add(amount, Ordering::AcqRel);
        let (from, to) = (self.percent(dimension, before), self.percent(dimension, before.saturating_add(amount)));
        let marks = [self.water.save, self.water.spare, self.water.converge];
        marks.into_iter().rev().find(|mark| from < *mark && to >= *mark)
    }

    /// The highest level over all written caps with its dimension, in percent.
    pub(crate) fn level(&self) -> (Dimension, u64) {
        // Asked at every call of a tool and every request: a plan that writes no caps pays nothing for it.
        if !self.has_written {
            return (Dimension::Fuel, 0);
        }
        Dimension::ALL
            .into_iter()
            .map(|dimension| {
                let spent = self.spent.get(dimension as usize).map_or(0, |spent| spent.load(Ordering::Acquire));
                (dimension, self.percent(dimension, spent))
            })
            .fold((Dimension::Fuel, 0), |highest, next| if next.1 > highest.1 { next } else { highest })
    }

    /// Whether the run must converge: only what returns what there is may go on.
    pub(crate) fn is_converging(&self) -> bool {
        self.level().1 >= self.water.converge
    }

    /// Blows the fuse if it is due; true for the one caller that blew it.
    pub(crate) fn blow_fuse(&self) -> bool {
        let is_due = self.fuse.is_some_and(|mark| self.level().1 >= mark);
        is_due && !self.is_fused.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn is_fused(&self) -> bool {
        self.is_fused.load(Ordering::Acquire)
    }

    /// Counts a model call against the run's hard cap.
    pub(crate) fn count_model_call(&self) -> Result<(), u64> {
        self.model_calls.count()
    }

    /// Counts a tool call against the run's hard cap.
    pub(crate) fn count_tool_call(&self) -> Result<(), u64> {
        self.tool_calls.count()
    }

    /// Counts a call against its tool's cap. A call that is refused is not counted.
    pub(crate) fn count_call_of(&self, tool: &str) -> Counted {
        let Some(counter) = self.by_tool.get(tool) else { return Counted::Within };
        let (limit, slack) = match counter.cap {
            None => (u64::MAX, 0),
            Some(RunCap::Soft(limit)) => (limit, 1),
            Some(RunCap::Hard(cap)) => (cap.ceiling(), 0),
        };
        let counted = counter.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
            (used < limit.saturating_add(slack)).then_some(used + 1)
        });
        match counted {
            Ok(before) if before >= limit => Counted::Converge { limit },
            Ok(_) => Counted::Within,
            Err(_) => Counted::Over { limit },
        }
    }

    /// Calls so far of every tool that the plan counts, over the whole tree (HF-28, HF-29).
    pub(crate) fn calls_by_tool(&self) -> impl Iterator<Item = (&str, u64)> {
        self.by_tool.iter().map(|(name, counter)| (name.as_str(), counter.used.load(Ordering::Acquire)))
    }

    pub(crate) fn model_calls(&self) -> u64 {
        self.model_calls.used.load(Ordering::Acquire)
    }

    pub(crate) fn tool_calls(&self) -> u64 {
        self.tool_calls.used.load(Ordering::Acquire)
    }

    fn percent(&self, dimension: Dimension, spent: u64) -> u64 {
        let cap = u128::from(self.written.get(dimension));
        if cap == 0 {
            return 0;
        }
        u64::try_from(u128::from(spent) * 100 / cap).unwrap_or(u64::MAX)
    }
}
