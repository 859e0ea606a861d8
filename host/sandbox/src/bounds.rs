//! What a component may cost to load, and the words of a refusal. Numbers only; who applies them is the scan.

use sandfork_model::port::Unloadable;
use std::time::Duration;

/// What a component may cost to load. Each number bounds time or memory of compiling, which nothing can interrupt.
#[derive(Clone, Copy, Debug)]
pub struct LoadLimits {
    /// Bytes of the component. The largest language guests known are 18 MiB.
    pub component_bytes: usize,
    /// Bytes of one function body. The largest of CPython has 417 KiB; the compiler keeps a body as a whole in memory, at
    /// about 800 times its size.
    pub function_bytes: u64,
    /// Estimated time of compiling a script, summed over its functions. A script of a hundred steps takes 10 ms.
    pub script_compile: Duration,
    /// Estimated time of compiling a language guest, summed over its functions. CPython is estimated at 45 s.
    pub guest_compile: Duration,
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
            script_compile: Duration::from_secs(30),
            guest_compile: Duration::from_secs(120),
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
