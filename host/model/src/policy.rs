//! What the gate and the tool door do when things get tight. All of it is off unless a plan writes it, but for the water
//! levels, which concern only caps that a plan writes.

use crate::cap::Cap;
use crate::request::Ask;
use std::collections::BTreeMap;

/// The policies of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// What is kept back from dispatch (GV-31).
    pub floors: Floors,
    /// What happens to a request that the budget cannot carry (GV-29).
    pub on_shortage: OnShortage,
    /// Marks of consumption (GV-34).
    pub water: WaterLevels,
    /// Percent of a written cap at which the run's fuse goes (GV-49); `None`: never.
    pub fuse: Option<u64>,
    /// Call caps and result caps by tool.
    pub tools: BTreeMap<String, ToolLimits>,
    /// Tools denied from a depth on, although they are granted and told of (HF-04, HF-05).
    pub deny_at_depth: BTreeMap<u32, Vec<String>>,
    /// The loop detector (HF-20); `None`: off.
    pub loop_detector: Option<LoopDetector>,
    /// Model tiers by name: the price of a token in percent.
    pub tiers: BTreeMap<String, u64>,
    /// The tier of every fork below depth 0 (HF-02); `None`: the normal one.
    pub child_tier: Option<String>,
    /// How often one fork may fork (HF-26); `None`: as often as its budget carries.
    pub rounds: Option<Rounds>,
}

/// Amounts of the run's tank that no child is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floors {
    /// For the root's own final answer.
    pub root: Ask,
    /// For acceptance: reviewers may draw on it, nobody else.
    pub acceptance: Ask,
}

/// What to do when a reservation falls short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnShortage {
    /// Refuse with `budget_exceeded`.
    #[default]
    Refuse,
    /// Wait, in order, if the ask fits once siblings have ended; else refuse.
    Queue,
    /// Give what is left if that is at least the request's `budget_min`; else refuse.
    Shrink,
    /// Try again at another model tier; else refuse.
    Tier(String),
}

/// Percent of the run's written caps from which on less is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaterLevels {
    /// From here on low-value requests are refused.
    pub save: u64,
    /// From here on only critical requests are admitted, at the cheapest tier.
    pub spare: u64,
    /// From here on nothing is admitted and tools are refused: return what there is.
    pub converge: u64,
}

impl Default for WaterLevels {
    fn default() -> Self {
        Self { save: 60, spare: 80, converge: 95 }
    }
}

/// Caps of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolLimits {
    /// Calls by one fork.
    pub per_fork: Option<Cap>,
    /// Calls in the whole run.
    pub per_run: Option<RunCap>,
    /// Estimated tokens of one result; more is cut, visibly (HF-19).
    pub result_tokens: Option<u64>,
}

/// A cap counted over the run (HF-30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCap {
    /// Call N + 1 is answered with a mark to converge, call N + 2 is refused.
    Soft(u64),
    /// Call N + 1 is refused.
    Hard(Cap),
}

/// When a fork is taken to go in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopDetector {
    /// Calls looked back upon.
    pub window: usize,
    /// Calls of one tool without progress among them that trigger.
    pub threshold: usize,
}

impl Default for LoopDetector {
    fn default() -> Self {
        Self { window: 6, threshold: 4 }
    }
}

/// How often one fork may fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Calls with more than one request. Once they are used up, every later fork is refused.
    pub parallel: u64,
    /// Calls with one request before that.
    pub serial: u64,
}
