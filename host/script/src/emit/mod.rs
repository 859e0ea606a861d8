//! Steps in, functions out: what a script does becomes calls of the runtime and wasm's own control flow. Knows which
//! functions the runtime has, not how they work.

mod body;
mod built;
mod condition;
mod data;
mod list;
mod step;

use crate::ast::Script;
use crate::check::Names;
use crate::encode::{Code, Runtime};
use body::Body;
use data::Data;

/// Bytes of a slot.
const SLOT: u32 = 12;

/// Writes the functions of one script.
struct Emitter<'a> {
    runtime: &'a Runtime,
    names: &'a Names,
    /// Address of the first slot.
    slots: u32,
    data: Data,
    functions: Vec<Vec<u8>>,
}

/// The script's own code. An error is a fault of the compiler.
pub(crate) fn emit(script: &Script, names: &Names, runtime: &Runtime) -> Result<Code, String> {
    let slots = runtime.free().next_multiple_of(4);
    let data_at = slots + u32::try_from(names.len()).map_err(|_| "too many names")? * SLOT;
    let mut emitter = Emitter { runtime, names, slots, data: Data::new(data_at), functions: Vec::new() };
    let mut main = Body::new();
    emitter.turns(&mut main, &script.turns)?;
    main.code().call(runtime.calls.exhausted);
    main.leave();
    let main = emitter.finish(main);
    let run = body::run(runtime, emitter.slot("task")?, main);
    Ok(Code { functions: emitter.functions, run, data_at, data: emitter.data.into_bytes() })
}

impl Emitter<'_> {
    /// The address of a name's slot.
    fn slot(&self, name: &str) -> Result<i32, String> {
        let at = self.names.slot(name).and_then(|at| u32::try_from(at).ok()).ok_or("a name without a slot")?;
        Ok((self.slots + at * SLOT).cast_signed())
    }

    /// Keeps a function; gives its index.
    fn finish(&mut self, body: Body) -> u32 {
        let index = self.runtime.next_function() + u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        self.functions.push(body.finish());
        index
    }
}
