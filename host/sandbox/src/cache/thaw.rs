//! Compiled code back to a component: the one place of the code base that is not safe by its types alone, with its proof.

use crate::cache::entry::Authentic;
use wasmtime::Engine;
use wasmtime::component::Component;

/// The component whose compiled code this is.
///
/// # Errors
/// When the engine finds that the code is not its own: a miss like any other.
#[allow(unsafe_code, reason = "compiled code can only be loaded this way; the proof stands beside it")]
pub(crate) fn thaw(engine: &Engine, code: &Authentic) -> wasmtime::Result<Component> {
    // SAFETY: the bytes must be what `Component::serialize` gave, unchanged. An `Authentic` exists only if a MAC under this host's
    // key is right for every byte of it, for this component's name and for this engine's compatibility hash; the key lies in a
    // file of this user that nobody else can read and that cannot be brought from elsewhere; and the only code that seals entries
    // with it (`CodeCache::keep`) is given what `serialize` has just returned. The bytes are owned by `code`, so that what was
    // verified is what is loaded: no file is read between the two.
    unsafe { Component::deserialize(engine, code.code()) }
}
