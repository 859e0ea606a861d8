//! Tools `artifact_put` and `artifact_get`: products of this run, immutable, named, versioned, stored by the digest of their
//! bytes (GV-11, GV-13, GV-14). A reference once given always leads to the same bytes, or to an error. They live in the run's
//! own directory and become nobody's memory (GV-16). Here a call is read and answered; the store is in [`shelf`].

pub(crate) mod contents;
pub(crate) mod entry;
pub(crate) mod index;
pub(crate) mod kept;
pub(crate) mod parts;
pub(crate) mod reading;
pub(crate) mod shelf;

use crate::arguments::{Arguments, Misread};
use crate::specs;
use contents::ContentError;
use parts::{PART_BYTES, Part};
use sandfork_model::{
    AgentError, Artifact, ArtifactFigures, ArtifactRef, ArtifactStore, BoxFuture, MadeBy, NewArtifact, Reply, ToolCall,
    ToolProvider, ToolSpec,
};
use serde_json::json;
use shelf::{ArtifactLimits, Shelf, Unkept};
use std::path::PathBuf;
use std::sync::Arc;

/// Characters of a media type.
const MEDIA_TYPE_CHARS: usize = 100;

/// The artifacts of one run. Cheap to clone; clones share them.
#[derive(Clone, Debug)]
pub struct Artifacts(Arc<Shelf>);

impl Artifacts {
    /// The artifacts of a run that begins, whose directory for them is `directory`; it is made, for the owner's eyes only,
    /// when the first one comes.
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self::within(directory, ArtifactLimits::default())
    }

    /// The same, within other limits.
    #[must_use]
    pub fn within(directory: PathBuf, limits: ArtifactLimits) -> Self {
        Self(Arc::new(Shelf::new(directory, limits)))
    }
}

impl ToolProvider for Artifacts {
    fn specs(&self) -> Vec<ToolSpec> {
        specs::artifacts()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        let shelf = Arc::clone(&self.0);
        Box::pin(async move {
            let name = call.name.clone();
            let done = tokio::task::spawn_blocking(move || match call.name.as_str() {
                "artifact_put" => put(&shelf, call),
                _ => get(&shelf, &call),
            });
            Reply::now(done.await.unwrap_or_else(|_| Err(broke(&name))))
        })
    }
}

impl ArtifactStore for Artifacts {
    fn keep(&self, new: NewArtifact) -> BoxFuture<'_, Result<Artifact, AgentError>> {
        let shelf = Arc::clone(&self.0);
        Box::pin(async move {
            let kept = tokio::task::spawn_blocking(move || shelf.keep(new));
            kept.await.map_err(|_| broke("artifact_put"))?.map_err(|unkept| refused("artifact_put", &unkept))
        })
    }

    fn knows(&self, reference: &ArtifactRef) -> bool {
        self.0.find(reference).is_some()
    }

    fn figures(&self) -> ArtifactFigures {
        self.0.figures()
    }
}

fn put(shelf: &Shelf, call: ToolCall) -> Result<String, AgentError> {
    let misread = |misread: Misread| misread.to_error(&call.name);
    let read = Arguments::read(&call.arguments, &["name", "text", "media_type"]).map_err(misread)?;
    let (name, text) = (read.text("name").map_err(misread)?, read.text("text").map_err(misread)?);
    let media_type = read.optional_text("media_type").map_err(misread)?;
    if media_type.is_some_and(|media_type| !is_media_type(media_type)) {
        let why = "argument `media_type` expects TYPE/SUBTYPE, at most 100 printable ASCII characters";
        return Err(misread(Misread(why.into())));
    }
    let new = NewArtifact {
        name: name.to_owned(),
        text: text.to_owned(),
        media_type: media_type.map(str::to_owned),
        task: Arc::clone(&call.task),
        by_event: call.event.clone(),
        made_by: MadeBy::ToolPut,
    };
    let Artifact { reference, sha256, bytes, lines, .. } =
        shelf.keep(new).map_err(|unkept| refused(&call.name, &unkept))?;
    Ok(json!({
        "ref": reference.to_string(), "name": reference.name, "version": reference.version,
        "bytes": bytes, "lines": lines, "sha256": sha256,
    })
    .to_string())
}

fn get(shelf: &Shelf, call: &ToolCall) -> Result<String, AgentError> {
    let misread = |misread: Misread| misread.to_error(&call.name);
    let read = Arguments::read(&call.arguments, &["ref", "offset", "length", "line", "lines"]).map_err(misread)?;
    let asked = read.text("ref").map_err(misread)?;
    let number = |key: &str| read.optional_number(key, i64::MAX.unsigned_abs()).map_err(misread);
    let (offset, length) = (number("offset")?, number("length")?);
    let (line, lines) = (number("line")?, number("lines")?);
    if (offset.or(length)).is_some() && (line.or(lines)).is_some() {
        let why = "give a range in bytes (`offset`, `length`) or in lines (`line`, `lines`)";
        return Err(misread(Misread(why.into())));
    }
    let found = ArtifactRef::parse(asked).and_then(|reference| Some((shelf.find(&reference)?, reference)));
    let Some((place, reference)) = found else {
        let shown: String = asked.chars().take(128).collect();
        return Err(error("not_found", &call.name, format!("no artifact `{}` in this run", shown.escape_debug())));
    };
    let text = shelf.text(&place).map_err(|fault| unreadable(&call.name, &reference, &fault))?;
    let part = match (line, lines) {
        (None, None) => Part::by_bytes(&text, offset.unwrap_or(0), length.unwrap_or(PART_BYTES)),
        (line, lines) => Part::by_lines(&text, line.unwrap_or(1), lines.unwrap_or(u64::MAX)),
    };
    let read_bytes = u64::try_from(part.text.len()).unwrap_or(u64::MAX);
    shelf.note_read(&call.task.task_id, &reference, read_bytes, place.bytes);
    Ok(json!({
        "ref": reference.to_string(), "sha256": place.sha256, "bytes": place.bytes, "lines": place.lines,
        "offset": part.offset, "partial": part.is_partial(), "more": part.is_more, "text": part.text,
    })
    .to_string())
}

fn is_media_type(text: &str) -> bool {
    let is_printable = text.chars().all(|c| matches!(c, ' '..='~'));
    let halves = text.split_once('/').is_some_and(|(before, after)| !before.is_empty() && !after.is_empty());
    is_printable && halves && text.len() <= MEDIA_TYPE_CHARS
}

fn error(code: &str, tool: &str, message: String) -> AgentError {
    AgentError { code: code.into(), message: format!("`{tool}`: {message}"), details: json!({ "tool": tool }) }
}

/// The guest learns that it failed, not where on the host.
fn refused(tool: &str, unkept: &Unkept) -> AgentError {
    let code = match unkept {
        Unkept::Name => "invalid_arguments",
        Unkept::TooLarge { .. } => "too_large",
        Unkept::Io(_) => "io_error",
    };
    error(code, tool, unkept.to_string())
}

fn unreadable(tool: &str, reference: &ArtifactRef, fault: &ContentError) -> AgentError {
    match fault {
        ContentError::Damaged => error("artifact_damaged", tool, format!("{reference} cannot be answered: {fault}")),
        ContentError::Io(io) => error("io_error", tool, format!("the artifact store failed ({})", io.kind())),
    }
}

fn broke(tool: &str) -> AgentError {
    error("io_error", tool, "the artifact store broke; see the host's log".into())
}

#[cfg(test)]
mod tests;
