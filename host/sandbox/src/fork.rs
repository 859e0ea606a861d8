//! What one store holds: the fork's memory, its fuel, and its port. Nothing in it can be reached by the guest except through
//! the three calls, and where WASI is denied what it printed and its random numbers.

use crate::memory::Memory;
use crate::prices::YIELD_SLICE;
use crate::tank::Tank;
use crate::wasi::{Console, Random};
use sandfork_model::port::{Allowance, End, Ended, Halt, Leash, Meter, Port};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::ResourceLimiter;

/// The port said that the fork must end.
#[derive(Debug, thiserror::Error)]
#[error("halted")]
pub(crate) struct Halted;

impl From<Halt> for Halted {
    fn from(_: Halt) -> Self {
        Self
    }
}

/// What can still be said of a fork whose store was lost to a panic: as of its last host call.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    fuel_used: AtomicU64,
    peak_bytes: AtomicU64,
}

impl Figures {
    pub(crate) fn ended(&self, end: End) -> Ended {
        Ended {
            end,
            fuel_used: self.fuel_used.load(Ordering::Acquire),
            peak_memory_bytes: self.peak_bytes.load(Ordering::Acquire),
            memory_refused: None,
        }
    }
}

/// The data of one fork's store. Nothing in it is reachable for the guest except through the three calls.
pub(crate) struct Fork {
    memory: Memory,
    tank: Tank,
    port: Arc<dyn Port>,
    figures: Arc<Figures>,
    has_started: bool,
    /// What the fork had used when a call of its last let others run.
    yielded_at: u64,
    /// What it printed, and the numbers it is given, if it is one with WASI denied.
    console: Console,
    random: Random,
}

impl Fork {
    pub(crate) fn new(allowance: &Allowance, is_nested: bool, port: Arc<dyn Port>, figures: Arc<Figures>) -> Self {
        let (memory, tank) = (Memory::new(allowance, is_nested), Tank::new(allowance.leash));
        let (console, random) = (Console::default(), Random::default());
        Self { memory, tank, port, figures, has_started: false, yielded_at: 0, console, random }
    }

    /// The guest has an instance: from here on an error is of a call, not of the instance.
    pub(crate) fn start(&mut self) {
        self.has_started = true;
    }

    pub(crate) fn has_started(&self) -> bool {
        self.has_started
    }

    /// The fuel that the store starts with.
    pub(crate) fn filled(&self) -> u64 {
        self.tank.filled()
    }

    /// How the fork ends if its fuel is gone now.
    pub(crate) fn empty_end(&self) -> End {
        self.tank.empty_end()
    }

    pub(crate) fn memory_limiter(&mut self) -> &mut dyn ResourceLimiter {
        &mut self.memory
    }

    /// What it printed and no note has taken yet.
    pub(crate) fn console(&mut self) -> &mut Console {
        &mut self.console
    }

    /// The numbers that it takes for random ones.
    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    pub(crate) fn port(&self) -> Arc<dyn Port> {
        Arc::clone(&self.port)
    }

    /// What was used so far, when the store has `left` of its fuel; remembered for the case that the store is lost.
    pub(crate) fn meter(&self, left: u64) -> Meter {
        let meter = self.tank.meter(left);
        self.figures.fuel_used.store(meter.fuel_used, Ordering::Release);
        self.figures.peak_bytes.store(self.memory.peak_bytes(), Ordering::Release);
        meter
    }

    /// Whether a call is due to let others run: once for each slice of fuel. Says so once.
    pub(crate) fn is_due(&mut self, meter: Meter) -> bool {
        let is_due = meter.fuel_used.saturating_sub(self.yielded_at) >= YIELD_SLICE;
        if is_due {
            self.yielded_at = meter.fuel_used;
        }
        is_due
    }

    /// Takes the next leash, when the store had `left` of the last one; returns what the store is to be filled with.
    pub(crate) fn take_leash(&mut self, left: u64, leash: Leash) -> u64 {
        self.tank.refill(left, leash)
    }

    /// The fork's end with its figures, when the store has `left` of its fuel.
    pub(crate) fn ended(&self, end: End, left: u64) -> Ended {
        Ended {
            end,
            fuel_used: self.tank.meter(left).fuel_used,
            peak_memory_bytes: self.memory.peak_bytes(),
            memory_refused: self.memory.refused(),
        }
    }
}
