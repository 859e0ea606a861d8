//! The toolchains that make components, one file each. A toolchain knows how to find its pieces, what they are called for
//! people, and which arguments make a component that imports nothing but our interface.

mod engine;
mod javascript;
mod pieces;
mod python;
mod rust;
mod typescript;

pub use pieces::for_shell;

use crate::error::BuildError;
use crate::language::Language;
use crate::project::Project;
use crate::watch::Watch;
use std::path::{Path, PathBuf};

/// The world of `wit/agent.wit` that every agent is built for.
pub(crate) const WORLD: &str = "agent";
/// The most bytes of a component that a toolchain may hand over: above any that the host loads.
pub(crate) const COMPONENT_BYTES: u64 = 256 << 20;

/// A toolchain whose pieces have been found.
pub(crate) trait Toolchain {
    /// What it is made of, with versions: a component made by another is another component.
    fn versions(&self) -> &[String];

    /// Makes the component. `scratch` is a path that nothing else uses.
    ///
    /// # Errors
    /// The toolchain's own complaint.
    fn compile(&self, project: &Project, scratch: &Path, watch: &mut dyn Watch) -> Result<Compiled, BuildError>;
}

/// What a toolchain made.
pub(crate) struct Compiled {
    pub(crate) component: Vec<u8>,
    /// Sources outside the project's directory that went in.
    pub(crate) outside: Vec<PathBuf>,
}

/// Finds the toolchain of a project.
///
/// # Errors
/// The first missing piece, with the one command that installs it.
pub(crate) fn find(project: &Project, watch: &dyn Watch) -> Result<Box<dyn Toolchain>, BuildError> {
    Ok(match project.language {
        Language::Rust => Box::new(rust::Rust::find(project, watch)?),
        Language::Js => Box::new(javascript::JavaScript::find(project, watch)?),
        Language::Ts => Box::new(typescript::TypeScript::find(project, watch)?),
        Language::Python => Box::new(python::Python::find(project, watch)?),
    })
}
