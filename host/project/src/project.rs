//! `agent.yaml`: what the agent is and in which language it is written. Every problem has its place; what the sources say
//! is not looked at.

use crate::files::{cause, read_bounded};
use crate::language::Language;
use crate::manifest::Manifest;
use sandfork_model::id::is_valid_name;
use sandfork_source::{Fields, Node, NodeValue, ParseLimits, Place, Problem, Problems, nearest, parse, quote};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The file that makes a directory a project.
pub const PROJECT_FILE: &str = "agent.yaml";
/// The word that stands for an agent's own name under `spawn`.
pub(crate) const SELF: &str = "self";
/// A manifest is carried in every copy of the component.
const LIMITS: ParseLimits = ParseLimits { max_bytes: 1 << 20, max_depth: 64, max_nodes: 20_000 };

/// An agent project, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// Its directory, as the user named it.
    pub dir: PathBuf,
    /// Which toolchain builds it.
    pub language: Language,
    /// What its agent says of itself.
    pub manifest: Manifest,
    /// Its manifest has no `tools`: the agent uses whatever its plan grants it.
    pub takes_any_tool: bool,
    /// Its manifest has no `spawn`: the agent forks whomever its plan lets it fork.
    pub takes_any_agent: bool,
}

impl Project {
    /// Reads `agent.yaml` of a directory.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the file.
    pub fn read(dir: &Path) -> Result<Self, Vec<Problem>> {
        Self::from_file(dir, &below(dir, PROJECT_FILE))
    }

    /// Reads a manifest by its own path, whatever the file is called.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_manifest(path: &Path) -> Result<Self, Vec<Problem>> {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::from_file(dir, path)
    }

    fn from_file(dir: &Path, path: &Path) -> Result<Self, Vec<Problem>> {
        let file = path.display().to_string();
        let bytes = read_bounded(path, u64::try_from(LIMITS.max_bytes).unwrap_or(u64::MAX)).map_err(|error| {
            let problem = Problem::new(&file, Place::START, format!("the project cannot be read: {}", cause(&error)));
            vec![problem.hint("`sandfork new --lang rust NAME` makes a project; name its directory")]
        })?;
        let tree = parse(&file, &bytes, &LIMITS).map_err(|problem| vec![problem])?;
        let mut problems = Problems::new(&file);
        match project(dir, &tree, &mut problems) {
            Some(project) if problems.is_empty() => Ok(project),
            _ => Err(problems.into_vec()),
        }
    }

    /// Where its component is built.
    #[must_use]
    pub fn component(&self) -> PathBuf {
        below(&self.dir, "build").join(format!("{}.wasm", self.manifest.name))
    }
}

/// A file of a project as the user would name it: without a `./` before it.
pub(crate) fn below(dir: &Path, name: &str) -> PathBuf {
    if dir == Path::new(".") { PathBuf::from(name) } else { dir.join(name) }
}

/// The project; `None` only where problems were pushed.
fn project(dir: &Path, tree: &Node, problems: &mut Problems) -> Option<Project> {
    let mut fields = Fields::of(tree, "", problems)?;
    let name = agent_name(&mut fields, problems);
    let language = language(&mut fields, problems);
    let version = version(&mut fields, problems);
    let text = |key, fields: &mut Fields<'_>, problems: &mut Problems| {
        fields.text(key, problems).unwrap_or_default().to_owned()
    };
    let description = text("description", &mut fields, problems);
    let licence = text("licence", &mut fields, problems);
    let tools = names("tools", "a tool", &mut fields, problems);
    let delegate = names("delegate", "a tool", &mut fields, problems);
    let spawn = names("spawn", "an agent", &mut fields, problems);
    let input_schema = schema("input_schema", &mut fields, problems);
    let output_schema = schema("output_schema", &mut fields, problems);
    fields.finish(problems);
    let manifest = Manifest {
        name: name?,
        version: version?,
        description,
        licence,
        tools,
        delegate,
        spawn,
        input_schema,
        output_schema,
    };
    let (takes_any_tool, takes_any_agent) = (tree.get("tools").is_none(), tree.get("spawn").is_none());
    Some(Project { dir: dir.to_owned(), language: language?, manifest, takes_any_tool, takes_any_agent })
}

fn agent_name(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<String> {
    let node = fields.need("agent", problems)?;
    let name = sandfork_source::expect_text(node, "agent", problems)?;
    if is_valid_name(name) && name != SELF && !name.starts_with('.') {
        return Some(name.to_owned());
    }
    let problem = problems
        .at(node.place, format!("{} cannot name an agent", quote(name)))
        .expected("at most 64 letters, digits, `_`, `-` or `.`; `self` stands for the agent itself");
    problems.push(problem);
    None
}

fn language(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Language> {
    let node = fields.need("language", problems)?;
    let word = sandfork_source::expect_text(node, "language", problems)?;
    let found = Language::of(word);
    if found.is_none() {
        let all = Language::ALL.map(Language::name);
        let mut problem = problems
            .at(node.place, format!("unknown language {}", quote(word)))
            .expected(format!("one of {}", all.join(", ")));
        if let Some(near) = nearest(word, all) {
            problem = problem.hint(format!("did you mean `{near}`?"));
        }
        problems.push(problem);
    }
    found
}

/// Three numbers, then whatever may follow them.
fn version(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<String> {
    let node = fields.need("version", problems)?;
    let text = sandfork_source::expect_text(node, "version", problems)?;
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let numbers: Vec<&str> = core.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.len() <= 10 && part.bytes().all(|b| b.is_ascii_digit());
    if text.len() <= 64 && text.is_ascii() && numbers.len() == 3 && numbers.iter().all(is_number) {
        return Some(text.to_owned());
    }
    let problem =
        problems.at(node.place, format!("{} is no version", quote(text))).expected("three numbers, as in 0.1.0");
    problems.push(problem);
    None
}

fn names(key: &'static str, what: &str, fields: &mut Fields<'_>, problems: &mut Problems) -> Vec<String> {
    let written = fields.texts(key, problems).unwrap_or_default();
    let mut names: Vec<String> = Vec::with_capacity(written.len());
    for (name, place) in written {
        let complaint = if !is_valid_name(name) {
            format!("{} cannot name {what}", quote(name))
        } else if names.iter().any(|known| known == name) {
            format!("{} stands twice in `{key}`", quote(name))
        } else {
            names.push(name.to_owned());
            continue;
        };
        let problem = problems.at(place, complaint);
        problems.push(problem.expected("names of at most 64 letters, digits, `_`, `-` or `.`, each once"));
    }
    names
}

/// A JSON Schema, written in place: a component carries it, so there is no file to point at later.
fn schema(key: &'static str, fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Value> {
    let node = fields.take(key)?;
    if !matches!(node.value, NodeValue::Map(_) | NodeValue::Bool(_)) {
        let problem = problems.at(node.place, format!("{} is {}", quote(key), node.kind()));
        problems.push(problem.expected("a JSON Schema, written in place"));
        return None;
    }
    let schema = node.to_json();
    // Told here, with its place: a fork under a schema that is none would be refused, and nothing would say which file.
    if let Err(error) = jsonschema::validator_for(&schema) {
        let inside = error.instance_path().to_string();
        let inside = if inside.is_empty() { String::new() } else { format!(" at {inside}") };
        let problem = problems.at(node.place, format!("{} is no JSON Schema{inside}: {error}", quote(key)));
        problems.push(problem);
        return None;
    }
    Some(schema)
}
