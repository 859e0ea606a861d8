//! The constants of one script: each text once, at an address known at once.

use std::collections::HashMap;

/// Bytes that belong at an address.
pub(super) struct Data {
    at: u32,
    bytes: Vec<u8>,
    known: HashMap<Vec<u8>, i32>,
}

impl Data {
    /// Nothing yet, at `at`.
    pub(super) fn new(at: u32) -> Self {
        Self { at, bytes: Vec::new(), known: HashMap::new() }
    }

    /// The address and length of these bytes.
    pub(super) fn place(&mut self, bytes: &[u8]) -> Result<(i32, i32), String> {
        let len = i32::try_from(bytes.len()).map_err(|_| "too much text")?;
        if let Some(at) = self.known.get(bytes) {
            return Ok((*at, len));
        }
        // The source is bounded, so its constants end long before addresses do.
        let at =
            u32::try_from(self.bytes.len()).ok().and_then(|used| self.at.checked_add(used)).ok_or("too much text")?;
        let at = at.cast_signed();
        self.bytes.extend_from_slice(bytes);
        self.known.insert(bytes.to_vec(), at);
        Ok((at, len))
    }

    /// All bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
