//! What a component may cost to load, and the words of a refusal. Numbers only; who applies them is the scan.

use sandfork_model::port::Unloadable;

/// What a component may cost to load. Each number bounds time or memory of compiling, which nothing can interrupt.
#[derive(Clone, Copy, Debug)]
pub struct LoadLimits {
    /// Bytes of the component. The largest language guests known are 18 MiB.
    pub component_bytes: usize,
    /// Bytes of one function body. Half a MiB of straight-line code took 38 s with an optimising compiler, a MiB about 1.5 s
    /// with the plain one that scripts get.
    pub function_bytes: u32,
    /// Bytes of one function body where the optimising compiler is used.
    pub optimised_function_bytes: u32,
    /// Locals × branch targets of one function: what the compiler may have to carry from block to block.
    pub function_joins: u64,
    /// Functions with a body.
    pub functions: u32,
    /// Core modules.
    pub core_modules: u32,
    /// Nesting of components.
    pub nesting: usize,
    /// Instances that one instantiation makes, nested components unfolded.
    pub instances: u64,
    /// Loaded agents kept in memory.
    pub kept_agents: usize,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self {
            component_bytes: 64 << 20,
            function_bytes: 1 << 20,
            optimised_function_bytes: 256 << 10,
            function_joins: 16_000_000,
            functions: 200_000,
            core_modules: 64,
            nesting: 8,
            instances: 1_000,
            kept_agents: 1_024,
        }
    }
}

/// A refusal that only has something to say.
pub(crate) fn refuse(message: impl Into<String>, hint: Option<&str>) -> Unloadable {
    Unloadable { message: message.into(), hint: hint.map(str::to_owned), is_missing_export: false }
}
