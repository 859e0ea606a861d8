//! What one fork may hold: linear memories and tables together, counted against its own cap and against all live forks of
//! the run. A refused growth is just -1 to the guest, so it is written down here for the outcome to name it.

use crate::pool::{CORE_INSTANCES, MEMORIES, TABLE_ELEMENTS, TABLES};
use sandfork_model::port::Allowance;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::ResourceLimiter;

/// Bytes of one table element: the engine keeps a pointer for each.
const ELEMENT_BYTES: usize = 8;

/// What every memory but the largest may hold where components are nested. Strings that one component hands to another are
/// copied from memory to memory without fuel and without a yield, so the smaller memory bounds both: 1.25 MiB is room for the
/// stubs and adapters of today's toolchains, and at most about 10 ms between two yields of a guest that does nothing else.
const LESSER_MEMORY_BYTES: usize = 20 << 16;

/// The memory of one fork. Dropping it gives the run back exactly what it took.
#[derive(Debug)]
pub(crate) struct Memory {
    cap_bytes: u64,
    held_bytes: u64,
    peak_bytes: u64,
    /// The growth that was allowed last: taken back if the engine then could not make it.
    last_bytes: u64,
    run_in_use: Arc<AtomicU64>,
    run_cap_bytes: u64,
    refused: Option<&'static str>,
    /// The size of each memory, where they bound each other; which is which does not matter.
    sizes: Option<Vec<usize>>,
}

impl Memory {
    /// Nothing held yet, by a component with others nested in it or without.
    pub(crate) fn new(allowance: &Allowance, is_nested: bool) -> Self {
        Self {
            sizes: is_nested.then(Vec::new),
            cap_bytes: allowance.memory_bytes,
            held_bytes: 0,
            peak_bytes: 0,
            last_bytes: 0,
            run_in_use: Arc::clone(&allowance.memory_in_use),
            run_cap_bytes: allowance.memory_total_bytes,
            refused: None,
        }
    }

    /// Most bytes held at one time.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// The limit that refused the last refused growth: `memory` or `memory_total`.
    pub(crate) fn refused(&self) -> Option<&'static str> {
        self.refused
    }

    /// Whether every memory but the largest stays small when one goes from `current` to `desired`; remembers it if so.
    fn is_balanced(&mut self, current: usize, desired: usize) -> bool {
        let Some(sizes) = self.sizes.as_mut() else {
            return true;
        };
        match sizes.iter_mut().find(|size| **size == current) {
            Some(size) => *size = desired,
            None => sizes.push(desired),
        }
        if sizes.iter().filter(|size| **size > LESSER_MEMORY_BYTES).count() <= 1 {
            return true;
        }
        if let Some(size) = sizes.iter_mut().find(|size| **size == desired) {
            *size = current;
        }
        self.refused = Some("memory");
        false
    }

    /// Takes `bytes` more, of the fork and of the run, or neither.
    fn take(&mut self, bytes: u64) -> bool {
        let Some(held) = self.held_bytes.checked_add(bytes).filter(|held| *held <= self.cap_bytes) else {
            self.refused = Some("memory");
            return false;
        };
        let total = |in_use: u64| in_use.checked_add(bytes).filter(|sum| *sum <= self.run_cap_bytes);
        if self.run_in_use.fetch_update(Ordering::AcqRel, Ordering::Acquire, total).is_err() {
            self.refused = Some("memory_total");
            return false;
        }
        self.held_bytes = held;
        self.peak_bytes = self.peak_bytes.max(held);
        self.last_bytes = bytes;
        true
    }

    /// Gives a growth that was taken back again if it would unbalance the memories.
    fn keep_balance(&mut self, current: usize, desired: usize) -> bool {
        let is_balanced = self.is_balanced(current, desired);
        if !is_balanced {
            self.undo();
        }
        is_balanced
    }

    fn give_back(&mut self, bytes: u64) {
        self.held_bytes = self.held_bytes.saturating_sub(bytes);
        self.run_in_use.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// The engine could not make the growth that was just allowed.
    fn undo(&mut self) {
        let bytes = std::mem::take(&mut self.last_bytes);
        self.give_back(bytes);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.give_back(self.held_bytes);
    }
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        // Beyond what the module itself declared: the guest's own limit, not one of ours.
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        // Taken first: a size that the engine then cannot make stays on the list, which errs on the side of refusing.
        Ok(self.take(bytes(desired.saturating_sub(current))) && self.keep_balance(current, desired))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            // The pool's own cap on a table's size is a memory limit; a smaller declared one is the guest's.
            if maximum >= Some(TABLE_ELEMENTS) {
                self.refused = Some("memory");
            }
            return Ok(false);
        }
        Ok(self.take(bytes(desired.saturating_sub(current).saturating_mul(ELEMENT_BYTES))))
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo();
        Ok(())
    }

    fn instances(&self) -> usize {
        CORE_INSTANCES
    }

    fn tables(&self) -> usize {
        TABLES
    }

    fn memories(&self) -> usize {
        MEMORIES
    }
}

fn bytes(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_model::port::Leash;

    fn allowance(cap: u64, in_use: &Arc<AtomicU64>, total: u64) -> Allowance {
        Allowance {
            leash: Leash { fuel_left: 0, fuel_to_deadline: None },
            memory_bytes: cap,
            memory_in_use: Arc::clone(in_use),
            memory_total_bytes: total,
            output_bytes: 0,
        }
    }

    fn memory(cap: u64, in_use: &Arc<AtomicU64>, total: u64) -> Memory {
        Memory::new(&allowance(cap, in_use, total), false)
    }

    // HOSTILE 13. With a limiter that looks at each memory alone the third growth would pass.
    #[test]
    fn memories_and_tables_count_together() {
        let in_use = Arc::new(AtomicU64::new(0));
        let mut fork = memory(100, &in_use, 1_000);
        assert!(fork.memory_growing(0, 60, None).expect("never an error"));
        assert!(fork.table_growing(0, 5, None).expect("never an error"));
        assert!(!fork.memory_growing(0, 1, None).expect("never an error"));
        assert_eq!((fork.peak_bytes(), fork.refused()), (100, Some("memory")));
    }

    #[test]
    fn the_run_refuses_what_the_fork_alone_could_have() {
        let in_use = Arc::new(AtomicU64::new(950));
        let mut fork = memory(100, &in_use, 1_000);
        assert!(!fork.memory_growing(0, 60, None).expect("never an error"));
        assert_eq!(fork.refused(), Some("memory_total"));
        assert_eq!(in_use.load(Ordering::Acquire), 950, "a refusal takes nothing");
    }

    // Without the return on drop a run's memory would leak with every fork; a double return would wrap below zero.
    #[test]
    fn every_byte_comes_back_exactly_once() {
        let in_use = Arc::new(AtomicU64::new(0));
        let mut fork = memory(100, &in_use, 1_000);
        assert!(fork.memory_growing(0, 60, None).expect("never an error"));
        assert!(fork.memory_growing(60, 90, None).expect("never an error"));
        fork.memory_grow_failed(wasmtime::Error::msg("no room")).expect("never an error");
        fork.memory_grow_failed(wasmtime::Error::msg("no room")).expect("never an error");
        assert_eq!(in_use.load(Ordering::Acquire), 60);
        drop(fork);
        assert_eq!(in_use.load(Ordering::Acquire), 0);
    }

    #[test]
    fn a_guest_beyond_its_own_declared_maximum_met_no_limit_of_ours() {
        let in_use = Arc::new(AtomicU64::new(0));
        let mut fork = memory(100, &in_use, 1_000);
        assert!(!fork.memory_growing(0, 60, Some(59)).expect("never an error"));
        assert!(!fork.table_growing(0, 6, Some(5)).expect("never an error"));
        assert_eq!(fork.refused(), None);
        assert!(!fork.table_growing(0, TABLE_ELEMENTS + 1, Some(TABLE_ELEMENTS)).expect("never an error"));
        assert_eq!(fork.refused(), Some("memory"));
    }

    // Without this two large memories could hand each other 32 MiB strings: 20 ms each, for a hundred units of fuel.
    #[test]
    fn of_nested_components_only_one_may_hold_much() {
        let in_use = Arc::new(AtomicU64::new(0));
        let mut fork = Memory::new(&allowance(1 << 30, &in_use, 1 << 30), true);
        assert!(fork.memory_growing(0, 0, None).expect("never an error"));
        assert!(fork.memory_growing(0, LESSER_MEMORY_BYTES, None).expect("never an error"));
        assert!(fork.memory_growing(0, 8 << 20, None).expect("never an error"));
        let held = in_use.load(Ordering::Acquire);
        let desired = LESSER_MEMORY_BYTES + 65_536;
        assert!(!fork.memory_growing(LESSER_MEMORY_BYTES, desired, None).expect("never an error"));
        assert_eq!((fork.refused(), in_use.load(Ordering::Acquire)), (Some("memory"), held));
        assert!(fork.memory_growing(8 << 20, 9 << 20, None).expect("the largest grows on"));
        assert!(!fork.memory_growing(LESSER_MEMORY_BYTES, desired, None).expect("never an error"));
    }
}
