//! The languages an agent can be written in, and their words. What each needs to be built is its toolchain's business.

/// A language of agent projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rust, with the crate `sandfork-guest`.
    Rust,
    /// JavaScript on QuickJS.
    Js,
    /// TypeScript on StarlingMonkey.
    Ts,
    /// Python on CPython.
    Python,
}

impl Language {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Rust, Self::Js, Self::Ts, Self::Python];

    /// The word in `agent.yaml` and after `--lang`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Js => "js",
            Self::Ts => "ts",
            Self::Python => "python",
        }
    }

    /// The language of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The one command that fetches what a fresh project needs; `None` where the toolchain does it while building.
    #[must_use]
    pub fn set_up(self) -> Option<&'static str> {
        match self {
            Self::Rust => None,
            Self::Js | Self::Ts => Some("npm install"),
            Self::Python => Some("python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"),
        }
    }
}
