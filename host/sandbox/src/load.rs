//! Anatomy in, agent out: chooses the engine, compiles, links, compares types. Blocking work only; knows no cache.

use crate::anatomy::Anatomy;
use crate::bindings::AgentPre;
use crate::bounds::{LoadLimits, refuse};
use crate::engine::Profile;
use crate::fork::Fork;
use crate::imports::missing_run;
use crate::pool;
use crate::prices::YIELD_SLICE;
use crate::run::{Loaded, LoadedAgent};
use crate::slots::Slots;
use sandfork_model::port::Unloadable;
use std::sync::Arc;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

/// Functions up to which a component may count as a script.
const SCRIPT_FUNCTIONS: u32 = 4_096;

/// One engine with what every agent in it shares.
pub(crate) struct Shop {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<Fork>,
    pub(crate) slots: Arc<Slots>,
}

/// Which engine a component is for.
pub(crate) fn profile(anatomy: &Anatomy) -> Profile {
    let share = Profile::Tight.share();
    let is_script = !anatomy.has_nested_components
        && anatomy.functions <= SCRIPT_FUNCTIONS
        && anatomy.core_instances <= share.core_instances.into()
        && anatomy.memories <= share.memories.into()
        && anatomy.tables <= share.tables.into()
        && anatomy.table_elements <= u64::try_from(share.table_elements).unwrap_or(u64::MAX);
    if is_script { Profile::Tight } else { Profile::Wide }
}

/// Refuses what the profile's compiler may take too long for.
///
/// # Errors
/// The size of the largest function.
pub(crate) fn is_compilable(anatomy: &Anatomy, profile: Profile, limits: &LoadLimits) -> Result<(), Unloadable> {
    let cap = match profile {
        Profile::Tight => limits.function_bytes,
        Profile::Wide => limits.optimised_function_bytes,
    };
    if anatomy.largest_function_bytes <= cap {
        return Ok(());
    }
    Err(refuse(
        format!("its largest function has {} bytes; at most {cap} are compiled", anatomy.largest_function_bytes),
        Some("split the function"),
    ))
}

/// Compiles and links.
///
/// # Errors
/// What the component needs beyond its share, or whose types differ from the contract's.
pub(crate) fn build(bytes: &[u8], anatomy: &Anatomy, shop: &Shop) -> Result<LoadedAgent, Unloadable> {
    let component = Component::from_binary(&shop.engine, bytes)
        .map_err(|error| refuse(format!("the component cannot be compiled: {}", error.root_cause()), None))?;
    let memories =
        component.resources_required().map_or(anatomy.memories.try_into().unwrap_or(u32::MAX), |r| r.num_memories);
    let pre = shop.linker.instantiate_pre(&component).map_err(|error| {
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
        mappings: pool::mappings(memories),
        unwritten_fuel: YIELD_SLICE.saturating_add(anatomy.straight_line_fuel),
    }))
}
