//! The words for how a fork ended.

use serde::{Deserialize, Serialize};

/// How a fork ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum Status {
    /// Returned an output that holds.
    Ok,
    /// Ended badly by its own doing.
    #[default]
    Failed,
    /// Met its wall-clock limit, or the run's.
    Timeout,
    /// Burnt its fuel.
    OutOfFuel,
    /// Met another limit of its budget.
    OutOfBudget,
    /// Never ran: the gate said no.
    Refused,
    /// Lacks input.
    Blocked,
    /// Stopped from above, or lost to siblings.
    Cancelled,
    /// A word that this SDK is too old for.
    Other(String),
}

impl Status {
    /// The word in outcomes, events and reports.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::OutOfFuel => "out_of_fuel",
            Self::OutOfBudget => "out_of_budget",
            Self::Refused => "refused",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for Status {
    fn from(word: String) -> Self {
        let known = [
            Self::Ok,
            Self::Failed,
            Self::Timeout,
            Self::OutOfFuel,
            Self::OutOfBudget,
            Self::Refused,
            Self::Blocked,
            Self::Cancelled,
        ];
        known.into_iter().find(|status| status.name() == word).unwrap_or(Self::Other(word))
    }
}

impl From<Status> for String {
    fn from(status: Status) -> Self {
        status.name().to_owned()
    }
}
