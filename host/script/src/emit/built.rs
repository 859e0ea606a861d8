//! Emits texts that are put together at run time, and the references in them.

use super::Emitter;
use super::body::Body;
use super::list::MAX_WEIGHT;
use crate::ast::{Built, Hop, Mode, Piece, Reference};
use crate::encode::{Runtime, TOP};
use wasm_encoder::InstructionSink;

impl Emitter<'_> {
    /// Builds a text at the top of memory.
    pub(super) fn build(&mut self, body: &mut Body, built: &Built) -> Result<(), String> {
        if built.pieces.len() <= MAX_WEIGHT {
            return self.pieces(body, &built.pieces);
        }
        // A function of a bounded size for each part: the time to compile code grows faster than the code.
        for pieces in built.pieces.chunks(MAX_WEIGHT) {
            let mut part = Body::new();
            self.pieces(&mut part, pieces)?;
            let part = self.finish(part);
            body.code().call(part).drop();
        }
        Ok(())
    }

    fn pieces(&mut self, body: &mut Body, pieces: &[Piece]) -> Result<(), String> {
        let calls = &self.runtime.calls;
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let (at, len) = self.data.place(text.as_bytes())?;
                    body.code().i32_const(at).i32_const(len).call(calls.text);
                }
                Piece::Reference(reference, mode) => {
                    let put = match mode {
                        Mode::Whole => calls.put,
                        Mode::Plain => calls.put_plain,
                        Mode::Quoted => calls.put_quoted,
                    };
                    let (slot, path) = self.place(reference, &[])?;
                    body.code().i32_const(slot).i32_const(path).call(put);
                }
            }
        }
        Ok(())
    }

    /// Puts the two addresses of a JSON text onto the stack; `look` is what reads it if it is one reference alone.
    pub(super) fn operand(&mut self, body: &mut Body, built: &Built, look: fn(&Runtime) -> u32) -> Result<(), String> {
        match built.pieces.as_slice() {
            [Piece::Text(text)] => {
                let (at, len) = self.data.place(text.as_bytes())?;
                body.code().i32_const(at).i32_const(at + len);
            }
            [Piece::Reference(reference, Mode::Whole)] => {
                let (slot, path) = self.place(reference, &[])?;
                let end = self.runtime.calls.end;
                body.code().i32_const(slot).i32_const(path).call(look(self.runtime)).global_get(end);
            }
            _ => {
                body.code().global_get(TOP);
                self.build(body, built)?;
                body.code().global_get(TOP);
            }
        }
        Ok(())
    }

    /// The slot of a reference and the address of its path, `more` keys added to it.
    pub(super) fn place(&mut self, reference: &Reference, more: &[&str]) -> Result<(i32, i32), String> {
        let mut text = reference.text.clone();
        let mut hops = Vec::new();
        let key = |hops: &mut Vec<u8>, key: &str| -> Result<(), String> {
            hops.push(1);
            hops.extend(u32::try_from(key.len()).map_err(|_| "too long a key")?.to_le_bytes());
            hops.extend(key.as_bytes());
            Ok(())
        };
        for hop in &reference.path {
            match hop {
                Hop::Key(name) => key(&mut hops, name)?,
                Hop::Index(at) => {
                    hops.push(2);
                    hops.extend(at.to_le_bytes());
                }
            }
        }
        for name in more {
            text.push('.');
            text.push_str(name);
            key(&mut hops, name)?;
        }
        hops.push(0);
        let mut path = u32::try_from(text.len()).map_err(|_| "too long a path")?.to_le_bytes().to_vec();
        path.extend(text.as_bytes());
        path.extend(hops);
        Ok((self.slot(&reference.root)?, self.data.place(&path)?.0))
    }
}

/// Writes one call with constants before it.
pub(super) fn call(mut code: InstructionSink<'_>, constants: &[i32], function: u32) {
    for constant in constants {
        code.i32_const(*constant);
    }
    code.call(function);
}
