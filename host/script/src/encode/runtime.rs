//! Assembles, once, what all scripts share: the runtime module, the memory module and the component around them. Their
//! commented text is in `src/wat`; no binary is kept in the tree.

use super::constants;
use super::reach;
use super::sections::{self, Section};
use std::sync::OnceLock;
use wasmparser::{BinaryReader, ExternalKind};

/// The parts of a core module that stay the same for every script, as section contents.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(super) types: Vec<u8>,
    pub(super) imports: Vec<u8>,
    /// The type of each function that the module itself defines.
    pub(super) functions: Vec<u32>,
    pub(super) globals: Vec<u8>,
    pub(super) exports: Vec<(String, ExternalKind, u32)>,
    /// Their bodies.
    pub(super) bodies: Vec<Vec<u8>>,
    /// The functions that each body calls.
    pub(super) calls: Vec<Vec<u32>>,
    /// Functions that the module imports.
    pub(super) imported: u32,
}

/// What all scripts share.
#[derive(Debug)]
pub(crate) struct Runtime {
    pub(super) script: Parts,
    pub(super) memory: Parts,
    /// The bytes at [`constants::BASE`].
    pub(super) constants: Vec<u8>,
    /// The component up to its first core module, between the two, and after the second.
    pub(super) wrapper: [Vec<u8>; 3],
    pub(crate) calls: Calls,
}

macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident = $export:literal,)*) => {
        /// Indexes of the runtime's functions that a script's own code calls, and of a global it reads.
        #[derive(Debug)]
        pub(crate) struct Calls { $($(#[$doc])* pub(crate) $name: u32,)* }

        impl Calls {
            fn read(find: impl Fn(&str) -> Result<u32, String>) -> Result<Self, String> {
                Ok(Self { $($name: find($export)?,)* })
            }
        }
    };
}

calls! {
    resolve = "resolve",
    text = "text",
    look = "look",
    look_number = "look_number",
    look_list = "look_list",
    put = "put",
    put_plain = "put_plain",
    put_quoted = "put_quoted",
    equal = "equal",
    contains = "contains",
    order = "order",
    flag = "flag",
    went_well = "went_well",
    failed_with = "failed_with",
    ask = "ask",
    settle = "settle",
    begin = "begin",
    task = "task",
    turn = "turn",
    model = "model",
    exhausted = "exhausted",
    tool = "tool",
    note = "note",
    fields = "fields",
    field = "field",
    spawn = "spawn",
    end_run = "return",
    fail = "fail",
    item = "item",
    index = "index",
    clear = "clear",
    sweep = "sweep",
    /// A global.
    end = "end",
}

/// The global `top`, which the runtime imports first.
pub(crate) const TOP: u32 = 0;

impl Runtime {
    /// The first address after the runtime's own constants.
    pub(crate) fn free(&self) -> u32 {
        constants::BASE + u32::try_from(self.constants.len()).unwrap_or(u32::MAX)
    }

    /// The index of the first function after the runtime's own.
    pub(crate) fn next_function(&self) -> u32 {
        self.script.imported + u32::try_from(self.script.functions.len()).unwrap_or(u32::MAX)
    }
}

/// The runtime. An error is a fault of this crate.
pub(crate) fn runtime() -> Result<&'static Runtime, &'static str> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    RUNTIME.get_or_init(assemble).as_ref().map_err(String::as_str)
}

fn assemble() -> Result<Runtime, String> {
    let (text, constants) = constants::place(concat!(
        include_str!("../wat/head.wat"),
        include_str!("../wat/json.wat"),
        include_str!("../wat/build.wat"),
        include_str!("../wat/compare.wat"),
        include_str!("../wat/steps.wat"),
    ))?;
    let script = parts(&wat::parse_str(text).map_err(|error| error.to_string())?)?;
    let memory = parts(&wat::parse_str(include_str!("../wat/memory.wat")).map_err(|error| error.to_string())?)?;
    let wrapper = wat::parse_str(include_str!("../wat/wrapper.wat")).map_err(|error| error.to_string())?;
    let calls = Calls::read(|name| {
        let found = script.exports.iter().find(|(have, _, _)| have == name);
        found.map(|(_, _, index)| *index).ok_or_else(|| format!("the runtime has no `{name}`"))
    })?;
    Ok(Runtime { script, memory, constants, wrapper: split(&wrapper)?, calls })
}

/// Takes a module apart. Names and other custom sections are left behind.
fn parts(module: &[u8]) -> Result<Parts, String> {
    let mut parts = Parts::default();
    for Section { id, contents, whole: _ } in sections::of_module(module).ok_or("no module")? {
        let mut reader = BinaryReader::new(contents, 0);
        match id {
            1 => parts.types = contents.to_vec(),
            2 => {
                parts.imports = contents.to_vec();
                let imports = wasmparser::ImportSectionReader::new(reader).map_err(|error| error.to_string())?;
                for import in imports.into_imports() {
                    let import = import.map_err(|error| error.to_string())?;
                    parts.imported += u32::from(matches!(import.ty, wasmparser::TypeRef::Func(_)));
                }
            }
            3 => {
                for _ in 0..reader.read_var_u32().map_err(|error| error.to_string())? {
                    parts.functions.push(reader.read_var_u32().map_err(|error| error.to_string())?);
                }
            }
            6 => parts.globals = contents.to_vec(),
            7 => {
                for export in wasmparser::ExportSectionReader::new(reader).map_err(|error| error.to_string())? {
                    let export = export.map_err(|error| error.to_string())?;
                    parts.exports.push((export.name.to_owned(), export.kind, export.index));
                }
            }
            10 => {
                for body in wasmparser::CodeSectionReader::new(reader).map_err(|error| error.to_string())? {
                    let range = body.map_err(|error| error.to_string())?.range();
                    let body = contents.get(range).unwrap_or_default().to_vec();
                    parts.calls.push(reach::calls(&body)?);
                    parts.bodies.push(body);
                }
            }
            // Custom sections, and the memory, whose size depends on the script.
            _ => {}
        }
    }
    Ok(parts)
}

/// Cuts the wrapper where its two core modules stand.
fn split(component: &[u8]) -> Result<[Vec<u8>; 3], String> {
    const CUSTOM: u8 = 0;
    const CORE_MODULE: u8 = 1;
    let mut cut = vec![sections::component_header().to_vec()];
    for section in sections::of_component(component).ok_or("no component")? {
        match (section.id, cut.last_mut()) {
            (CUSTOM, _) | (_, None) => {}
            (CORE_MODULE, _) => cut.push(Vec::new()),
            (_, Some(part)) => part.extend_from_slice(section.whole),
        }
    }
    cut.try_into().map_err(|cut: Vec<_>| format!("the wrapper has {} parts", cut.len()))
}
