//! `write_file`: a whole text file, made where it is missing. Never writes a part of one.

use crate::workspace::fault::FileFault;
use crate::workspace::tree::Tree;
use crate::workspace::watch::Watch;
use serde_json::{Value, json};

pub(crate) fn write(tree: &Tree, path: &str, text: &str, watch: &Watch) -> Result<Value, FileFault> {
    let mut spent = tree.alone();
    let place = tree.place(path)?;
    tree.put(&place, text, path, &mut spent, watch)?;
    Ok(json!({ "path": path, "bytes": text.len(), "created": place.standing.is_none() }))
}
