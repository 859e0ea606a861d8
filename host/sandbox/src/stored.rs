//! One component's place in the cache: what its entry is called, and the way there and back. Knows no file and no format.

use crate::bounds::LoadLimits;
use crate::cache::{CodeCache, Facts, Made, hash, thaw};
use crate::engine::Profile;
use crate::load::Shop;
use crate::prices;
use sandfork_model::port::LoadOptions;
use wasmtime::component::Component;

/// Where the code of one component is, or will be.
pub(crate) struct Stored<'a> {
    cache: &'a CodeCache,
    component: [u8; 32],
    name: [u8; 32],
}

impl<'a> Stored<'a> {
    /// The place of the component with this sha256, loaded with these options under these limits. Everything that an entry must
    /// have been made for is in its name, the engine's own settings excepted: those are asked of the engine.
    pub(crate) fn new(cache: &'a CodeCache, component: [u8; 32], options: LoadOptions, limits: &LoadLimits) -> Self {
        let settings = format!(
            "\0wasmtime {}\0sandfork {}\0prices {}\0limits {limits:?}\0wasi denied {}",
            prices::WASMTIME_VERSION,
            env!("CARGO_PKG_VERSION"),
            prices::digest(),
            options.wasi_denied,
        );
        Self { cache, component, name: hash(&[&component, settings.as_bytes()]) }
    }

    /// The component, compiled earlier by this host; `None` for whatever reason.
    pub(crate) fn find<'s>(&self, shop: impl Fn(Profile) -> Option<&'s Shop>) -> Option<(Component, Facts)> {
        let entry = self.cache.find(&self.name)?;
        // Not believed yet: it only says which engine is asked whether it may be.
        let facts = entry.facts()?;
        let shop = shop(facts.profile)?;
        let engine = shop.compatibility();
        let code = entry.authentic(&self.cache.key(false)?, Made { name: &self.name, engine: &engine })?;
        match thaw(&shop.engine, &code) {
            Ok(component) => Some((component, facts)),
            Err(error) => {
                tracing::debug!(%error, "kept code is not the engine's own");
                None
            }
        }
    }

    /// Keeps a component that `shop` has compiled.
    pub(crate) fn keep(&self, component: &Component, facts: Facts, shop: &Shop) {
        let Ok(code) = component.serialize() else { return };
        let engine = shop.compatibility();
        self.cache.keep(Made { name: &self.name, engine: &engine }, &self.component, facts, &code);
    }
}
