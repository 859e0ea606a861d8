//! `read_file`: a whole text file. Changes nothing.

use crate::workspace::fault::FileFault;
use crate::workspace::tree::Tree;
use serde_json::{Value, json};

pub(crate) fn read(tree: &Tree, path: &str) -> Result<Value, FileFault> {
    let text = {
        let _shared = tree.shared();
        tree.text(path)?
    };
    let (bytes, lines) = (text.len(), text.lines().count());
    Ok(json!({ "path": path, "text": text, "bytes": bytes, "lines": lines }))
}
