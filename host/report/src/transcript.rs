//! What each fork saw and wrote, one private file a fork. Not redacted: it is written only when asked, for its owner's
//! eyes. Names of files come from task ids, which guests choose in part, so they are bounded and cannot collide.

use sandfork_model::{Message, TaskRef, Thread, TranscriptSink};
use serde_json::{Map, Value, json};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The name of a transcript's shape.
pub const TRANSCRIPT_SCHEMA: &str = "sandfork.transcript.v1";
/// The longest file name written, in bytes: what every file system in use can hold, with room for an ending.
pub const FILE_NAME_BYTES: usize = 200;

/// A directory that takes one JSON file per fork.
#[derive(Debug)]
pub struct TranscriptDir {
    dir: PathBuf,
}

impl TranscriptDir {
    /// Opens `dir`, making it (readable by its owner alone) where it does not exist.
    ///
    /// # Errors
    /// When the directory cannot be made.
    pub fn create(dir: impl Into<PathBuf>) -> io::Result<Self> {
        let dir = dir.into();
        if !dir.is_dir() {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&dir)?;
        }
        Ok(Self { dir })
    }

    /// Where the transcripts lie.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }
}

impl TranscriptSink for TranscriptDir {
    fn write(&self, task: &TaskRef, thread: &Thread) -> io::Result<()> {
        let path = self.dir.join(file_name(task));
        // An older file would keep its permissions: it goes first, and the new one must be new.
        match std::fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut text = serde_json::to_string_pretty(&document(task, thread))?;
        text.push('\n');
        private_file(&path)?.write_all(text.as_bytes())
    }
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The file of a fork: its task id with `/` as `__`. Ids that could be mistaken for another's, or that are too long, also
/// carry the id of the fork's thread.
#[must_use]
pub fn file_name(task: &TaskRef) -> String {
    let name = task.task_id.replace('/', "__");
    if task.task_id.contains("__") || name.len() > FILE_NAME_BYTES {
        // Task ids are ASCII, so every byte is a boundary.
        let room = FILE_NAME_BYTES.saturating_sub(task.agent_id().len() + 1);
        let start = name.get(..room.min(name.len())).unwrap_or_default();
        return format!("{start}.{}.json", task.agent_id());
    }
    format!("{name}.json")
}

/// A fork's transcript as one document.
#[must_use]
pub fn document(task: &TaskRef, thread: &Thread) -> Value {
    json!({
        "schema": TRANSCRIPT_SCHEMA,
        "run_id": &*task.run.id,
        "task_id": &*task.task_id,
        "parent_task_id": task.parent_task_id.as_deref(),
        "agent": &*task.agent,
        "agent_id": task.agent_id(),
        "depth": task.depth,
        "messages": thread.messages.iter().map(message).collect::<Vec<_>>(),
        "notes": thread.notes,
        "task": thread.task,
    })
}

fn message(message: &Message) -> Value {
    let mut entry = Map::new();
    entry.insert("role".into(), message.role.into());
    entry.insert("content".into(), message.content.clone().into());
    for (key, value) in [("tool", &message.tool), ("arguments", &message.arguments)] {
        if let Some(value) = value {
            entry.insert(key.into(), value.clone().into());
        }
    }
    Value::Object(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_model::RunId;

    fn run() -> RunId {
        RunId { name: "demo".into(), id: "demo-1".into() }
    }

    #[test]
    fn a_file_is_named_after_its_task() {
        let root = TaskRef::top(&run(), "root", "lead", 0);
        assert_eq!(file_name(&root), "root.json");
        assert_eq!(file_name(&root.child("alpha", 0, None)), "root__1.json");
    }

    #[test]
    fn two_tasks_never_share_a_file() {
        let root = TaskRef::top(&run(), "root", "lead", 0);
        let nested = root.child("alpha", 0, Some("a")).child("beta", 0, Some("b"));
        let flat = root.child("alpha", 0, Some("a__b"));
        assert_ne!(file_name(&nested), file_name(&flat));
    }

    #[test]
    fn a_deep_task_with_long_ids_still_has_a_name_that_fits() {
        let mut task = TaskRef::top(&run(), "root", "lead", 0);
        for _ in 0..20 {
            task = task.child("lead", 0, Some(&"x".repeat(64)));
        }
        assert!(file_name(&task).len() <= FILE_NAME_BYTES + ".json".len());
    }

    #[cfg(unix)]
    #[test]
    fn a_transcript_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().expect("a directory");
        let dir = TranscriptDir::create(home.path().join("t")).expect("made");
        let task = TaskRef::top(&run(), "root", "lead", 0);
        // Written twice: the second takes the place of the first.
        for _ in 0..2 {
            dir.write(&task, &Thread::default()).expect("written");
        }
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(dir.path()), 0o700);
        assert_eq!(mode(&dir.path().join("root.json")), 0o600);
    }
}
