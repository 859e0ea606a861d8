//! The two engines that JavaScript can be packed with, and which of them a project asks for. Knows the arguments that keep
//! WASI out of each.

use super::pieces::{collect, npm_program};
use super::{Compiled, WORLD};
use crate::error::BuildError;
use crate::files::read_bounded;
use crate::process::Program;
use crate::project::Project;
use crate::watch::Watch;
use serde_json::Value;
use std::path::{Path, PathBuf};

const QUICKJS: &str = "componentize-qjs";
const STARLING: &str = "componentize-js";
const STARLING_PACKAGE: &str = "@bytecodealliance/componentize-js";
/// Features of StarlingMonkey that need WASI.
const NEED_WASI: [&str; 5] = ["stdio", "random", "clocks", "http", "fetch-event"];
/// Bytes of a project's `package.json`.
const PACKAGE_BYTES: u64 = 1 << 20;

/// A packer of JavaScript, found.
pub(super) struct Engine {
    is_starling: bool,
    program: PathBuf,
    pub(super) version: String,
}

impl Engine {
    /// The engine that the project's `package.json` names; QuickJS where it names none.
    pub(super) fn find(project: &Project, dir: &Path) -> Result<Self, BuildError> {
        let is_starling = read_bounded(&dir.join("package.json"), PACKAGE_BYTES)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
            .is_some_and(|package| {
                let names =
                    |key: &str| package.get(key).is_some_and(|packages| packages.get(STARLING_PACKAGE).is_some());
                names("devDependencies") || names("dependencies")
            });
        let (package, name) = if is_starling { (STARLING_PACKAGE, STARLING) } else { (QUICKJS, QUICKJS) };
        let (program, version) = npm_program(project, dir, package, name)?;
        Ok(Self { is_starling, program, version })
    }

    /// Packs the module at `source`, a path below `dir`.
    pub(super) fn pack(
        &self,
        dir: &Path,
        source: &str,
        scratch: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Compiled, BuildError> {
        let name = if self.is_starling { STARLING } else { QUICKJS };
        let program = Program::new(name, &self.program, dir);
        let program = if self.is_starling {
            program
                .args([source, "--wit", "wit", "--world-name", WORLD])
                .args(NEED_WASI.into_iter().flat_map(|feature| ["--disable", feature]))
        } else {
            program.args(["--wit", "wit", "-n", WORLD, "--js", source, "--sync", "--stub-wasi"])
        };
        program.args(["-o"]).args([scratch]).run(watch)?;
        collect(scratch, name)
    }
}
