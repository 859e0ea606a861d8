//! The output of a task that others wait for, stored under the task's id in the plan where the task itself stored nothing: what they are
//! handed is a reference, and they read the part they need (GV-04, GV-13). The one place that stores for the host itself.

use crate::handing;
use crate::prose::compact;
use crate::run::Run;
use sandfork_model::{EventBody, Failure, Outcome, ToolCall};
use serde_json::{Value, json};
use std::sync::Arc;

/// The tool that keeps artifacts.
const STORE: &str = "artifact_put";

/// Where the output now is, or why it is nowhere; `None` if there is nothing to store, or nobody who could.
pub(crate) async fn store(run: &Run, name: &str, outcome: &Outcome) -> Option<Result<String, Failure>> {
    let output = outcome.output.as_ref().filter(|output| outcome.is_ok() && !output.is_null())?;
    let provider = run.toolbox.provider(STORE).filter(|_| !handing::names_artifacts(output))?;
    let arguments = json!({ "name": name, "text": compact(output) });
    let call = ToolCall { task: Arc::clone(&outcome.task), name: STORE.into(), arguments, nth: 0 };
    let stored = match provider.call(call).await.result {
        Ok(text) => serde_json::from_str::<Value>(&text).unwrap_or_default(),
        Err(error) => {
            let message = format!("the output of {name} could not be stored: {}", handing::shown(&error.message));
            return Some(Err(Failure { code: error.code, message }));
        }
    };
    let text = |key: &str| stored.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |key: &str| stored.get(key).and_then(Value::as_u64).unwrap_or_default();
    let (name, version, bytes, sha256) = (text("name"), number("version"), number("bytes"), text("sha256"));
    run.emit(EventBody::ArtifactPut { name, version, bytes, sha256 }, None);
    let reference = text("ref");
    run.stored.lock().note(&reference, outcome.task.path.top_ordinal());
    Some(Ok(reference))
}
