//! Puts a script's two modules into the wrapper, and its manifest behind them.

use super::manifest;
use super::modules::{self, Code};
use super::runtime::Runtime;
use crate::compile::Manifest;
use wasm_encoder::{ComponentSection as _, ModuleSection};

/// The component of one script. An error is a fault of this crate.
pub(crate) fn component(runtime: &Runtime, code: &Code, manifest: &Manifest) -> Result<Vec<u8>, String> {
    let [before, between, after] = &runtime.wrapper;
    let mut bytes = before.clone();
    ModuleSection(&modules::memory(runtime, code)).append_to_component(&mut bytes);
    bytes.extend_from_slice(between);
    ModuleSection(&modules::script(runtime, code)?).append_to_component(&mut bytes);
    bytes.extend_from_slice(after);
    manifest::section(manifest).append_to_component(&mut bytes);
    Ok(bytes)
}
