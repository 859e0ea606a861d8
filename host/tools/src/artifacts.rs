//! Tools `artifact_put` and `artifact_get`: products of this run, immutable, named, versioned, stored by the digest of their
//! bytes (GV-11, GV-13, GV-14). A reference once given always leads to the same bytes. They live in the run's own directory
//! and become nobody's memory (GV-16). Names never become paths.

use crate::arguments::{Arguments, Misread};
use crate::specs;
use sandfork_model::id::is_valid_id;
use sandfork_model::{AgentError, BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec, sha256_hex};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of one artifact.
const ARTIFACT_BYTES: u64 = 16 << 20;
/// Bytes of all artifacts of a run, each content counted once.
const RUN_BYTES: u64 = 256 << 20;
/// Artifacts of a run, versions counted.
const RUN_ARTIFACTS: u64 = 10_000;
/// Bytes that one `artifact_get` answers unless it asks for less: a reader fetches the part it needs.
const PART_BYTES: u64 = 64 << 10;

/// The artifacts of one run. Cheap to clone; clones share them.
#[derive(Clone, Debug)]
pub struct Artifacts(Arc<Shelf>);

#[derive(Debug)]
struct Shelf {
    directory: PathBuf,
    index: Mutex<Index>,
}

#[derive(Debug, Default)]
struct Index {
    versions: BTreeMap<String, Vec<Stored>>,
    bytes: u64,
    count: u64,
}

#[derive(Clone, Debug)]
struct Stored {
    sha256: String,
    bytes: u64,
}

impl Artifacts {
    /// The artifacts of the run whose directory for them is `directory`; it is made, for the owner's eyes only, when the
    /// first one comes.
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self(Arc::new(Shelf { directory, index: Mutex::default() }))
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
                "artifact_put" => shelf.put(&call),
                _ => shelf.get(&call),
            });
            Reply::now(match done.await {
                Ok(result) => result,
                Err(_) => Err(error("io_error", &name, "the artifact store broke; see the host's log".into())),
            })
        })
    }
}

impl Shelf {
    fn put(&self, call: &ToolCall) -> Result<String, AgentError> {
        let misread = |misread: Misread| misread.to_error(&call.name);
        let read = Arguments::read(&call.arguments, &["name", "text"]).map_err(misread)?;
        let (name, text) = (read.text("name").map_err(misread)?, read.text("text").map_err(misread)?);
        if !is_valid_id(name) {
            let why = "argument `name` expects a letter, then at most 63 letters, digits, `_`, `-` or `.`";
            return Err(misread(Misread(why.into())));
        }
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        let sha256 = sha256_hex(text.as_bytes());
        let mut index = self.index();
        let is_new = !index.holds(&sha256);
        let total = if is_new { index.bytes.saturating_add(bytes) } else { index.bytes };
        if bytes > ARTIFACT_BYTES || total > RUN_BYTES || index.count >= RUN_ARTIFACTS {
            let message = format!(
                "`{name}` has {bytes} bytes; an artifact has at most {ARTIFACT_BYTES}, a run {RUN_BYTES} in {RUN_ARTIFACTS}"
            );
            return Err(error("too_large", &call.name, message));
        }
        if is_new {
            self.store(&sha256, text).map_err(|io| broken(&call.name, &io))?;
        }
        let versions = index.versions.entry(name.to_owned()).or_default();
        versions.push(Stored { sha256: sha256.clone(), bytes });
        let version = versions.len();
        index.bytes = total;
        index.count += 1;
        let reference = format!("artifact://{name}/v{version}");
        Ok(json!({ "ref": reference, "name": name, "version": version, "bytes": bytes, "sha256": sha256 }).to_string())
    }

    fn get(&self, call: &ToolCall) -> Result<String, AgentError> {
        let misread = |misread: Misread| misread.to_error(&call.name);
        let read = Arguments::read(&call.arguments, &["ref", "offset", "length", "line", "lines"]).map_err(misread)?;
        let reference = read.text("ref").map_err(misread)?;
        let number = |key: &str| read.optional_number(key, ARTIFACT_BYTES).map_err(misread);
        let (offset, length) = (number("offset")?, number("length")?);
        let (line, lines) = (number("line")?, number("lines")?);
        if (offset.or(length)).is_some() && (line.or(lines)).is_some() {
            return Err(misread(Misread(
                "give a range in bytes (`offset`, `length`) or in lines (`line`, `lines`)".into(),
            )));
        }
        let stored = self.find(reference).ok_or_else(|| {
            let shown: String = reference.chars().take(128).collect();
            error("not_found", &call.name, format!("no artifact `{}` in this run", shown.escape_debug()))
        })?;
        let text = self.fetch(&stored).map_err(|io| broken(&call.name, &io))?;
        let part = match (line, lines) {
            (None, None) => part(&text, offset.unwrap_or(0), length.unwrap_or(PART_BYTES).min(PART_BYTES)),
            (line, lines) => lines_of(&text, line.unwrap_or(1), lines.unwrap_or(u64::MAX)),
        };
        let (text, from, is_more) = part;
        Ok(json!({
            "ref": reference, "sha256": stored.sha256, "bytes": stored.bytes,
            "offset": from, "text": text, "more": is_more,
        })
        .to_string())
    }

    fn find(&self, reference: &str) -> Option<Stored> {
        let (name, version) = reference.strip_prefix("artifact://")?.split_once("/v")?;
        let place = version.parse::<usize>().ok()?.checked_sub(1)?;
        self.index().versions.get(name)?.get(place).cloned()
    }

    /// Writes whole and moves into place: whoever reads finds all of it or nothing.
    fn store(&self, sha256: &str, text: &str) -> io::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.directory)?;
        let part = self.directory.join(format!(".{sha256}.part"));
        let mut file = private().write(true).create(true).truncate(true).open(&part)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&part, self.directory.join(sha256))
    }

    /// Reads and holds the bytes against their name.
    fn fetch(&self, stored: &Stored) -> io::Result<String> {
        let path: &Path = &self.directory.join(&stored.sha256);
        if std::fs::metadata(path)?.len() != stored.bytes {
            return Err(io::Error::other("the stored bytes have another length"));
        }
        let bytes = std::fs::read(path)?;
        if sha256_hex(&bytes) != stored.sha256 {
            return Err(io::Error::other("the stored bytes have another digest"));
        }
        String::from_utf8(bytes).map_err(io::Error::other)
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Index {
    fn holds(&self, sha256: &str) -> bool {
        self.versions.values().flatten().any(|stored| stored.sha256 == sha256)
    }
}

fn private() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A part by bytes, on whole characters.
fn part(text: &str, offset: u64, length: u64) -> (&str, u64, bool) {
    let at = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let from = text.floor_char_boundary(at(offset));
    let to = text.floor_char_boundary(from.saturating_add(at(length)));
    let taken = text.get(from..to).unwrap_or_default();
    (taken, u64::try_from(from).unwrap_or(u64::MAX), to < text.len())
}

/// A part by lines, the first being 1; at most as many bytes as a part by bytes.
fn lines_of(text: &str, line: u64, lines: u64) -> (&str, u64, bool) {
    let skip = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
    let take = usize::try_from(lines).unwrap_or(usize::MAX);
    let start_of = |nth: usize| -> usize {
        if nth == 0 {
            return 0;
        }
        text.match_indices('\n').nth(nth - 1).map_or(text.len(), |(at, _)| at + 1)
    };
    let from = start_of(skip);
    let to = start_of(skip.saturating_add(take));
    let length = u64::try_from(to.saturating_sub(from)).unwrap_or(u64::MAX).min(PART_BYTES);
    part(text, u64::try_from(from).unwrap_or(u64::MAX), length)
}

fn error(code: &str, tool: &str, message: String) -> AgentError {
    AgentError { code: code.into(), message: format!("`{tool}`: {message}"), details: json!({ "tool": tool }) }
}

/// The guest learns that it failed, not where on the host.
fn broken(tool: &str, io: &io::Error) -> AgentError {
    error("io_error", tool, format!("the artifact store failed ({})", io.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{answer, code};
    use serde_json::Value;

    fn shelf() -> (tempfile::TempDir, Artifacts) {
        let home = tempfile::tempdir().expect("a directory");
        let artifacts = Artifacts::new(home.path().join("artifacts"));
        (home, artifacts)
    }

    fn put(artifacts: &Artifacts, name: &str, text: &str) -> Value {
        answer(artifacts, "artifact_put", json!({ "name": name, "text": text })).expect("stored")
    }

    // GV-14: a reference to v3 never becomes v4
    #[test]
    fn a_reference_leads_to_the_same_bytes_after_a_newer_version() {
        let (_home, artifacts) = shelf();
        for n in 1..=3 {
            put(&artifacts, "report", &format!("text {n}"));
        }
        let accepted = answer(&artifacts, "artifact_get", json!({ "ref": "artifact://report/v3" })).expect("there");
        put(&artifacts, "report", "text 4");
        let again = answer(&artifacts, "artifact_get", json!({ "ref": "artifact://report/v3" })).expect("there");
        assert_eq!(accepted, again);
        assert_eq!(again["text"], "text 3");
        assert_eq!(again["sha256"], sha256_hex(b"text 3"));
    }

    // GV-13: 50 000 lines never travel whole; the reader fetches the part it needs
    #[test]
    fn a_large_artifact_is_read_by_lines_or_bytes() {
        let (_home, artifacts) = shelf();
        let log: String = (1..=50_000).map(|n| format!("line {n}\n")).collect();
        put(&artifacts, "log", &log);
        let get = |range: Value| {
            let mut arguments = json!({ "ref": "artifact://log/v1" });
            arguments.as_object_mut().expect("a map").extend(range.as_object().expect("a map").clone());
            answer(&artifacts, "artifact_get", arguments).expect("there")
        };
        assert_eq!(get(json!({ "line": 49_999, "lines": 1 }))["text"], "line 49999\n");
        assert_eq!(get(json!({ "offset": 0, "length": 6 }))["text"], "line 1");
        let whole = get(json!({}));
        assert_eq!(whole["more"], true);
        assert!(whole["text"].as_str().expect("text").len() <= 64 << 10);
        assert_eq!(get(json!({ "line": 60_000 }))["text"], "");
    }

    #[test]
    fn what_is_not_there_or_not_asked_rightly_is_refused() {
        let (home, artifacts) = shelf();
        put(&artifacts, "a", "x");
        for reference in
            ["artifact://a/v2", "artifact://a/v0", "artifact://b/v1", "a", "artifact://../../etc/passwd/v1"]
        {
            assert_eq!(code(&artifacts, "artifact_get", json!({ "ref": reference })), "not_found", "{reference}");
        }
        for arguments in
            [json!({ "name": "../x", "text": "" }), json!({ "name": "a" }), json!({ "name": "a", "text": 1 })]
        {
            assert_eq!(code(&artifacts, "artifact_put", arguments), "invalid_arguments");
        }
        let both = json!({ "ref": "artifact://a/v1", "offset": 1, "line": 1 });
        assert_eq!(code(&artifacts, "artifact_get", both), "invalid_arguments");
        let large = "x".repeat(usize::try_from(ARTIFACT_BYTES).expect("fits") + 1);
        assert_eq!(code(&artifacts, "artifact_put", json!({ "name": "large", "text": large })), "too_large");
        // Bytes that were changed behind the store's back are not handed out.
        let path = home.path().join("artifacts").join(sha256_hex(b"x"));
        std::fs::write(path, "y").expect("written");
        assert_eq!(code(&artifacts, "artifact_get", json!({ "ref": "artifact://a/v1" })), "io_error");
    }

    #[cfg(unix)]
    #[test]
    fn artifacts_are_for_the_owners_eyes_only() {
        use std::os::unix::fs::PermissionsExt;
        let (home, artifacts) = shelf();
        put(&artifacts, "a", "x");
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        let directory = home.path().join("artifacts");
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(&directory.join(sha256_hex(b"x"))), 0o600);
    }
}
