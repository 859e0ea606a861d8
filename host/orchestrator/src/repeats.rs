//! How much of what forks are told was told before in the same run (GV-51). Keeps digests of pieces, never a text; bounded.

use crate::guarded::Guarded;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

/// Whether something that is kept and told whole was told before: then its pieces need not be looked up again.
#[derive(Debug, Default)]
pub(crate) struct Retold(AtomicBool);

impl Retold {
    /// Whether this is not the first time.
    fn is_again(&self) -> bool {
        self.0.load(Ordering::Relaxed) || self.0.swap(true, Ordering::Relaxed)
    }
}

/// What one fork is told, piece by piece.
pub(crate) struct Telling<'a> {
    repeats: &'a Repeats,
    fresh: Vec<(u64, u64)>,
    repeated: u64,
}

impl Telling<'_> {
    /// A piece by its text, or by a name that stands for it, and its bytes.
    pub(crate) fn piece(&mut self, text: &str, bytes: u64) {
        // Digests are made outside the lock.
        self.fresh.push((self.repeats.hasher.hash_one(text), bytes));
    }

    /// Pieces that are always told together.
    pub(crate) fn kept<'p>(&mut self, retold: &Retold, pieces: impl IntoIterator<Item = (&'p str, u64)>) {
        let is_again = retold.is_again();
        for (text, bytes) in pieces {
            if is_again {
                self.repeated = self.repeated.saturating_add(bytes);
            } else {
                self.piece(text, bytes);
            }
        }
    }
}

impl Repeats {
    /// Takes the opening messages of one fork, of `bytes` in all. A piece that the same fork is told twice is repeated as
    /// well.
    pub(crate) fn tell(&self, bytes: u64, pieces: impl FnOnce(&mut Telling<'_>)) {
        let mut telling = Telling { repeats: self, fresh: Vec::with_capacity(8), repeated: 0 };
        pieces(&mut telling);
        let Telling { fresh, mut repeated, .. } = telling;
        {
            let mut seen = self.seen.lock();
            for (digest, bytes) in fresh {
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
        let (repeats, guide) = (Repeats::default(), Retold::default());
        let tell = |own: &str| {
            repeats.tell(25, |telling| {
                telling.kept(&guide, [("the style guide", 15)]);
                telling.piece(own, 4);
            });
        };
        tell("fork");
        assert_eq!(repeats.bytes(), (25, 0));
        tell("goal");
        assert_eq!(repeats.bytes(), (50, 15));
        tell("goal");
        assert_eq!(repeats.bytes(), (75, 34));
    }

    // GV-51: two grants may have a tool in common.
    #[test]
    fn a_piece_is_known_again_in_other_company() {
        let (repeats, one, other) = (Repeats::default(), Retold::default(), Retold::default());
        repeats.tell(10, |telling| telling.kept(&one, [("a tool", 10)]));
        repeats.tell(14, |telling| telling.kept(&other, [("a tool", 10), ("another", 4)]));
        assert_eq!(repeats.bytes(), (24, 10));
    }
}
