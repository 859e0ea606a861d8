//! The two engines that JavaScript can be packed with, and which of them a project asks for. Knows the arguments that keep
//! WASI out of each.

use super::pieces::{collect, npm_program};
use super::{Compiled, WORLD};
use crate::error::BuildError;
use crate::files::read_bounded;
use crate::process::Program;
use crate::project::Project;
use crate::watch::Watch;
use sandfork_source::{Place, Problem};
use serde_json::Value;
use std::path::{Path, PathBuf};

const QUICKJS: &str = "componentize-qjs";
const STARLING: &str = "componentize-js";
const STARLING_PACKAGE: &str = "@bytecodealliance/componentize-js";
/// Features of StarlingMonkey that need WASI.
const NEED_WASI: [&str; 5] = ["stdio", "random", "clocks", "http", "fetch-event"];
/// Bytes of a module that is looked at; a larger one is the engine's to judge.
const SOURCE_BYTES: u64 = 4 << 20;
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
        exports_run(&dir.join(source), source)?;
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

/// Engines pack a module that exports no `run` without a word, and its forks then trap. Only what is certain is said: a module
/// in which the word does not even occur cannot export it, unless it hands on what another one exports.
fn exports_run(path: &Path, shown: &str) -> Result<(), BuildError> {
    let read = read_bounded(path, SOURCE_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = read.filter(|text| !may_export_run(text)) else { return Ok(()) };
    let place = text.lines().position(|line| line.trim_start().starts_with("export "));
    let line = place.and_then(|place| u32::try_from(place).ok()).map_or(1, |place| place.saturating_add(1));
    let problem =
        Problem::new(shown, Place { line, column: 1 }, "the module exports no `run`, which is what a fork calls");
    Err(BuildError::Wrong(problem.hint("write `export const run = agent((task, host) => { … });`")))
}

fn may_export_run(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.contains("export *") || text.split(|c| !is_part(c)).any(|word| word == "run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_cannot_export_run_is_told_before_it_is_packed() {
        for (text, is_fine) in [
            ("export const run = agent(() => 1);", true),
            ("function go() {}\nexport { go as run };", true),
            ("export * from \"./other.js\";", true),
            ("export const rum = agent(() => 1);", false),
            ("const runs = 1; export const $run = 2;", false),
            ("", false),
        ] {
            assert_eq!(may_export_run(text), is_fine, "{text:?}");
        }
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("agent.js");
        std::fs::write(&path, "import x from \"x\";\nexport const rum = 1;\n").expect("written");
        let Err(BuildError::Wrong(problem)) = exports_run(&path, "agent.js") else { panic!("it was taken") };
        assert!(problem.to_string().contains("agent.js:2:1: the module exports no `run`"), "{problem}");
        assert!(exports_run(&home.path().join("none.js"), "none.js").is_ok(), "the engine says that better");
    }
}
