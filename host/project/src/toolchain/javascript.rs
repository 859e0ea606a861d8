//! JavaScript: one module, packed with its engine.

use super::engine::Engine;
use super::pieces::{absolute, node};
use super::{Compiled, Toolchain};
use crate::error::BuildError;
use crate::project::Project;
use crate::watch::Watch;
use std::path::{Path, PathBuf};

pub(crate) struct JavaScript {
    dir: PathBuf,
    engine: Engine,
    versions: Vec<String>,
}

impl JavaScript {
    pub(crate) fn find(project: &Project, watch: &dyn Watch) -> Result<Self, BuildError> {
        let dir = absolute(project)?;
        let node = node(project, &dir, watch)?;
        let engine = Engine::find(project, &dir)?;
        let versions = vec![node, engine.version.clone()];
        Ok(Self { dir, engine, versions })
    }
}

impl Toolchain for JavaScript {
    fn versions(&self) -> &[String] {
        &self.versions
    }

    fn compile(&self, _project: &Project, scratch: &Path, watch: &mut dyn Watch) -> Result<Compiled, BuildError> {
        self.engine.pack(&self.dir, "agent.js", scratch, watch)
    }
}
