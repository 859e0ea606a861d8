//! One function being written. Every function of a script answers 0 to go on, or the address of the result that ends the
//! run; a step that ends it leaves through the block around the whole body.

use crate::encode::Runtime;
use wasm_encoder::{BlockType, Encode as _, InstructionSink};

/// The local that holds what a function answers.
const ANSWER: u32 = 0;
/// The local that keeps a condition while it is settled.
const CONDITION: u32 = 1;

/// Code so far, inside the block that is left to end the run.
pub(super) struct Body {
    bytes: Vec<u8>,
    /// Blocks open inside the outermost.
    depth: u32,
    locals: u32,
}

impl Body {
    /// Empty.
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), depth: 0, locals: 2 }
    }

    /// Where instructions go. Blocks that a jump out must cross are opened with [`Body::open`].
    pub(super) fn code(&mut self) -> InstructionSink<'_> {
        InstructionSink::new(&mut self.bytes)
    }

    /// A local of its own.
    pub(super) fn local(&mut self) -> u32 {
        self.locals += 1;
        self.locals - 1
    }

    /// Opens a block, loop or if.
    pub(super) fn open(&mut self, write: impl FnOnce(&mut InstructionSink<'_>, BlockType)) {
        write(&mut self.code(), BlockType::Empty);
        self.depth += 1;
    }

    /// Closes what was opened last.
    pub(super) fn close(&mut self) {
        self.code().end();
        self.depth = self.depth.saturating_sub(1);
    }

    /// Ends the function if what was just called says so.
    pub(super) fn leave_if_set(&mut self) {
        let depth = self.depth;
        self.code().local_tee(ANSWER).br_if(depth);
    }

    /// Ends the function with what was just called.
    pub(super) fn leave(&mut self) {
        let depth = self.depth;
        self.code().local_set(ANSWER).br(depth);
    }

    /// Keeps the condition on the stack in a local.
    pub(super) fn keep_condition(&mut self) {
        self.code().local_set(CONDITION);
    }

    /// Puts the kept condition onto the stack.
    pub(super) fn condition(&mut self) {
        self.code().local_get(CONDITION);
    }

    /// The function's bytes: locals, then code.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = locals(self.locals);
        InstructionSink::new(&mut bytes).block(BlockType::Empty);
        bytes.extend_from_slice(&self.bytes);
        InstructionSink::new(&mut bytes).end().local_get(ANSWER).end();
        bytes
    }
}

/// The function `run`: takes the task, then does what `main` does.
pub(super) fn run(runtime: &Runtime, task: i32, main: u32) -> Vec<u8> {
    let mut bytes = locals(0);
    InstructionSink::new(&mut bytes)
        .local_get(0)
        .local_get(1)
        .i32_const(task)
        .call(runtime.calls.task)
        .call(main)
        .end();
    bytes
}

fn locals(count: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    if count == 0 {
        bytes.push(0);
    } else {
        bytes.push(1);
        count.encode(&mut bytes);
        wasm_encoder::ValType::I32.encode(&mut bytes);
    }
    bytes
}
