//! A project to a component: find the toolchain, see whether anything changed, compile, add the manifest, have the result
//! judged, put it in its place. Knows the order, and nothing of any one toolchain.

use crate::error::BuildError;
use crate::files::write_whole;
use crate::inputs;
use crate::leftovers;
use crate::project::Project;
use crate::section::with_manifest;
use crate::stamp::Stamp;
use crate::toolchain::{self, Compiled, Toolchain};
use crate::watch::Watch;
use sandfork_model::port::Unloadable;
use sandfork_model::sha256_hex;
use std::fs;
use std::path::{Path, PathBuf};

/// How to build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Build although nothing changed.
    pub force: bool,
}

/// A project's component, in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes, the manifest included.
    pub component: Vec<u8>,
    /// Whether nothing had changed since it was built.
    pub was_fresh: bool,
}

/// Builds a project. `judge` says why a component cannot be an agent; it sees the component as it will lie there.
///
/// # Errors
/// A missing piece with the one command that installs it, the toolchain's complaint, the judge's, or that `watch` gave up.
pub fn build(
    project: &Project,
    options: BuildOptions,
    judge: &dyn Fn(&[u8]) -> Result<(), Unloadable>,
    watch: &mut dyn Watch,
) -> Result<Built, BuildError> {
    let built = made(project, options, judge, watch);
    // Whatever a program that was ended came to is no news then.
    if built.is_err() && watch.is_stopped() { Err(BuildError::Stopped) } else { built }
}

fn made(
    project: &Project,
    options: BuildOptions,
    judge: &dyn Fn(&[u8]) -> Result<(), Unloadable>,
    watch: &mut dyn Watch,
) -> Result<Built, BuildError> {
    let toolchain = toolchain::find(project, watch)?;
    let path = project.component();
    if !options.force
        && let Some(stamp) = Stamp::read(project)
        && let Some(component) = stamp.fresh(project, toolchain.versions())?
    {
        return Ok(Built { path, component, was_fresh: true });
    }
    let directory = path.parent().unwrap_or(&project.dir);
    fs::create_dir_all(directory).map_err(|source| BuildError::Io {
        path: directory.to_owned(),
        doing: "made",
        source,
    })?;
    leftovers::clear(directory);
    // Taken before compiling: what is edited meanwhile is a change, even if it went in.
    let before = inputs::of_sources(project)?;
    let Compiled { component, outside } = compiled(&*toolchain, project, &scratch(directory)?, watch)?;
    let unchanged = before == inputs::of_sources(project)?;
    let manifest = project.manifest.to_json().to_string();
    let component = with_manifest(&component, manifest.as_bytes()).ok_or_else(|| BuildError::Unacceptable {
        message: "what it made is no component".into(),
        hint: Some("is the toolchain older than what the project pins?".into()),
    })?;
    judge(&component).map_err(|why| BuildError::Unacceptable { message: why.message, hint: why.hint })?;
    write_whole(&path, &component).map_err(|source| BuildError::Io { path: path.clone(), doing: "written", source })?;
    if unchanged {
        let inputs = inputs::digest(project, &outside, toolchain.versions())?;
        Stamp { inputs, component: sha256_hex(&component), outside }.write(project)?;
    }
    Ok(Built { path, component, was_fresh: false })
}

/// Compiles; what a program that failed has written so far goes with it.
fn compiled(
    toolchain: &dyn Toolchain,
    project: &Project,
    scratch: &Path,
    watch: &mut dyn Watch,
) -> Result<Compiled, BuildError> {
    toolchain.compile(project, scratch, watch).inspect_err(|_| {
        // The first error is the one to tell.
        let _ = fs::remove_file(scratch);
    })
}

/// A path that no other build of this project uses, absolute because a toolchain runs elsewhere.
fn scratch(directory: &Path) -> Result<PathBuf, BuildError> {
    let path = directory.join(format!(".component.{}.wasm.tmp", std::process::id()));
    std::path::absolute(&path).map_err(|source| BuildError::Io { path, doing: "found", source })
}
