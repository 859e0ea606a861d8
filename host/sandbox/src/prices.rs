//! What work costs, in fuel. One table: instructions, memory growth, host calls, bytes that cross. Its digest is in every
//! report, because fuel figures compare only under the same table and engine. Knows no budget.

use sandfork_model::sha256_hex;
use wasmtime::OperatorCost;

/// The wasmtime whose instruction counting these figures rest on; a test holds it to the lock file.
pub(crate) const WASMTIME_VERSION: &str = "48.0.8";

/// Fuel between two moments at which a computing guest lets others run: 10 000 keeps timers within about 1.5 ms.
pub(crate) const YIELD_SLICE: u64 = 10_000;

/// Fuel for each 64 KiB page of `memory.grow`; the engine's own default is 0, which would make memory free.
const MEMORY_GROW_PER_PAGE: u8 = 64;

/// Fuel for any host call, about its time in nanoseconds.
const CALL: u64 = 1_000;

/// Fuel for each request of a `spawn` besides the call itself: admission alone, a child pays for its own work.
const SPAWN_REQUEST: u64 = 10_000;

/// Fuel for each begun KiB that crosses, in either direction.
const CROSSING_KIB: u64 = 128;

/// The engine's price list, ours where its default is nothing.
pub(crate) fn operator_costs() -> OperatorCost {
    let mut costs = OperatorCost::new();
    costs.variable.memory_grow_per_page = MEMORY_GROW_PER_PAGE;
    costs
}

/// What `note` or `tool` costs with this many bytes of arguments.
pub(crate) fn call(argument_bytes: usize) -> u64 {
    CALL.saturating_add(crossing(argument_bytes))
}

/// What `spawn` costs with this many requests and bytes of arguments.
pub(crate) fn spawn(requests: usize, argument_bytes: usize) -> u64 {
    call(argument_bytes).saturating_add(SPAWN_REQUEST.saturating_mul(units(requests)))
}

/// What this many bytes of answer cost.
pub(crate) fn crossing(bytes: usize) -> u64 {
    CROSSING_KIB.saturating_mul(units(bytes.div_ceil(1024)))
}

/// The digest of the whole table: sha256 in lower-case hex.
pub(crate) fn digest() -> String {
    let table = format!(
        "wasmtime {WASMTIME_VERSION}\nslice {YIELD_SLICE}\ncall {CALL}\nspawn_request {SPAWN_REQUEST}\n\
         crossing_kib {CROSSING_KIB}\n{:?}",
        operator_costs()
    );
    sha256_hex(table.as_bytes())
}

fn units(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_begun_kib_is_paid_whole() {
        assert_eq!(crossing(0), 0);
        assert_eq!(crossing(1), CROSSING_KIB);
        assert_eq!(crossing(1024), CROSSING_KIB);
        assert_eq!(crossing(1025), 2 * CROSSING_KIB);
        assert_eq!(crossing(usize::MAX), CROSSING_KIB << 54);
    }

    // Without the override a gigabyte of growth would cost two units.
    #[test]
    fn memory_growth_is_not_free() {
        assert_eq!(operator_costs().variable.memory_grow_per_page, 64);
    }

    #[test]
    fn the_digest_is_stable_within_a_build_and_hex() {
        assert_eq!(digest(), digest());
        assert_eq!(digest().len(), 64);
    }

    #[test]
    fn the_named_engine_version_is_the_locked_one() {
        let lock = include_str!("../../../Cargo.lock");
        let entry = format!("name = \"wasmtime\"\nversion = \"{WASMTIME_VERSION}\"");
        assert!(lock.contains(&entry), "WASMTIME_VERSION is not the version in Cargo.lock");
    }
}
