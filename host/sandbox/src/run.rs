//! One fork: a store made for it, one call of `run`, and the store's end. Raced against [`Stop`] from before instantiation on,
//! so that a cancel during start-up lands. Knows nothing of why it is stopped.

use crate::bindings::{AgentPre, Error};
use crate::fork::{Figures, Fork};
use crate::guarded::Guarded;
use crate::judge::{self, Verdict};
use crate::prices::YIELD_SLICE;
use crate::slots::Slots;
use crate::wasi;
use sandfork_model::port::{Agent, Allowance, BoxFuture, End, Ended, Port, Stop};
use std::sync::Arc;
use wasmtime::{AsContextMut as _, Store};

/// Bytes a guest may hand to the host in one crossing: the host copies them before it can price them.
const CROSSING_BYTES: usize = 4 << 20;
/// What is left for an output's structure, and to tell an output over its cap from one that cannot be read at all.
const OUTPUT_SLACK_BYTES: usize = 64 << 10;
/// Component handles alive at one time: the guest's own, and what WASI gives where it is denied.
const HANDLES: usize = 1_000;

/// A loaded component, ready to fork. Cheap to clone.
#[derive(Clone)]
pub(crate) struct LoadedAgent(Arc<Loaded>);

/// What all forks of one agent share; nothing in it can be written by one.
pub(crate) struct Loaded {
    /// Compiled, linked and type-checked.
    pub(crate) pre: AgentPre<Fork>,
    /// The gate of the pool it runs in.
    pub(crate) slots: Arc<Slots>,
    /// Whether components are nested in it.
    pub(crate) is_nested: bool,
    /// Fuel that a hardware trap may leave unwritten.
    pub(crate) unwritten_fuel: u64,
}

impl LoadedAgent {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Self(Arc::new(loaded))
    }
}

impl Agent for LoadedAgent {
    fn run(&self, task: String, allowance: Allowance, port: Arc<dyn Port>, stop: Stop) -> BoxFuture<'static, Ended> {
        let agent = Arc::clone(&self.0);
        Box::pin(async move {
            let figures = Arc::new(Figures::default());
            match Guarded::new(fork(agent, task, allowance, port, stop, Arc::clone(&figures))).await {
                Ok(ended) => ended,
                Err(panic) => {
                    tracing::error!(%panic, "the host panicked while serving a fork");
                    figures.ended(End::Panicked(panic))
                }
            }
        })
    }
}

async fn fork(
    agent: Arc<Loaded>,
    task: String,
    allowance: Allowance,
    port: Arc<dyn Port>,
    mut stop: Stop,
    figures: Arc<Figures>,
) -> Ended {
    // Declared before the store, dropped after it: the slot must outlive what lives in it.
    let Some(_slot) = agent.slots.take() else {
        return figures.ended(End::Broken(format!(
            "no sandbox is free although the fork was admitted: this host has room for {}",
            agent.slots.capacity()
        )));
    };
    let output_bytes = allowance.output_bytes;
    let mut store = match open(&agent, &allowance, port, figures) {
        Ok(store) => store,
        Err(error) => return Figures::default().ended(End::Broken(error.root_cause().to_string())),
    };
    let finished = tokio::select! {
        biased;
        () = &mut stop => None,
        result = call(&agent, &mut store, &task) => Some(result),
    };
    let verdict = match finished {
        // Where a fork can be stopped (at a yield, in a call) its fuel has just been written.
        None => Verdict::exact(End::Stopped),
        Some(Ok(Ok(output))) => Verdict::exact(judge::output(output, output_bytes)),
        Some(Ok(Err(error))) => Verdict::exact(judge::failure(error.into(), output_bytes)),
        Some(Err(error)) => Verdict::of(&error, store.data()),
    };
    close(&agent, &store, verdict)
}

/// A store with every limit set, before anything of the guest runs.
fn open(
    agent: &Loaded,
    allowance: &Allowance,
    port: Arc<dyn Port>,
    figures: Arc<Figures>,
) -> wasmtime::Result<Store<Fork>> {
    let mut store = Store::try_new(agent.pre.engine(), Fork::new(allowance, agent.is_nested, port, figures))?;
    store.limiter(Fork::memory_limiter);
    let filled = store.data().filled();
    store.set_fuel(filled)?;
    store.fuel_async_yield_interval(Some(YIELD_SLICE))?;
    let output = usize::try_from(allowance.output_bytes).unwrap_or(usize::MAX).saturating_add(OUTPUT_SLACK_BYTES);
    store.set_hostcall_fuel(CROSSING_BYTES.max(output));
    store.set_max_component_handles(HANDLES);
    Ok(store)
}

async fn call(agent: &Loaded, store: &mut Store<Fork>, task: &String) -> wasmtime::Result<Result<String, Error>> {
    let instance = agent.pre.instantiate_async(&mut *store).await?;
    store.data_mut().start();
    let returned = instance.call_run(&mut *store, task).await?;
    wasi::finish(store.as_context_mut()).await?;
    Ok(returned)
}

/// Reads the figures of a store whose guest has ended. The store is dropped right after: once something trapped or was
/// interrupted in it, nothing in it may run again.
fn close(agent: &Loaded, store: &Store<Fork>, verdict: Verdict) -> Ended {
    let left = store.get_fuel().unwrap_or_default();
    let unwritten = if verdict.is_fuel_exact { 0 } else { agent.unwritten_fuel };
    store.data().ended(verdict.end, left.saturating_sub(unwritten))
}
