//! The five file tools over one directory. Turns a call into a request, runs it on a blocking thread, words the answer.
//!
//! Knows the directory only as a capability: whatever a path says, there is no way out of it. Knows nothing of who may
//! call which tool.

mod edit;
mod fault;
mod list;
mod place;
mod read;
mod request;
mod search;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod watch;
mod write;

use crate::specs;
use fault::FileFault;
use request::FileRequest;
use sandfork_model::{BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use serde_json::json;
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tree::Tree;
use watch::Watch;

/// Calls of one workspace at work at one time: more only wait, so that they cannot fill the runtime's blocking threads.
const QUICK_AT_ONCE: usize = 8;
/// Searches at work at one time, apart from the rest: they may take long, and must not make a sibling's reading wait.
const SEARCHES_AT_ONCE: usize = 2;

/// Limits of one workspace; each is of the whole run, not of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceLimits {
    /// Bytes of the largest file that is read or written.
    pub file_bytes: u64,
    /// Bytes that all writes and edits together may write.
    pub written_bytes: u64,
    /// Files and directories that all writes together may make.
    pub created_entries: u64,
    /// Directories below the workspace's own that are entered; what lies deeper is left out, visibly.
    pub depth: usize,
    /// Directory entries that one listing or search looks at.
    pub visited_entries: usize,
    /// Files that one listing answers with.
    pub listed_files: usize,
    /// Lines that one search answers with.
    pub matches: usize,
}

impl Default for WorkspaceLimits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            written_bytes: 1 << 30,
            created_entries: 65_536,
            depth: 64,
            visited_entries: 200_000,
            listed_files: 4_096,
            matches: 1_000,
        }
    }
}

/// The file tools over one directory; cheap to clone, all clones share its locks and limits.
#[derive(Clone, Debug)]
pub struct Workspace {
    tree: Arc<Tree>,
    quick: Arc<Semaphore>,
    searches: Arc<Semaphore>,
}

impl Workspace {
    /// The workspace in an existing directory, with default limits.
    ///
    /// # Errors
    /// When it is no directory or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_with(path, WorkspaceLimits::default())
    }

    /// The workspace in an existing directory.
    ///
    /// # Errors
    /// When it is no directory or cannot be opened.
    pub fn open_with(path: &Path, limits: WorkspaceLimits) -> io::Result<Self> {
        Tree::open(path, limits).map(Self::over)
    }

    /// A workspace that is empty at first, in a private temporary directory that goes with the last clone.
    ///
    /// # Errors
    /// When no temporary directory can be made.
    pub fn empty() -> io::Result<Self> {
        Tree::temporary(WorkspaceLimits::default()).map(Self::over)
    }

    fn over(tree: Tree) -> Self {
        Self {
            tree: Arc::new(tree),
            quick: Arc::new(Semaphore::new(QUICK_AT_ONCE)),
            searches: Arc::new(Semaphore::new(SEARCHES_AT_ONCE)),
        }
    }

    async fn answer(&self, request: FileRequest) -> Result<String, FileFault> {
        let queue = if request.is_search() { &self.searches } else { &self.quick };
        let broken = || FileFault::Io { path: String::new(), doing: "waiting for", kind: io::ErrorKind::Interrupted };
        let permit = Arc::clone(queue).acquire_owned().await.map_err(|_| broken())?;
        let tree = Arc::clone(&self.tree);
        let (guard, watch) = Watch::pair();
        let work = tokio::task::spawn_blocking(move || {
            // The permit lives as long as the work, also when nobody waits for the answer any more.
            let _permit = permit;
            request.run(&tree, &watch).map(|value| value.to_string())
        });
        let answer = work.await;
        drop(guard);
        match answer {
            Ok(answer) => answer,
            // A bug of ours: it goes on as the panic it is, for the orchestrator to end this fork alone.
            Err(fallen) if fallen.is_panic() => std::panic::resume_unwind(fallen.into_panic()),
            Err(_) => Err(broken()),
        }
    }
}

impl ToolProvider for Workspace {
    fn specs(&self) -> Vec<ToolSpec> {
        specs::workspace()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let request = match FileRequest::read(&call.name, &call.arguments) {
                Ok(request) => request,
                Err(misread) => return Reply::now(Err(misread.to_error(&call.name))),
            };
            Reply::now(self.answer(request).await.map_err(|fault| {
                let mut error = fault.to_error();
                if let Some(details) = error.details.as_object_mut() {
                    details.insert("tool".into(), json!(call.name));
                }
                error
            }))
        })
    }
}
