//! Makes the two core modules of one script.

use super::constants;
use super::reach;
use super::runtime::{Parts, Runtime};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType,
    MemorySection, MemoryType, Module, RawSection, ValType,
};
use wasmparser::ExternalKind;

/// What is a script's own.
#[derive(Debug)]
pub(crate) struct Code {
    /// Bodies of functions without parameters that answer an i32; their indexes follow the runtime's.
    pub(crate) functions: Vec<Vec<u8>>,
    /// The body of `run`, its index after theirs.
    pub(crate) run: Vec<u8>,
    /// Where `data` belongs.
    pub(crate) data_at: u32,
    pub(crate) data: Vec<u8>,
}

/// Bytes of a wasm page.
const PAGE: u32 = 1 << 16;

/// The module with memory, constants and allocator.
pub(super) fn memory(runtime: &Runtime, code: &Code) -> Module {
    let parts = &runtime.memory;
    let heap = code.data_at.saturating_add(size(code.data.len())).next_multiple_of(16);
    let mut module = Module::new();
    module.section(&RawSection { id: 1, data: &parts.types });
    module.section(&functions(parts));
    let mut memories = MemorySection::new();
    // One page beyond the data: the task and the first answers fit without growing.
    let minimum = u64::from(heap / PAGE) + 1;
    memories.memory(MemoryType { minimum, maximum: None, memory64: false, shared: false, page_size_log2: None });
    module.section(&memories);
    let mut globals = GlobalSection::new();
    let top = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
    globals.global(top, &ConstExpr::i32_const(heap.cast_signed()));
    module.section(&globals);
    let mut exports = ExportSection::new();
    for (name, kind, index) in &parts.exports {
        let kind = match kind {
            ExternalKind::Memory => ExportKind::Memory,
            ExternalKind::Global => ExportKind::Global,
            _ => ExportKind::Func,
        };
        exports.export(name, kind, *index);
    }
    module.section(&exports);
    let mut bodies = CodeSection::new();
    for body in &parts.bodies {
        bodies.raw(body);
    }
    module.section(&bodies);
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(constants::BASE.cast_signed()), runtime.constants.iter().copied());
    if !code.data.is_empty() {
        data.active(0, &ConstExpr::i32_const(code.data_at.cast_signed()), code.data.iter().copied());
    }
    module.section(&data);
    module
}

/// The module with the runtime and the script's own functions.
pub(super) fn script(runtime: &Runtime, code: &Code) -> Result<Module, String> {
    let parts = &runtime.script;
    let type_of = |function: u32| {
        let index = function.saturating_sub(parts.imported);
        usize::try_from(index).ok().and_then(|index| parts.functions.get(index)).copied().unwrap_or_default()
    };
    let mut module = Module::new();
    module.section(&RawSection { id: 1, data: &parts.types });
    module.section(&RawSection { id: 2, data: &parts.imports });
    let mut functions = functions(parts);
    for _ in &code.functions {
        // The runtime has functions of both kinds needed here; their types are taken over.
        functions.function(type_of(runtime.calls.exhausted));
    }
    functions.function(type_of(runtime.calls.resolve));
    module.section(&functions);
    module.section(&RawSection { id: 6, data: &parts.globals });
    let mut exports = ExportSection::new();
    exports.export("run", ExportKind::Func, runtime.next_function() + size(code.functions.len()));
    module.section(&exports);
    let mut bodies = CodeSection::new();
    for (body, is_reached) in parts.bodies.iter().zip(reach::reached(parts, code)?) {
        bodies.raw(if is_reached { body } else { &reach::NOTHING });
    }
    for body in code.functions.iter().chain([&code.run]) {
        bodies.raw(body);
    }
    module.section(&bodies);
    Ok(module)
}

fn functions(parts: &Parts) -> FunctionSection {
    let mut section = FunctionSection::new();
    for index in &parts.functions {
        section.function(*index);
    }
    section
}

fn size(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
