//! Anatomy in, agent out: chooses the engine, compiles, links, compares types. Blocking work only; knows no file.

use crate::anatomy::Anatomy;
use crate::bindings::AgentPre;
use crate::bounds::{LoadLimits, refuse};
use crate::cache::{Facts, Taking};
use crate::engine::Profile;
use crate::fork::Fork;
use crate::imports::missing_run;
use crate::prices::YIELD_SLICE;
use crate::run::{Loaded, LoadedAgent};
use crate::slots::Slots;
use sandfork_model::port::{LoadOptions, Unloadable};
use std::hash::Hash as _;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

/// Bytes up to which a component may count as a script: larger files are taken for language guests unseen.
pub(crate) const SCRIPT_BYTES: usize = 4 << 20;
/// Functions up to which a component may count as a script.
const SCRIPT_FUNCTIONS: u32 = 4_096;

/// One engine with what every agent in it shares.
pub(crate) struct Shop {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<Fork>,
    /// As `linker`, with WASI that has nothing behind it.
    pub(crate) wasi_linker: Linker<Fork>,
    pub(crate) slots: Arc<Slots>,
}

impl Shop {
    /// The hash of all that compiled code depends on in this engine: version, settings, processor.
    pub(crate) fn compatibility(&self) -> [u8; 32] {
        let mut taking = Taking::default();
        self.engine.precompile_compatibility_hash().hash(&mut taking);
        taking.hash()
    }
}

/// What is worth keeping of an anatomy once its component is compiled.
pub(crate) fn facts(anatomy: &Anatomy) -> Facts {
    Facts {
        profile: profile(anatomy),
        is_nested: anatomy.has_nested_components,
        straight_line_fuel: anatomy.straight_line_fuel,
    }
}

/// Which engine a component is for.
pub(crate) fn profile(anatomy: &Anatomy) -> Profile {
    let share = Profile::Tight.share();
    let is_script = anatomy.bytes <= SCRIPT_BYTES
        && !anatomy.has_nested_components
        && anatomy.functions <= SCRIPT_FUNCTIONS
        && anatomy.core_instances <= share.core_instances.into()
        && anatomy.memories <= share.memories.into()
        && anatomy.tables <= share.tables.into()
        && anatomy.table_elements <= u64::try_from(share.table_elements).unwrap_or(u64::MAX);
    if is_script { Profile::Tight } else { Profile::Wide }
}

/// Refuses what the profile's compiler may take too long for: once begun, compiling cannot be interrupted.
///
/// # Errors
/// The estimate and the limit.
pub(crate) fn is_compilable(anatomy: &Anatomy, profile: Profile, limits: &LoadLimits) -> Result<(), Unloadable> {
    let (ns, limit) = match profile {
        Profile::Tight => (anatomy.compile_ns.0, limits.script_compile),
        Profile::Wide => (anatomy.compile_ns.1, limits.guest_compile),
    };
    let estimate = Duration::from_nanos(ns);
    if estimate <= limit {
        return Ok(());
    }
    Err(refuse(
        format!("compiling it would take about {} s; at most {} s are spent", estimate.as_secs(), limit.as_secs()),
        Some("split its largest functions: locals, loops and branches of one function multiply"),
    ))
}

/// Compiles.
///
/// # Errors
/// What the component needs beyond its share.
pub(crate) fn compile(bytes: &[u8], shop: &Shop) -> Result<Component, Unloadable> {
    Component::from_binary(&shop.engine, bytes)
        .map_err(|error| refuse(format!("the component cannot be compiled: {}", error.root_cause()), None))
}

/// Links.
///
/// # Errors
/// Whose types differ from the contract's.
pub(crate) fn link(
    component: &Component,
    facts: Facts,
    options: LoadOptions,
    shop: &Shop,
) -> Result<LoadedAgent, Unloadable> {
    let linker = if options.wasi_denied { &shop.wasi_linker } else { &shop.linker };
    let pre = linker.instantiate_pre(component).map_err(|error| {
        refuse(
            format!("its imports do not have the types of the guest contract: {error:#}"),
            Some("build it against wit/agent.wit of this version"),
        )
    })?;
    let pre = AgentPre::new(pre)
        .map_err(|error| missing_run(format!("its export `run` has another type: {}", error.root_cause())))?;
    Ok(LoadedAgent::new(Loaded {
        pre,
        slots: Arc::clone(&shop.slots),
        is_nested: facts.is_nested,
        unwritten_fuel: YIELD_SLICE.saturating_add(facts.straight_line_fuel),
    }))
}
