//! What a component is, told without running or compiling it. Looks at anything valid, loadable here or not.

use crate::bounds::LoadLimits;
use crate::contract::{Departure, departures};
use crate::imports;
use crate::scan::scan;
use sandfork_model::port::Unloadable;
use sandfork_model::{Digest, sha256_hex};
use serde_json::Value;

/// What `sandfork inspect` shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// Bytes of the component.
    pub size_bytes: usize,
    /// sha256 of the bytes.
    pub digest: Digest,
    /// Imports of the component, as `kind name`.
    pub imports: Vec<String>,
    /// Exports of the component, as `kind name`.
    pub exports: Vec<String>,
    /// Core modules in it.
    pub core_modules: u32,
    /// Functions with a body.
    pub functions: u32,
    /// Bytes of the largest body.
    pub largest_function_bytes: u64,
    /// 64 KiB pages that each declared memory starts with.
    pub memory_pages: Vec<u64>,
    /// Custom sections of the component itself: name and bytes.
    pub custom_sections: Vec<(String, usize)>,
    /// The `sandfork:manifest` section; `None` if there is none or it is no JSON.
    pub manifest: Option<Value>,
    /// Why this host would not load it, by its names alone: imports not on offer, or no `run`.
    pub refusal: Option<Unloadable>,
    /// Functions whose types are not those of the guest contract; the linker refuses them.
    pub departures: Vec<Departure>,
}

/// Reads a component.
///
/// # Errors
/// When it is no valid component, or is over a limit of loading.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, Unloadable> {
    let anatomy = scan(bytes, &LoadLimits::default())?;
    let refusal = imports::check(&anatomy).err();
    let names =
        |list: &[crate::anatomy::Named]| list.iter().map(|item| format!("{} {}", item.kind, item.name)).collect();
    Ok(Inspection {
        size_bytes: bytes.len(),
        digest: sha256_hex(bytes),
        imports: names(&anatomy.imports),
        exports: names(&anatomy.exports),
        core_modules: anatomy.core_modules,
        functions: anatomy.functions,
        largest_function_bytes: anatomy.largest_function_bytes,
        memory_pages: anatomy.memory_pages,
        custom_sections: anatomy.custom_sections.into_iter().collect(),
        manifest: anatomy.manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        refusal,
        departures: departures(bytes),
    })
}
