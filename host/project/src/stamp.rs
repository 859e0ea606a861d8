//! What a component was built from, kept beside it: whether it is up to date is told without the toolchain. A stamp that
//! cannot be read is none.

use crate::error::BuildError;
use crate::files::{read_bounded, write_whole};
use crate::inputs;
use crate::project::Project;
use crate::toolchain::COMPONENT_BYTES;
use sandfork_model::sha256_hex;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The shape of the file; another one is no stamp.
const SCHEMA: &str = "sandfork.build.v1";
/// Bytes of a stamp.
const STAMP_BYTES: u64 = 4 << 20;

/// What a component was built from.
pub(crate) struct Stamp {
    /// Digest of all inputs.
    pub(crate) inputs: String,
    /// sha256 of the component.
    pub(crate) component: String,
    /// Sources outside the project, which the digest of the inputs covers.
    pub(crate) outside: Vec<PathBuf>,
}

impl Stamp {
    /// The stamp of the last build.
    pub(crate) fn read(project: &Project) -> Option<Self> {
        let document: Value = serde_json::from_slice(&read_bounded(&place(project), STAMP_BYTES).ok()?).ok()?;
        let text = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
        if text("schema")? != SCHEMA {
            return None;
        }
        let outside = document.get("outside")?.as_array()?.iter();
        let outside = outside.map(|path| path.as_str().map(PathBuf::from)).collect::<Option<_>>()?;
        Some(Self { inputs: text("inputs")?, component: text("component")?, outside })
    }

    /// Keeps it for the next build.
    pub(crate) fn write(&self, project: &Project) -> Result<(), BuildError> {
        let outside: Vec<String> = self.outside.iter().map(|path| path.display().to_string()).collect();
        let document = json!({
            "schema": SCHEMA, "inputs": self.inputs, "component": self.component, "outside": outside,
        });
        let path = place(project);
        write_whole(&path, format!("{document:#}\n").as_bytes()).map_err(|source| BuildError::Io {
            path,
            doing: "written",
            source,
        })
    }

    /// The component that is there, if it is what this stamp says and nothing has changed since.
    pub(crate) fn fresh(&self, project: &Project, versions: &[String]) -> Result<Option<Vec<u8>>, BuildError> {
        if inputs::digest(project, &self.outside, versions)? != self.inputs {
            return Ok(None);
        }
        let component = read_bounded(&project.component(), COMPONENT_BYTES).ok();
        Ok(component.filter(|bytes| sha256_hex(bytes) == self.component))
    }
}

fn place(project: &Project) -> PathBuf {
    project.component().with_extension("stamp")
}
