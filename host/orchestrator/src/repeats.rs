//! How much of what forks are told was told before in the same run (GV-51). Keeps digests of pieces, never a text; bounded.

use crate::guarded::Guarded;
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Pieces remembered: 65 536 digests are 1 MiB. What comes beyond counts as new.
const PIECES: usize = 65_536;

/// What all forks of a run were told.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    seen: Guarded<HashSet<u64>>,
    hasher: RandomState,
    opening: AtomicU64,
    repeated: AtomicU64,
}

impl Repeats {
    /// Takes the opening messages of one fork, of `bytes` in all, piece by piece. A piece that the same fork is told twice
    /// is repeated as well.
    pub(crate) fn tell<'a>(&self, bytes: u64, pieces: impl Iterator<Item = (Cow<'a, str>, u64)>) {
        // Digests are made outside the lock.
        let pieces: Vec<(u64, u64)> = pieces.map(|(text, bytes)| (self.hasher.hash_one(&*text), bytes)).collect();
        let mut repeated = 0_u64;
        {
            let mut seen = self.seen.lock();
            for (digest, bytes) in pieces {
                if seen.contains(&digest) {
                    repeated = repeated.saturating_add(bytes);
                } else if seen.len() < PIECES {
                    seen.insert(digest);
                }
            }
        }
        self.opening.fetch_add(bytes, Ordering::Relaxed);
        self.repeated.fetch_add(repeated.min(bytes), Ordering::Relaxed);
    }

    /// Bytes of all opening messages, and those of them that were told before.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.opening.load(Ordering::Relaxed), self.repeated.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // GV-51
    #[test]
    fn what_a_second_fork_is_told_again_is_repeated_and_what_is_its_own_is_not() {
        let repeats = Repeats::default();
        let tell = |own: &str| {
            let pieces = [("the style guide", 15), (own, 4)];
            repeats.tell(25, pieces.into_iter().map(|(text, bytes)| (Cow::Borrowed(text), bytes)));
        };
        tell("fork");
        assert_eq!(repeats.bytes(), (25, 0));
        tell("goal");
        assert_eq!(repeats.bytes(), (50, 15));
    }
}
