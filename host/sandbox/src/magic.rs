//! Tells a component from what is mistaken for one, by its size and first bytes. Reads no further.

use crate::bounds::{LoadLimits, refuse};
use sandfork_model::port::Unloadable;
use wasmparser::Parser;

/// Lets pass what begins like a component and is not too large to be read.
///
/// # Errors
/// What it is instead.
pub(crate) fn is_component(bytes: &[u8], limits: &LoadLimits) -> Result<(), Unloadable> {
    if bytes.len() > limits.component_bytes {
        return Err(refuse(
            format!("the component has {} bytes; at most {} are loaded", bytes.len(), limits.component_bytes),
            Some("strip debug information, or split the agent"),
        ));
    }
    if bytes.is_empty() {
        return Err(refuse("the component is empty: 0 bytes", None));
    }
    if Parser::is_component(bytes) {
        return Ok(());
    }
    if Parser::is_core_wasm(bytes) {
        return Err(refuse(
            "this is a core wasm module, not a component",
            Some("link it with `wasm-component-ld`, or wrap it with `wasm-tools component new`"),
        ));
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err(refuse(
            "this is precompiled native code; only the host's own cache may hold such a file",
            Some("give the `.wasm` component it was compiled from"),
        ));
    }
    let text = bytes.trim_ascii_start();
    if text.starts_with(b"(") || text.starts_with(b";;") {
        return Err(refuse(
            "this is WebAssembly text, not a binary component",
            Some("assemble it with `wasm-tools parse`"),
        ));
    }
    let start: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Err(refuse(format!("this is no wasm component: it starts with {}", start.join(" ")), None))
}
