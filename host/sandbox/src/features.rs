//! The one list of wasm proposals that guests may use. The scan and the engines read it; nothing is left to defaults.

use wasmparser::WasmFeatures;

/// What guests may use: what every toolchain of ours emits, and nothing more.
///
/// Everything absent is off, new proposals of a newer parser included: threads and shared memory (no second thread of
/// control), memory64, multi-memory and custom page sizes (limits count 64 KiB pages of one memory a module), gc, function
/// references, exceptions, stack switching and component-model async (advisories of 2026, and surface no agent needs),
/// tail calls, relaxed simd and wide arithmetic (not needed; relaxed simd is not deterministic).
pub(crate) const GUEST_FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::SIMD)
    .union(WasmFeatures::FLOATS)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::COMPONENT_MODEL);

/// What the engine itself needs besides, where a component holds several: the code that it generates to carry strings from one
/// nested component to another works on both their memories. Guests are validated without it.
pub(crate) const ADAPTER_FEATURES: WasmFeatures = WasmFeatures::MULTI_MEMORY;
