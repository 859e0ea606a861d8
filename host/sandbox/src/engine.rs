//! The two engines, every setting written out: defaults moved between versions of wasmtime, and some of today's are open to
//! advisories that these settings close. Knows no component and no fork.

use crate::features::{ADAPTER_FEATURES, GUEST_FEATURES};
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

    /// The proposals this profile's engine knows. Only wide components hold nested ones, and so need adapters.
    fn features(self) -> WasmFeatures {
        match self {
            Self::Tight => GUEST_FEATURES,
            Self::Wide => GUEST_FEATURES.union(ADAPTER_FEATURES),
        }
    }

    /// The settings of this profile's engine, for a pool of `forks`.
    pub(crate) fn settings(self, forks: u32) -> Config {
        let mut config = Config::new();
        // One by one, so that a proposal which a newer parser knows is off until the list says otherwise.
        for feature in WasmFeatures::all().iter() {
            config.wasm_features(feature, self.features().contains(feature));
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

    /// An engine with a pool for `asked` forks, or for as many as this machine and these memory mappings have room for.
    ///
    /// # Errors
    /// When not even one fits, or the engine refuses its settings.
    pub(crate) fn start(self, asked: u32, mappings: u64) -> Result<(Engine, u32), EngineError> {
        let mut forks = self.share().fitting(asked, mappings)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::component::Component;
    use wasmtime::{Enabled, Module};

    const PROFILES: [Profile; 2] = [Profile::Tight, Profile::Wide];

    fn engine(profile: Profile) -> Engine {
        profile.start(2, u64::MAX).expect("room for two").0
    }

    // Each line fails if its setting is left to a default that differs, now or in a later version.
    #[test]
    fn every_setting_is_what_it_is_meant_to_be() {
        for profile in PROFILES {
            let engine = engine(profile);
            let config = &engine;
            assert_eq!(config.get_wasm_features(), profile.features(), "{profile:?}");
            assert_eq!(config.get_strategy(), Some(Strategy::Cranelift));
            assert!(config.get_consume_fuel() && !config.get_epoch_interruption());
            assert!(!config.get_concurrency_support() && !config.get_shared_memory());
            assert_eq!(config.get_cranelift_nan_canonicalization(), Some(true));
            assert!(config.get_relaxed_simd_deterministic());
            assert!(config.get_signals_based_traps() && config.get_memory_init_cow());
            assert!(!config.get_memory_may_move() && config.get_guard_before_linear_memory());
            assert_eq!(config.get_memory_reservation(), MEMORY_RESERVATION_BYTES);
            assert_eq!(config.get_memory_guard_size(), MEMORY_GUARD_BYTES);
            assert_eq!((config.get_max_wasm_stack(), config.get_async_stack_size()), (512 << 10, 2 << 20));
            assert!(config.get_async_stack_zeroing());
            assert_eq!(config.get_wasm_backtrace_max_frames(), TRACE_FRAMES);
            assert!(!config.get_debug_info() && !config.get_guest_debug());
            let expected = match profile {
                Profile::Tight => (OptLevel::None, RegallocAlgorithm::SinglePass),
                Profile::Wide => (OptLevel::Speed, RegallocAlgorithm::Backtracking),
            };
            assert_eq!(
                config.get_cranelift_opt_level().map(|level| format!("{level:?}")),
                Some(format!("{:?}", expected.0))
            );
            let regalloc = config.get_cranelift_regalloc_algorithm().map(|algorithm| format!("{algorithm:?}"));
            assert_eq!(regalloc, Some(format!("{:?}", expected.1)));
        }
    }

    #[test]
    fn the_pool_keeps_one_component_from_taking_it() {
        for (profile, forks) in [(Profile::Tight, 3), (Profile::Wide, 3)] {
            let (engine, made) = profile.start(forks, u64::MAX).expect("room for three");
            assert_eq!(made, forks);
            let pool = engine.get_pooling_config().expect("pooling");
            let share = profile.share();
            assert_eq!(pool.get_total_component_instances(), forks);
            assert_eq!(pool.get_total_stacks(), forks);
            assert_eq!(pool.get_total_memories(), forks * share.memories);
            assert_eq!(pool.get_total_tables(), forks * share.tables);
            assert_eq!(pool.get_total_core_instances(), forks * share.core_instances);
            assert_eq!(pool.get_total_gc_heaps(), 0);
            assert_eq!(pool.get_max_core_instances_per_component(), share.core_instances);
            assert_eq!(pool.get_max_memories_per_component(), share.memories);
            assert_eq!(pool.get_max_tables_per_component(), share.tables);
            assert_eq!(pool.get_max_memories_per_module(), 1);
            assert_eq!(pool.get_table_elements(), share.table_elements);
            assert_eq!(pool.get_memory_keep_resident(), 64 << 10);
            assert_eq!(pool.get_pagemap_scan(), Enabled::No);
        }
    }

    // HOSTILE 34, behind the scan: the engine itself refuses each proposal, should the scan ever let one through.
    #[test]
    fn the_engine_refuses_every_proposal_that_is_off() {
        for profile in PROFILES {
            let engine = engine(profile);
            for (proposal, text) in [
                ("threads", "(module (memory 1 1 shared))"),
                ("memory64", "(module (memory i64 1))"),
                ("tail calls", "(module (func $f (return_call $f)))"),
                ("gc", "(module (type (struct (field i32))))"),
                ("externref", "(module (func (param externref)))"),
                ("function references", "(module (type $f (func)) (func (param (ref $f))))"),
                ("exceptions", "(module (tag))"),
                (
                    "relaxed simd",
                    "(module (func (param v128 v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 1))))",
                ),
                (
                    "wide arithmetic",
                    "(module (func (param i64 i64) (result i64 i64) (i64.mul_wide_u (local.get 0) (local.get 1))))",
                ),
                ("custom page sizes", "(module (memory 1 (pagesize 1)))"),
                ("stack switching", "(module (type $f (func)) (type (cont $f)))"),
            ] {
                let bytes = wat::parse_str(text).expect(proposal);
                assert!(Module::from_binary(&engine, &bytes).is_err(), "{profile:?} accepts {proposal}");
            }
            for (proposal, text) in [
                ("streams", "(component (type (stream u8)))"),
                ("futures", "(component (type (future u8)))"),
                ("error contexts", "(component (type error-context))"),
                ("async functions", "(component (type (func async)))"),
                ("fixed-length lists", "(component (type (list u8 4)))"),
            ] {
                let bytes = wat::parse_str(text).expect(proposal);
                assert!(Component::from_binary(&engine, &bytes).is_err(), "{profile:?} accepts {proposal}");
            }
        }
    }

    #[test]
    fn an_engine_for_nobody_is_refused() {
        assert!(matches!(Profile::Tight.start(0, u64::MAX), Err(EngineError::NothingAsked)));
    }

    // Without the fitting the reservation would fail, or take the address space of everything else.
    #[test]
    fn a_pool_larger_than_the_machine_shrinks_to_what_fits() {
        let (_, forks) = Profile::Wide.start(1_000_000, u64::MAX).expect("some fit");
        assert!((1..1_000_000).contains(&forks), "{forks}");
    }

    #[test]
    fn a_pool_keeps_to_the_memory_mappings_it_is_given() {
        assert_eq!(Profile::Tight.start(100, 50).map(|(_, forks)| forks).ok(), Some(10));
        assert!(matches!(Profile::Tight.start(100, 4), Err(EngineError::NoRoom { mappings: 4, .. })));
    }
}
