//! Walks the top-level sections of a module or component. Knows lengths, no contents.

use wasmparser::BinaryReader;

/// First bytes of a core module.
const MODULE: [u8; 8] = *b"\0asm\x01\0\0\0";
/// First bytes of a component.
const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// One section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub(super) id: u8,
    /// Its contents, without id and length.
    pub(super) contents: &'a [u8],
    /// The whole of it, with id and length.
    pub(super) whole: &'a [u8],
}

/// The sections of a module; `None` if the bytes are none.
pub(super) fn of_module(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    walk(bytes.strip_prefix(&MODULE)?)
}

/// The sections of a component; `None` if the bytes are none.
pub(super) fn of_component(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    walk(bytes.strip_prefix(&COMPONENT)?)
}

fn walk(mut bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    let mut sections = Vec::new();
    while !bytes.is_empty() {
        let mut reader = BinaryReader::new(bytes, 0);
        let id = reader.read_u8().ok()?;
        let len = usize::try_from(reader.read_var_u32().ok()?).ok()?;
        let start = reader.current_position();
        let end = start.checked_add(len)?;
        sections.push(Section { id, contents: bytes.get(start..end)?, whole: bytes.get(..end)? });
        bytes = bytes.get(end..)?;
    }
    Some(sections)
}

/// The first bytes of a component.
pub(super) fn component_header() -> [u8; 8] {
    COMPONENT
}
