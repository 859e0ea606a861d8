//! How many sandboxes fit, and what each of them may take of a pool. Sizes a pool to the machine; knows no component.

use crate::machine;
use wasmtime::{Enabled, PoolingAllocationConfig};

/// Most core instances of one component.
pub(crate) const CORE_INSTANCES: usize = 16;
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

/// Memory kept warm per slot: zeroing it is cheaper than giving it back, and only then do forks scale over threads.
const KEEP_RESIDENT_BYTES: usize = 64 << 10;
/// The part of a stack that is zeroed in place between forks; most forks use less.
const STACK_KEEP_RESIDENT_BYTES: usize = 32 << 10;
/// Slots that may stay warm for agents that are not running. Bounds idle memory to about 25 MiB a pool.
const WARM_SLOTS: u32 = 256;
/// Bookkeeping of one component's instances: 16 core instances of a large language runtime take about half of it.
const COMPONENT_BYTES: usize = 1 << 20;
/// Memory mappings that a live fork takes besides its memories, measured.
const MAPPINGS_A_FORK: u64 = 2;
/// Memory mappings that a live linear memory takes, measured: untouched, image, reserve.
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
        "not one sandbox fits: each reserves {needed_bytes} bytes of address space and {free_bytes} are free \
         (hint: raise `ulimit -v`)"
    )]
    NoRoom {
        /// Bytes one sandbox reserves.
        needed_bytes: u64,
        /// Bytes that are free.
        free_bytes: u64,
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
            .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
            .table_keep_resident(KEEP_RESIDENT_BYTES)
            .async_stack_keep_resident(STACK_KEEP_RESIDENT_BYTES)
            .max_unused_warm_slots(WARM_SLOTS.min(forks))
            .decommit_batch_size(1)
            .pagemap_scan(Enabled::No);
        pool
    }

    /// How many of at most `asked` such components fit into half of the address space that is free: two pools share it.
    ///
    /// # Errors
    /// When not even one fits.
    pub(crate) fn fitting(self, asked: u32) -> Result<u32, EngineError> {
        let (needed_bytes, free_bytes) = (self.address_bytes(), machine::free_address_bytes());
        let fits = (free_bytes / 2) / needed_bytes;
        match u32::try_from(fits).unwrap_or(u32::MAX).min(asked) {
            0 if asked == 0 => Err(EngineError::NothingAsked),
            0 => Err(EngineError::NoRoom { needed_bytes, free_bytes }),
            forks => Ok(forks),
        }
    }
}

/// Memory mappings that a live component with this many memories takes.
pub(crate) fn mappings(memories: u32) -> u64 {
    MAPPINGS_A_FORK.saturating_add(MAPPINGS_A_MEMORY.saturating_mul(memories.into()))
}
