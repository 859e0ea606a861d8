//! What this machine leaves for sandboxes: address space and memory mappings. Reads, never asks for anything; a machine that
//! does not tell is taken to be roomy, because making the pool then says so by itself.

use std::fs;

/// The user half of a 48-bit address space.
const ADDRESS_SPACE_BYTES: u64 = 1 << 47;

/// Mappings left to the rest of the process: threads, code of loaded agents, the allocator.
const MAPPINGS_KEPT: u64 = 4_096;

/// Bytes of address space that may still be reserved. An eighth stays for everything that is no sandbox.
pub(crate) fn free_address_bytes() -> u64 {
    let limit = soft_limit("Max address space").unwrap_or(ADDRESS_SPACE_BYTES).min(ADDRESS_SPACE_BYTES);
    let free = limit.saturating_sub(used_address_bytes());
    free.saturating_sub(free / 8)
}

/// Memory mappings that sandboxes may hold together.
pub(crate) fn free_mappings() -> u64 {
    let Some(limit) = number_in("/proc/sys/vm/max_map_count") else {
        return u64::MAX;
    };
    let used = fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count());
    limit.saturating_sub(u64::try_from(used).unwrap_or(u64::MAX)).saturating_sub(MAPPINGS_KEPT)
}

/// The soft limit of this name; `None` if there is none.
fn soft_limit(name: &str) -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn used_address_bytes() -> u64 {
    let kib = || {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    kib().unwrap_or_default().saturating_mul(1024)
}

fn number_in(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}
