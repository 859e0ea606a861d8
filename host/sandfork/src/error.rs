//! The two ways in which a host does not come to a record. An agent's failure is neither: it is in the record.

use crate::state::ClaimError;
use sandfork_orchestrator::Broken;
use sandfork_report::Failure;

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Nothing ran: the plan, a script or what was asked for is wrong.
    #[error("{0}")]
    NotStarted(Failure),
    /// The host itself broke.
    #[error("the host broke: {}", .0.message)]
    Broken(Broken),
}

impl HostError {
    /// The host broke while it did something; `what` says while doing what, and what the system said.
    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Self::Broken(Broken { message: what.into() })
    }
}

impl From<Failure> for HostError {
    fn from(failure: Failure) -> Self {
        Self::NotStarted(failure)
    }
}

impl From<Broken> for HostError {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<ClaimError> for HostError {
    fn from(error: ClaimError) -> Self {
        if error.is_usage() {
            Self::NotStarted(crate::problem::usage(error.to_string()))
        } else {
            Self::broken(error.to_string())
        }
    }
}
