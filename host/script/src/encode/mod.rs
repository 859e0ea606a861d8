//! Joins a script's own functions with what all scripts share. Knows wasm's binary format, nothing of scripts.

mod component;
mod constants;
mod manifest;
mod modules;
mod reach;
mod runtime;
mod sections;

pub(crate) use component::component;
pub use manifest::manifest;
pub(crate) use modules::Code;
pub(crate) use runtime::{Runtime, TOP, runtime};
