//! The manifest inside a component: written for scripts, read from any component, without running anything.

use super::sections;
use crate::compile::Manifest;
use sandfork_model::{INTERFACE, MANIFEST_SECTION};
use serde_json::{Value, json};
use std::borrow::Cow;
use wasm_encoder::CustomSection;
use wasmparser::BinaryReader;

/// Bytes of a manifest that are read: a component is untrusted input.
const MAX_BYTES: usize = 1 << 20;

/// The section of a script's manifest. Nothing in it varies between two compilations of one source.
pub(super) fn section(manifest: &Manifest) -> CustomSection<'static> {
    let Manifest { agent, description, tools, delegate, spawn } = manifest;
    let text = json!({
        "interface": INTERFACE,
        "name": agent,
        "description": description,
        "tools": tools,
        "delegate": delegate,
        "spawn": spawn,
    });
    CustomSection { name: Cow::Borrowed(MANIFEST_SECTION), data: Cow::Owned(text.to_string().into_bytes()) }
}

/// The manifest of a component: an object with `interface, name, description, tools, delegate, spawn`. `None` if the bytes
/// are no component, or it has no manifest, or one that is no JSON object.
#[must_use]
pub fn manifest(component: &[u8]) -> Option<Value> {
    const CUSTOM: u8 = 0;
    for section in sections::of_component(component)?.iter().filter(|section| section.id == CUSTOM) {
        let mut reader = BinaryReader::new(section.contents, 0);
        let Ok(name) = reader.read_string() else { continue };
        if name == MANIFEST_SECTION {
            let text = section.contents.get(reader.current_position()..)?;
            let value: Value = serde_json::from_slice(text.get(..text.len().min(MAX_BYTES))?).ok()?;
            return value.is_object().then_some(value);
        }
    }
    None
}
