//! How many sandboxes fit, and what each of them may take of a pool. Sizes a pool to the machine; knows no component.

use crate::engine::Profile;
use crate::machine;
use wasmtime::{Enabled, PoolingAllocationConfig};

/// Most core instances of one component. A Python guest has 38, a QuickJS guest 11.
pub(crate) const CORE_INSTANCES: usize = 64;
/// Most linear memories of one component.
pub(crate) const MEMORIES: usize = 8;
/// Most tables of one component.
pub(crate) const TABLES: usize = 16;
/// Most elements of one table: large language runtimes have about ten thousand functions that can be pointed to.
pub(crate) const TABLE_ELEMENTS: usize = 20_000;

/// Address space each linear memory reserves: all of it, so that no access needs a bounds check.
pub(crate) const MEMORY_RESERVATION_BYTES: u64 = 4 << 30;
/// Address space behind each linear memory that traps when touched.
pub(crate) const MEMORY_GUARD_BYTES: u64 = 32 << 20;
/// Native stack of one fork. A guest may use 512 KiB of it; host functions need the rest, and overflowing it would abort
/// the process.
pub(crate) const STACK_BYTES: usize = 2 << 20;

/// Memory kept in each slot between forks: zeroing it is cheaper than giving it back, and only then do forks scale over
/// threads.
const KEPT_MEMORY_BYTES: usize = 64 << 10;
/// The part of each stack that is zeroed in place between forks; most forks use less.
const KEPT_STACK_BYTES: usize = 32 << 10;
/// A page of the host.
const PAGE_BYTES: usize = 4 << 10;
/// What the slots of a pool may keep together: where there are many, each keeps less.
const KEPT_BYTES: usize = 256 << 20;
/// Slots that stay free for agents that ran before, so that these find their memory as they left it.
const WARM_SLOTS: u32 = 256;
/// Bookkeeping of one component's instances: 16 core instances of a large language runtime take about half of it.
const COMPONENT_BYTES: usize = 1 << 20;
/// Most language guests alive at one time: their slots are large.
const LIVE_GUESTS: u32 = 1_024;
/// Memory mappings of one stack and its guard, made with the pool.
const MAPPINGS_A_STACK: u64 = 2;
/// Memory mappings that a live linear memory takes: its image, the rest of its pages, its reserve.
const MAPPINGS_A_MEMORY: u64 = 3;

/// What is asked of the pools.
#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// Sandboxes alive at one time, running and waiting. At least 1; fewer where the machine has less room.
    pub live_forks: u32,
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self { live_forks: 1_024 }
    }
}

/// No engine can be made here: a fault of the host, not of an agent.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A pool for no forks was asked for.
    #[error("a host for 0 live sandboxes can run nothing: ask for at least 1")]
    NothingAsked,
    /// Not even one sandbox fits.
    #[error(
        "not one sandbox fits: each reserves {needed_bytes} bytes of address space and {free_bytes} are free, with \
         {mappings} memory mappings (hint: raise `ulimit -v` or vm.max_map_count)"
    )]
    NoRoom {
        /// Bytes one sandbox reserves.
        needed_bytes: u64,
        /// Bytes that are free.
        free_bytes: u64,
        /// Memory mappings that are free.
        mappings: u64,
    },
    /// The engine refused its settings or could not reserve its pool.
    #[error("the sandbox engine cannot start: {0}")]
    Engine(String),
}

/// What one component may take at most in a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// Core instances.
    pub(crate) core_instances: u32,
    /// Linear memories.
    pub(crate) memories: u32,
    /// Tables.
    pub(crate) tables: u32,
    /// Elements of each table.
    pub(crate) table_elements: usize,
}

impl Share {
    /// Address space that one such component reserves.
    fn address_bytes(self) -> u64 {
        let memory = MEMORY_RESERVATION_BYTES.saturating_add(MEMORY_GUARD_BYTES);
        let table = u64::try_from(self.table_elements).unwrap_or(u64::MAX).saturating_mul(16).next_multiple_of(4_096);
        let stack = u64::try_from(STACK_BYTES).unwrap_or(u64::MAX).saturating_add(4_096);
        memory
            .saturating_mul(self.memories.into())
            .saturating_add(table.saturating_mul(self.tables.into()))
            .saturating_add(stack)
    }

    /// Memory mappings that such a component takes at most.
    pub(crate) fn mappings(self) -> u64 {
        MAPPINGS_A_STACK.saturating_add(MAPPINGS_A_MEMORY.saturating_mul(self.memories.into()))
    }

    /// The pool of `forks` such components.
    pub(crate) fn pool(self, forks: u32) -> PoolingAllocationConfig {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(forks)
            .total_core_instances(forks.saturating_mul(self.core_instances))
            .total_memories(forks.saturating_mul(self.memories))
            .total_tables(forks.saturating_mul(self.tables))
            .total_stacks(forks)
            // No guest can have one: the proposal is off.
            .total_gc_heaps(0)
            .max_core_instances_per_component(self.core_instances)
            .max_memories_per_component(self.memories)
            .max_tables_per_component(self.tables)
            .max_memories_per_module(1)
            .max_tables_per_module(self.tables)
            .table_elements(self.table_elements)
            .max_memory_size(usize::try_from(MEMORY_RESERVATION_BYTES).unwrap_or(usize::MAX))
            .max_component_instance_size(COMPONENT_BYTES)
            .max_core_instance_size(COMPONENT_BYTES)
            .linear_memory_keep_resident(kept(KEPT_MEMORY_BYTES, forks))
            .table_keep_resident(kept(KEPT_MEMORY_BYTES, forks))
            .async_stack_keep_resident(kept(KEPT_STACK_BYTES, forks))
            .max_unused_warm_slots(WARM_SLOTS.min(forks))
            .decommit_batch_size(1)
            .pagemap_scan(Enabled::No);
        pool
    }

    /// How many of at most `asked` such components fit into half of the address space that is free, two pools sharing it, and
    /// into this many memory mappings.
    ///
    /// # Errors
    /// When not even one fits.
    pub(crate) fn fitting(self, asked: u32, mappings: u64) -> Result<u32, EngineError> {
        let (needed_bytes, free_bytes) = (self.address_bytes(), machine::free_address_bytes());
        let by_mappings = mappings / self.mappings();
        let fits = by_mappings.min((free_bytes / 2) / needed_bytes);
        match u32::try_from(fits).unwrap_or(u32::MAX).min(asked) {
            0 if asked == 0 => Err(EngineError::NothingAsked),
            0 => Err(EngineError::NoRoom { needed_bytes, free_bytes, mappings }),
            forks => Ok(forks),
        }
    }
}

/// How many language guests may be alive at one time, when `live_forks` of all kinds may and the process has this many memory
/// mappings free: what scripts leave, and at least a sixth, so that a default kernel has room for ten thousand scripts.
pub(crate) fn live_guests(live_forks: u32, mappings: u64) -> u32 {
    let each = Profile::Wide.share().mappings();
    let scripts = Profile::Tight.share().mappings().saturating_mul(live_forks.into());
    let fit = mappings.saturating_sub(scripts).max(mappings / 6) / each;
    u32::try_from(fit).unwrap_or(u32::MAX).min(live_forks).min(LIVE_GUESTS)
}

/// The part of `most` that each of `forks` slots may keep, in whole pages and at least one.
fn kept(most: usize, forks: u32) -> usize {
    let share = KEPT_BYTES / usize::try_from(forks.max(1)).unwrap_or(usize::MAX);
    let pages = (share / PAGE_BYTES).max(1);
    most.min(pages.saturating_mul(PAGE_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_slots_keep_less_each() {
        assert_eq!(kept(64 << 10, 1), 64 << 10);
        assert_eq!(kept(64 << 10, 1_024), 64 << 10);
        assert_eq!(kept(64 << 10, 10_000), 24 << 10);
        assert_eq!(kept(64 << 10, u32::MAX), PAGE_BYTES);
    }

    // Beyond vm.max_map_count the kernel refuses mappings anywhere in the process, not only in sandboxes.
    #[test]
    fn both_pools_together_keep_to_the_mappings_of_the_process() {
        let (tight, wide) = (Profile::Tight.share().mappings(), Profile::Wide.share().mappings());
        for (live_forks, mappings) in [(1, 61_000), (1_024, 61_000), (12_000, 61_000), (1_000_000, 61_000), (64, 1_000)]
        {
            let guests = live_guests(live_forks, mappings);
            let scripts = (mappings - wide * u64::from(guests)) / tight;
            assert!(guests <= live_forks && guests >= 1, "{live_forks}: {guests}");
            assert!(scripts * tight + u64::from(guests) * wide <= mappings);
            assert!(scripts >= u64::from(live_forks).min(mappings / tight / 2), "{live_forks}: {scripts}");
        }
        assert_eq!(live_guests(1_024, 61_000), 1_024, "the default fits a default kernel");
        assert_eq!(live_guests(1_024, u64::MAX), 1_024);
    }
}
