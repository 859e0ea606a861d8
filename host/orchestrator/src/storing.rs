//! The output of a task that others wait for, stored under the task's id in the plan where the task itself stored nothing:
//! what they are handed is a reference, and they read the part they need (GV-04, GV-13).

use crate::handing;
use crate::prose::compact;
use crate::run::Run;
use sandfork_model::{ArtifactRef, EventBody, Failure, MadeBy, NewArtifact, Outcome};
use std::sync::Arc;

/// Where the output now is, or why it is nowhere; `None` if there is nothing to store, or nobody who could.
pub(crate) async fn store(run: &Run, name: &str, outcome: &Outcome) -> Option<Result<String, Failure>> {
    let output = outcome.output.as_ref().filter(|output| outcome.is_ok() && !output.is_null())?;
    let store = run.artifacts.as_ref().filter(|_| !handing::names_artifacts(output))?;
    let new = NewArtifact {
        name: name.to_owned(),
        text: compact(output),
        media_type: Some("application/json".into()),
        task: Arc::clone(&outcome.task),
        by_event: None,
        made_by: MadeBy::AcceptedOutput,
    };
    let stored = match store.keep(new).await {
        Ok(stored) => stored,
        Err(error) => {
            let message = format!("the output of {name} could not be stored: {}", handing::shown(&error.message));
            return Some(Err(Failure { code: error.code, message }));
        }
    };
    let reference = stored.reference.to_string();
    if stored.is_new {
        let (ArtifactRef { name, version }, bytes, sha256) = (stored.reference, stored.bytes, stored.sha256);
        run.emit(EventBody::ArtifactPut { name, version, bytes, sha256 }, None);
    }
    run.stored.lock().note(&reference, outcome.task.path.top_ordinal());
    Some(Ok(reference))
}
