//! What a component is, told without running or compiling it. Looks at anything valid, loadable here or not.

use crate::bounds::LoadLimits;
use crate::contract::{Departure, departures};
use crate::engine::Profile;
use crate::imports;
use crate::load;
use crate::scan::scan;
use sandfork_model::port::{Footprint, LoadOptions, Unloadable};
use sandfork_model::{Digest, MANIFEST_SECTION, sha256_hex};
use serde_json::Value;
use wasmparser::{Chunk, Parser, Payload};

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
    /// Whether it would be loaded by a plan entry that says `wasi: denied`.
    pub loads_with_wasi_denied: bool,
}

/// Reads a component.
///
/// # Errors
/// When it is no valid component, or is over a limit of loading.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, Unloadable> {
    inspect_with(bytes, LoadOptions::default())
}

/// As [`inspect`], with the refusal that a plan's entry with these options meets.
///
/// # Errors
/// As [`inspect`].
pub fn inspect_with(bytes: &[u8], options: LoadOptions) -> Result<Inspection, Unloadable> {
    let anatomy = scan(bytes, &LoadLimits::default())?;
    let refusal = imports::check(&anatomy, options).err();
    let loads_with_wasi_denied = imports::check(&anatomy, LoadOptions { wasi_denied: true }).is_ok();
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
        loads_with_wasi_denied,
    })
}

/// How much room each sandbox of a component will take. Only small files are looked into: a large one may be taken for a language
/// guest although it is a script, never the other way round.
#[must_use]
pub fn footprint(bytes: &[u8]) -> Footprint {
    if bytes.len() > load::SCRIPT_BYTES {
        return Footprint::Large;
    }
    match scan(bytes, &LoadLimits::default()).map(|anatomy| load::profile(&anatomy)) {
        Ok(Profile::Wide) => Footprint::Large,
        // What cannot be loaded takes no room at all.
        Ok(Profile::Tight) | Err(_) => Footprint::Small,
    }
}

/// The content of a component's `sandfork:manifest` section; `None` if there is none or it is no JSON. Looks at the outermost
/// sections alone, so that it takes no longer for a large component, and believes them: whether the component is valid is found
/// out when it is loaded.
#[must_use]
pub fn manifest(bytes: &[u8]) -> Option<Value> {
    let mut rest = bytes;
    let mut parser = Parser::new(0);
    loop {
        let Ok(Chunk::Parsed { consumed, payload }) = parser.parse(rest, true) else { return None };
        rest = rest.get(consumed..)?;
        match payload {
            Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => {
                return serde_json::from_slice(section.data()).ok();
            }
            Payload::ModuleSection { unchecked_range, .. } | Payload::ComponentSection { unchecked_range, .. } => {
                rest = rest.get(unchecked_range.len()..)?;
            }
            Payload::End(_) => return None,
            _ => {}
        }
    }
}
