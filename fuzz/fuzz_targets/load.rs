//! Bytes in, agent or refusal out; an agent then runs to an end on little fuel. Limits are small, so that one input costs
//! milliseconds: what is looked for are panics, hangs and figures that do not add up, not slow compilation. What a guest may
//! come to is what `just prove` holds guests to.

#![no_main]

#[allow(dead_code, reason = "of the guests' parts only the dice are thrown here")]
#[path = "../../host/sandbox/examples/prove/guests.rs"]
mod guests;
mod sections;
#[path = "../../host/sandbox/examples/prove/trial.rs"]
mod trial;

use guests::Dice;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use sandfork_model::port::LoadOptions;
use sandfork_sandbox::{LoadLimits, inspect_with};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;
use trial::Trials;

static TRIALS: LazyLock<Mutex<Trials>> = LazyLock::new(|| {
    Mutex::new(Trials::within(LoadLimits {
        component_bytes: 64 << 10,
        script_compile: Duration::from_millis(100),
        guest_compile: Duration::from_millis(100),
        kept_agents: 4,
        ..LoadLimits::default()
    }))
});

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().build().expect("a runtime"));

fuzz_target!(|bytes: &[u8]| {
    let mut trials = TRIALS.lock().expect("the only one");
    if let Err(broken) = RUNTIME.block_on(trials.run_as(bytes.to_vec(), options(bytes))) {
        panic!("{broken}");
    }
    let tried = trials.tried();
    // For the fuzzer's log: whether inputs get beyond the first check.
    if (tried.refused + tried.ran).is_power_of_two() {
        eprintln!("{tried:?}");
    }
});

/// As a plan would have it that knows its agents.
fn options(bytes: &[u8]) -> LoadOptions {
    LoadOptions { wasi_denied: bytes.windows(5).any(|word| word == b"wasi:") }
}

/// Whether nothing is known against it before it is compiled.
fn looks_loadable(bytes: &[u8]) -> bool {
    inspect_with(bytes, options(bytes)).is_ok_and(|seen| seen.refusal.is_none() && seen.departures.is_empty())
}

/// Changes are tried until one leaves a component that looks loadable: of a hundred changes one does, and what is refused is
/// refused early, again and again in the same places. Now and then the first is taken as it is.
const TRIES: usize = 32;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let change = &mut |mut part: Vec<u8>| {
        let (size, room) = (part.len(), part.len() + 64);
        part.resize(room, 0);
        let size = fuzzer_mutate(&mut part, size, room);
        part.truncate(size);
        part
    };
    let mut dice = Dice::new(seed.into());
    let tries = if dice.throw(8) == 0 { 1 } else { TRIES };
    let mut tried = (0..tries).map(|_| sections::changed(&data[..size], &mut dice, change));
    let small = |bytes: &Vec<u8>| bytes.len() <= max_size;
    let Some(first) = tried.find(small) else { return fuzzer_mutate(data, size, max_size) };
    let found = if looks_loadable(&first) { None } else { tried.filter(small).find(|bytes| looks_loadable(bytes)) };
    let changed = found.unwrap_or(first);
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
});
