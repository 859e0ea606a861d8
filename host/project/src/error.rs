//! Why a project was not built, and why none was made. Each says what to do.

use sandfork_source::Problem;
use std::io;
use std::path::PathBuf;

/// Why there is no new component.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A piece of the toolchain is not there.
    #[error("{piece} is missing, which {language} agents are built with")]
    Missing {
        /// What is missing.
        piece: String,
        /// Which language needs it.
        language: &'static str,
        /// The one command that installs it, or what to do where no command can.
        remedy: String,
    },
    /// The toolchain ran and said no.
    #[error("{step} failed ({ended})")]
    Failed {
        /// Which step.
        step: String,
        /// How it ended: `exit status: 101`, or what kept it from starting.
        ended: String,
        /// The last lines it said.
        said: Vec<String>,
    },
    /// What the toolchain made cannot be an agent.
    #[error("the toolchain made a component that cannot be an agent: {message}")]
    Unacceptable {
        /// What is wrong with it.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// Whoever looked on no longer wanted it.
    #[error("the build was interrupted")]
    Stopped,
    /// The project is wrong.
    #[error("{0}")]
    Wrong(Problem),
    /// A file could not be read or written.
    #[error("{} cannot be {doing}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// `read`, `written`, …
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// Why no project was made. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum NewError {
    /// The name can name no agent of that language.
    #[error("`{shown}` cannot name a new agent: {why}")]
    Name {
        /// The name, cut.
        shown: String,
        /// What would have been right.
        why: &'static str,
    },
    /// There is something where the project should be.
    #[error("{} is already there and not empty", path.display())]
    Taken {
        /// Where.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("{} cannot be written: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
