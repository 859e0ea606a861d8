//! How the command line ends: one list of edges, each with its documented code. Scripts depend on these numbers.

use sandfork_model::RunStatus;
use std::process::ExitCode;

/// Why the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything asked for is done and ok.
    Completed,
    /// The run's root, or a task whose failure counts, is not ok.
    Failed,
    /// Nothing ran: the command, the plan or a script is wrong.
    Usage,
    /// Something below was not ok.
    Partial,
    /// The host itself broke.
    Broken,
    /// Stopped from outside.
    Interrupted,
}

impl Exit {
    /// Every edge, in the order of `--help`.
    pub(crate) const ALL: [Self; 6] =
        [Self::Completed, Self::Failed, Self::Usage, Self::Partial, Self::Broken, Self::Interrupted];

    /// The number the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Completed => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::Broken => 4,
            Self::Interrupted => 130,
        }
    }

    /// What it means, for `--help`.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Completed => "completed: everything asked for is ok",
            Self::Failed => "failed: the root, or a task with `on_failure: propagate`, is not ok",
            Self::Usage => "nothing ran: the command, plan or script is wrong",
            Self::Partial => "partial: something below was not ok",
            Self::Broken => "the host itself broke",
            Self::Interrupted => "interrupted; what had finished is in the report",
        }
    }
}

impl From<RunStatus> for Exit {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Completed => Self::Completed,
            RunStatus::Failed => Self::Failed,
            RunStatus::Partial => Self::Partial,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_that_scripts_depend_on() {
        assert_eq!(Exit::ALL.map(Exit::code), [0, 1, 2, 3, 4, 130]);
    }
}
