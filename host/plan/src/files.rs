//! The files a plan names, resolved against its directory. They are the user's own, so they may lie anywhere; they must
//! be there, and nothing is read without a bound.

use sandfork_source::{Node, ParseLimits, Place, Problem, Problems, expect_text, parse, quote};
use serde_json::Value;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Where the plan stands.
pub(crate) struct Base<'a> {
    /// The directory that relative paths start from.
    pub(crate) directory: &'a Path,
    /// The plan itself, resolved; `None` if it is no file of that directory.
    pub(crate) plan: Option<PathBuf>,
    /// Whether files may be named at all.
    is_open: bool,
}

impl<'a> Base<'a> {
    pub(crate) fn new(file: &str, directory: &'a Path) -> Self {
        let plan = Path::new(file).file_name().and_then(|name| directory.join(name).canonicalize().ok());
        Self { directory, plan, is_open: true }
    }

    /// For texts that are not the user's own: whatever they name, no file is looked at.
    pub(crate) fn nowhere() -> Self {
        Self { directory: Path::new(""), plan: None, is_open: false }
    }

    /// The path of a file that must exist and must not be the plan.
    pub(crate) fn file(&self, node: &Node, path: &str, problems: &mut Problems) -> Option<PathBuf> {
        let (written, resolved) = self.resolve(node, path, problems)?;
        let complaint = match resolved.metadata() {
            Err(error) => format!("{} names {}, which cannot be read: {}", quote(path), quote(written), cause(&error)),
            Ok(found) if !found.is_file() => format!("{} names {}, which is not a file", quote(path), quote(written)),
            Ok(_) if self.plan.is_some() && resolved.canonicalize().ok() == self.plan => {
                format!("{} names the plan itself", quote(path))
            }
            Ok(_) => return Some(resolved),
        };
        self.report(node, complaint, problems);
        None
    }

    /// The path of a directory that must exist.
    pub(crate) fn directory(&self, node: &Node, path: &str, problems: &mut Problems) -> Option<PathBuf> {
        let (written, resolved) = self.resolve(node, path, problems)?;
        let complaint = match resolved.metadata() {
            Err(error) => format!("{} names {}, which cannot be read: {}", quote(path), quote(written), cause(&error)),
            Ok(found) if !found.is_dir() => format!("{} names {}, which is no directory", quote(path), quote(written)),
            Ok(_) => return Some(resolved),
        };
        self.report(node, complaint, problems);
        None
    }

    /// A JSON Schema: a map or a truth value written in place, or the path of a file that holds one.
    pub(crate) fn schema(&self, node: &Node, path: &str, problems: &mut Problems) -> Option<Value> {
        use sandfork_source::NodeValue;
        match &node.value {
            NodeValue::Map(_) | NodeValue::Bool(_) => {
                return is_schema(node, problems.file().to_owned(), path, problems).then(|| node.to_json());
            }
            NodeValue::Text(_) => {}
            _ => {
                let problem = problems
                    .at(node.place, format!("{} is {}", quote(path), node.kind()))
                    .expected("a JSON Schema, or the path of a file that holds one");
                problems.push(problem);
                return None;
            }
        }
        let (name, read) = self.document(node, path, problems)?;
        match read {
            Ok(node @ Node { value: NodeValue::Map(_) | NodeValue::Bool(_), .. }) => {
                is_schema(&node, name, path, problems).then(|| node.to_json())
            }
            Ok(other) => {
                problems.push(Problem::new(
                    &name,
                    other.place,
                    format!("a JSON Schema is a map, not {}", other.kind()),
                ));
                None
            }
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    /// The text of a file that must exist, read with places in it, and the name of the file for messages.
    pub(crate) fn document(
        &self,
        node: &Node,
        path: &str,
        problems: &mut Problems,
    ) -> Option<(String, Result<Node, Problem>)> {
        let resolved = self.file(node, path, problems)?;
        let name = resolved.display().to_string();
        let limits = ParseLimits::default();
        let read = read_bounded(&resolved, limits.max_bytes)
            .map_err(|error| Problem::new(&name, Place::START, format!("the file cannot be read: {}", cause(&error))))
            .and_then(|bytes| parse(&name, &bytes, &limits));
        Some((name, read))
    }

    fn resolve<'n>(&self, node: &'n Node, path: &str, problems: &mut Problems) -> Option<(&'n str, PathBuf)> {
        let written = expect_text(node, path, problems)?;
        if !self.is_open {
            let problem = problems.at(node.place, format!("{} names a file", quote(path)));
            problems.push(problem.expected("what the file would hold, written in place"));
            return None;
        }
        if written.is_empty() {
            let problem = problems.at(node.place, format!("{} is empty", quote(path))).expected("a path");
            problems.push(problem);
            return None;
        }
        Some((written, self.directory.join(written)))
    }

    fn report(&self, node: &Node, complaint: String, problems: &mut Problems) {
        let directory = self.directory.display().to_string();
        let shown = if directory.is_empty() { ".".to_owned() } else { directory };
        let problem =
            problems.at(node.place, complaint).hint(format!("paths start from the plan's directory, {shown}"));
        problems.push(problem);
    }
}

/// Whether a map is a JSON Schema; a problem of `file` otherwise. A fork under a schema that is none would be refused.
fn is_schema(node: &Node, file: String, path: &str, problems: &mut Problems) -> bool {
    let Err(error) = jsonschema::validator_for(&node.to_json()) else { return true };
    let inside = error.instance_path().to_string();
    let inside = if inside.is_empty() { String::new() } else { format!(" at {inside}") };
    problems.push(Problem::new(&file, node.place, format!("{} is no JSON Schema{inside}: {error}", quote(path))));
    false
}

/// At most one byte more than `max_bytes`, so that a larger file is seen to be one without being read.
pub(crate) fn read_bounded(path: &Path, max_bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let bound = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(bound).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An I/O error in words that do not depend on the operating system, where they need not.
pub(crate) fn cause(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}
