//! What a finished call amounts to: values and errors of the engine in, [`End`] out. Tells them apart by type, never by text.

use crate::crossing;
use crate::fork::{Fork, Halted};
use crate::wasi::Exited;
use sandfork_model::port::{End, RawError};
use wasmtime::{PoolConcurrencyLimitError, Trap};

/// Longest word for people that is taken over from the engine.
const WORDS_CHARS: usize = 500;

/// A returned output, held to its cap.
pub(crate) fn output(text: String, cap_bytes: u64) -> End {
    match over(text.len(), cap_bytes) {
        Some(bytes) => End::OutputTooLarge { bytes },
        None => End::Returned(text),
    }
}

/// A returned error, held to the same cap as an output: it crosses the same way.
pub(crate) fn failure(error: RawError, cap_bytes: u64) -> End {
    match over(crossing::error_bytes(&error), cap_bytes) {
        Some(bytes) => End::OutputTooLarge { bytes },
        None => End::Failed(error),
    }
}

fn over(bytes: usize, cap_bytes: u64) -> Option<u64> {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    (bytes > cap_bytes).then_some(bytes)
}

/// What stopped the guest from returning at all.
pub(crate) struct Verdict {
    /// How the fork ended.
    pub(crate) end: End,
    /// Whether the store's fuel figure is exact. A hardware trap (division by zero, a bad address) leaves unwritten what the
    /// guest burnt since its last fuel check; everywhere else a guest can be left, the figure has just been written.
    pub(crate) is_fuel_exact: bool,
}

impl Verdict {
    /// An end whose fuel figure is exact.
    pub(crate) fn exact(end: End) -> Self {
        Self { end, is_fuel_exact: true }
    }

    /// Names the end that an error of the engine stands for.
    pub(crate) fn of(error: &wasmtime::Error, fork: &Fork) -> Self {
        if error.is::<Halted>() {
            return Self::exact(End::Halted);
        }
        if error.is::<Exited>() {
            return Self::exact(End::Trapped("exit instead of a return from `run`".to_owned()));
        }
        if error.is::<PoolConcurrencyLimitError>() {
            return Self::exact(End::Broken("the pool was full behind its own gate".to_owned()));
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => Self::exact(fork.empty_end()),
            Some(trap) => Self { end: End::Trapped(trap_words(*trap)), is_fuel_exact: false },
            // Not even an instance: what it declares does not fit what it may have.
            None if !fork.has_started() => Self::exact(End::Trapped(words(error))),
            // Neither a trap nor ours: the guest handed over something that is no value of our types, or too much of it.
            None => Self::exact(End::BadCall(words(error))),
        }
    }
}

fn trap_words(trap: Trap) -> String {
    match trap {
        Trap::StackOverflow => "stack overflow".to_owned(),
        Trap::UnreachableCodeReached => "unreachable".to_owned(),
        other => {
            let text = other.to_string();
            text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned()
        }
    }
}

fn words(error: &wasmtime::Error) -> String {
    error.root_cause().to_string().chars().take(WORDS_CHARS).collect()
}
