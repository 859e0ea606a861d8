//! Where a replaced result can be read again: an artifact, if the fork may store and read artifacts. Otherwise nowhere.

use sandfork_guest::{Context, Json, Task, json};

/// Puts results away.
pub(crate) struct Saving {
    prefix: Option<String>,
}

impl Saving {
    pub(crate) fn of(task: &Task) -> Self {
        let has = |name: &str| task.tools.iter().any(|tool| tool.name == name);
        let may = has("artifact_put") && has("artifact_get");
        Self { prefix: may.then(|| plain(&task.task_id)) }
    }

    /// The reference under which `text` can be read, if it could be stored.
    pub(crate) fn store(&self, host: &mut Context, id: &str, text: &str) -> Option<String> {
        let name = format!("{}.{}", self.prefix.as_ref()?, plain(id));
        let stored = host.tool("artifact_put", &json!({ "name": name, "text": text })).ok()?;
        stored.get("ref").and_then(Json::as_str).map(str::to_owned)
    }
}

/// A name of at most 48 letters, digits, `-` and `_`.
fn plain(text: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.chars().take(48).map(|c| if fits(c) { c } else { '-' }).collect()
}
