//! One limit as a plan writes it. `0`, absent and `unlimited` are three different things (HOSTILE 16): absent is resolved
//! against the table of defaults before a `Cap` exists, `0` is `Finite(0)`, `unlimited` is the host's own ceiling.

use std::fmt;

/// The host's own ceiling for anything a plan calls `unlimited`: the largest integer that JSON readers agree on.
pub const HOST_CEILING: u64 = (1 << 53) - 1;

/// A limit on a countable thing, in that thing's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// At most this many; `Finite(0)` means none.
    Finite(u64),
    /// Written as `unlimited`: bounded by [`HOST_CEILING`] alone, and reported as such.
    Unlimited,
}

impl Cap {
    /// Whether one more fits after `used`.
    #[must_use]
    pub fn admits(self, used: u64) -> bool {
        used < self.ceiling()
    }

    /// The number this cap stands for; `unlimited` is the host's ceiling.
    #[must_use]
    pub fn ceiling(self) -> u64 {
        match self {
            Self::Finite(n) => n.min(HOST_CEILING),
            Self::Unlimited => HOST_CEILING,
        }
    }

    /// The cap of `n` such things together.
    #[must_use]
    pub fn times(self, n: u64) -> Self {
        match self {
            Self::Finite(each) => Self::Finite(each.saturating_mul(n).min(HOST_CEILING)),
            Self::Unlimited => Self::Unlimited,
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite(n) => write!(f, "{n}"),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}
