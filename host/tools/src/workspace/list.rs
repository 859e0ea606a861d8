//! `list_files`: what there is, sorted. Opens no file.

use crate::workspace::fault::FileFault;
use crate::workspace::tree::Tree;
use crate::workspace::walk::walk;
use crate::workspace::watch::Watch;
use serde_json::{Value, json};

pub(crate) fn list(tree: &Tree, path: &str, watch: &Watch) -> Result<Value, FileFault> {
    let found = {
        let _shared = tree.shared();
        walk(tree, path, tree.limits.listed_files, watch)?
    };
    let files: Vec<Value> = found.files.iter().map(|(path, bytes)| json!({ "path": path, "bytes": bytes })).collect();
    Ok(json!({ "files": files, "truncated": found.is_truncated, "skipped": found.skipped }))
}
