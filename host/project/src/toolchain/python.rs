//! Python on CPython: componentize-py with WASI stubbed out, from the project's own environment before any other.

use super::pieces::{absolute, collect, not_set_up, on_path};
use super::{Compiled, Toolchain, WORLD};
use crate::error::BuildError;
use crate::process::Program;
use crate::project::Project;
use crate::watch::Watch;
use std::env;
use std::path::{Path, PathBuf};

const STEP: &str = "componentize-py";

pub(crate) struct Python {
    dir: PathBuf,
    componentize: PathBuf,
    versions: Vec<String>,
}

impl Python {
    pub(crate) fn find(project: &Project, watch: &dyn Watch) -> Result<Self, BuildError> {
        let dir = absolute(project)?;
        let scripts = if cfg!(windows) { "Scripts" } else { "bin" };
        let own = dir.join(".venv").join(scripts).join(format!("{STEP}{}", env::consts::EXE_SUFFIX));
        let path = if own.is_file() { Some(own) } else { on_path(STEP) };
        let found = path.and_then(|path| {
            let version = Program::new(STEP, &path, &dir).args(["--version"]).answer(watch)?;
            Some((path, version))
        });
        let (componentize, version) = found.ok_or_else(|| not_set_up(project, STEP))?;
        Ok(Self { dir, componentize, versions: vec![version] })
    }
}

impl Toolchain for Python {
    fn versions(&self) -> &[String] {
        &self.versions
    }

    fn compile(&self, _project: &Project, scratch: &Path, watch: &mut dyn Watch) -> Result<Compiled, BuildError> {
        Program::new(STEP, &self.componentize, &self.dir)
            .args(["-d", "wit", "-w", WORLD, "componentize", "agent", "-s", "-o"])
            .args([scratch])
            .run(watch)?;
        collect(scratch, STEP)
    }
}
