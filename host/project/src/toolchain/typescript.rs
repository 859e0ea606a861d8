//! TypeScript: tsc, then what JavaScript takes.

use super::engine::Engine;
use super::pieces::{absolute, node, npm_program};
use super::{Compiled, Toolchain};
use crate::error::BuildError;
use crate::process::Program;
use crate::project::Project;
use crate::watch::Watch;
use std::path::{Path, PathBuf};

/// Where tsc writes by the template's `tsconfig.json`.
const COMPILED: &str = "build/js/agent.js";

pub(crate) struct TypeScript {
    dir: PathBuf,
    tsc: PathBuf,
    engine: Engine,
    versions: Vec<String>,
}

impl TypeScript {
    pub(crate) fn find(project: &Project, watch: &dyn Watch) -> Result<Self, BuildError> {
        let dir = absolute(project)?;
        let node = node(project, &dir, watch)?;
        let (tsc, compiler) = npm_program(project, &dir, "typescript", "tsc")?;
        let engine = Engine::find(project, &dir)?;
        let versions = vec![node, compiler, engine.version.clone()];
        Ok(Self { dir, tsc, engine, versions })
    }
}

impl Toolchain for TypeScript {
    fn versions(&self) -> &[String] {
        &self.versions
    }

    fn compile(&self, _project: &Project, scratch: &Path, watch: &mut dyn Watch) -> Result<Compiled, BuildError> {
        Program::new("tsc", &self.tsc, &self.dir).args(["--project", "."]).run(watch)?;
        self.engine.pack(&self.dir, COMPILED, scratch, watch)
    }
}
