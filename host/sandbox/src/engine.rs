//! The two engines, every setting written out: defaults moved between versions of wasmtime, and some of today's are open to
//! advisories that these settings close. Knows no component and no fork.

use crate::features::GUEST_FEATURES;
use crate::pool::{
    CORE_INSTANCES, EngineError, MEMORIES, MEMORY_GUARD_BYTES, MEMORY_RESERVATION_BYTES, STACK_BYTES, Share,
    TABLE_ELEMENTS, TABLES,
};
use crate::prices;
use std::num::NonZeroUsize;
use wasmparser::WasmFeatures;
use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, OptLevel, ProfilingStrategy, RegallocAlgorithm, Strategy,
    WasmBacktraceDetails,
};

/// Native stack a guest may use; deeper recursion is a trap.
const GUEST_STACK_BYTES: usize = 512 << 10;
/// Frames of a trap's trace: the host never shows one, so few are enough.
const TRACE_FRAMES: usize = 4;

/// Which engine a component is compiled for. They share no store, type or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Scripts: one memory, hardly a table, straight-line code. Compiled cheaply.
    Tight,
    /// Language guests. Compiled for speed.
    Wide,
}

impl Profile {
    /// What one component may take.
    pub(crate) fn share(self) -> Share {
        match self {
            Self::Tight => Share { core_instances: 4, memories: 1, tables: 1, table_elements: 64 },
            Self::Wide => Share {
                core_instances: cap(CORE_INSTANCES),
                memories: cap(MEMORIES),
                tables: cap(TABLES),
                table_elements: TABLE_ELEMENTS,
            },
        }
    }

    /// The settings of this profile's engine, for a pool of `forks`.
    pub(crate) fn settings(self, forks: u32) -> Config {
        let mut config = Config::new();
        // One by one, so that a proposal which a newer parser knows is off until the list says otherwise.
        for feature in WasmFeatures::all().iter() {
            config.wasm_features(feature, GUEST_FEATURES.contains(feature));
        }
        config
            .gc_support(false)
            .shared_memory(false)
            .concurrency_support(false)
            // Winch had sandbox escapes in 2026.
            .strategy(Strategy::Cranelift)
            .consume_fuel(true)
            .operator_cost(prices::operator_costs())
            // Fuel yields are the leash: exact, and they let timers fire on time. Epochs would only add a second one.
            .epoch_interruption(false)
            .cranelift_nan_canonicalization(true)
            .relaxed_simd_deterministic(true)
            // Two advisories of 2026 only hit builds without these.
            .signals_based_traps(true)
            .memory_init_cow(true)
            .memory_reservation(MEMORY_RESERVATION_BYTES)
            .memory_guard_size(MEMORY_GUARD_BYTES)
            .guard_before_linear_memory(true)
            .memory_may_move(false)
            .max_wasm_stack(GUEST_STACK_BYTES)
            .async_stack_size(STACK_BYTES)
            // A stack never carries one fork's values into the next.
            .async_stack_zeroing(true)
            .wasm_backtrace_details(WasmBacktraceDetails::Disable)
            .wasm_backtrace_max_frames(NonZeroUsize::new(TRACE_FRAMES))
            .debug_info(false)
            .profiler(ProfilingStrategy::None)
            .allocation_strategy(InstanceAllocationStrategy::Pooling(self.share().pool(forks)));
        match self {
            // Time grows with the size of the code alone, and scripts run their code once.
            Self::Tight => {
                config.cranelift_opt_level(OptLevel::None).cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass)
            }
            Self::Wide => config
                .cranelift_opt_level(OptLevel::Speed)
                .cranelift_regalloc_algorithm(RegallocAlgorithm::Backtracking),
        };
        config
    }

    /// An engine with a pool for `asked` forks, or for as many as this machine has room for.
    ///
    /// # Errors
    /// When not even one fits, or the engine refuses its settings.
    pub(crate) fn start(self, asked: u32) -> Result<(Engine, u32), EngineError> {
        let mut forks = self.share().fitting(asked)?;
        loop {
            match Engine::new(&self.settings(forks)) {
                Ok(engine) => return Ok((engine, forks)),
                // The machine promised more than it gave: other limits (cgroups, overcommit) are not all readable.
                Err(_) if forks > 1 => forks /= 2,
                Err(error) => return Err(EngineError::Engine(error.root_cause().to_string())),
            }
        }
    }
}

fn cap(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
