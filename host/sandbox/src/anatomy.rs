//! What a component is made of, as far as admission needs it: counts and names, taken from valid bytes. Decides nothing.

use std::collections::BTreeMap;
use wasmparser::ComponentExternalKind;

/// One import or export of the component itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// As written, version included.
    pub(crate) name: String,
    /// `instance`, `func`, `type`, ….
    pub(crate) kind: &'static str,
    /// An equality with a type the component already has: `use` in a world makes these, and they ask for nothing.
    pub(crate) is_type_equality: bool,
}

/// What was counted while reading a component once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anatomy {
    /// Its size.
    pub(crate) bytes: usize,
    /// Imports of the component itself, in order.
    pub(crate) imports: Vec<Named>,
    /// Exports of the component itself, in order.
    pub(crate) exports: Vec<Named>,
    /// Core modules, nested ones included.
    pub(crate) core_modules: u32,
    /// Functions with a body.
    pub(crate) functions: u32,
    /// Bytes of the largest body.
    pub(crate) largest_function_bytes: u64,
    /// Estimated time of compiling all bodies for scripts and for language guests, in nanoseconds.
    pub(crate) compile_ns: (u64, u64),
    /// Fuel of the longest way through one body that passes no fuel check: what a hardware trap may leave unwritten.
    pub(crate) straight_line_fuel: u64,
    /// Core instances made at most by one instantiation.
    pub(crate) core_instances: u64,
    /// Linear memories made at most by one instantiation.
    pub(crate) memories: u64,
    /// Tables made at most by one instantiation.
    pub(crate) tables: u64,
    /// Elements of the largest table: its declared maximum, or `u64::MAX` where it may grow freely.
    pub(crate) table_elements: u64,
    /// Pages every memory starts with, in order of definition.
    pub(crate) memory_pages: Vec<u64>,
    /// Whether components are nested in this one; the counts above are upper bounds then.
    pub(crate) has_nested_components: bool,
    /// Whether any function is lifted or lowered with strings that are not UTF-8.
    pub(crate) has_wide_strings: bool,
    /// Top-level custom sections: name and size in bytes, the first of each name.
    pub(crate) custom_sections: BTreeMap<String, usize>,
    /// The `sandfork:manifest` section's content, if there is one.
    pub(crate) manifest: Option<Vec<u8>>,
}

/// The word for a kind of import or export.
pub(crate) fn kind_name(kind: ComponentExternalKind) -> &'static str {
    match kind {
        ComponentExternalKind::Module => "core module",
        ComponentExternalKind::Func => "func",
        ComponentExternalKind::Value => "value",
        ComponentExternalKind::Type => "type",
        ComponentExternalKind::Instance => "instance",
        ComponentExternalKind::Component => "component",
    }
}
