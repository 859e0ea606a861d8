//! Script in, component out: a YAML or JSON script becomes a self-contained wasm component of the world in
//! `wit/agent.wit`, in process and without another toolchain. Knows nothing of running one.
//!
//! `read` turns the source tree into steps, `check` says what cannot be right, `emit` writes the script's own functions,
//! `encode` joins them with the runtime that all scripts share. The language is described in `docs/scripts.md`.

mod ast;
mod check;
mod compile;
mod emit;
mod encode;
mod read;

pub use compile::{Compiled, Manifest, compile, compile_tree};
pub use encode::manifest;

/// JSON Schema of a script, for editors. It knows every key that the compiler knows; the compiler checks more.
pub const SCHEMA: &str = include_str!("../schema/script.json");
/// The interface that compiled scripts speak, as their manifest names it.
pub use sandfork_model::INTERFACE;
