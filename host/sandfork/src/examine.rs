//! What a file is, and whether it can be right, told without running it. A file is recognised by its content; its name says
//! nothing.

use crate::across::across;
use crate::authoring::{manifest_warnings, read_cases, read_project};
use crate::catalog::{catalog, component_bytes};
use crate::mistaken::mistaken;
use crate::problem::{all_placed, invalid_plan, of_file, placed, unloadable, unreadable};
use crate::read::{compile_script, read_bounded, read_plan};
use sandfork_model::{AgentSource, LoadOptions};
use sandfork_plan::Overrides;
use sandfork_project::{PROJECT_FILE, Project};
use sandfork_report::{Failure, Problem};
use sandfork_sandbox::{Inspection, inspect, inspect_with};
use sandfork_source::{Node, NodeValue, ParseLimits, parse};
use std::path::Path;

/// How every WebAssembly binary begins.
const WASM_MAGIC: &[u8] = b"\0asm";

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plan.
    Plan,
    /// A script.
    Script,
    /// A component.
    Component,
    /// The manifest of an agent project.
    Manifest,
    /// One or more cases of an agent project.
    Cases,
    /// A directory with a manifest.
    Project,
}

impl Kind {
    /// The word for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Script => "script",
            Self::Component => "component",
            Self::Manifest => "manifest",
            Self::Cases => "cases",
            Self::Project => "project",
        }
    }
}

/// A file that can be used.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What it is.
    pub kind: Kind,
    /// What will be refused when it runs, although nothing is wrong with the file: one sentence and a hint each.
    pub warnings: Vec<Problem>,
}

/// Finds out what `path` is and everything that is wrong with it: a plan's scripts and components included, and of a
/// project's directory the manifest and all cases.
///
/// # Errors
/// Every problem found.
pub fn examine(path: &Path) -> Result<Examined, Failure> {
    let kind = kind(path)?;
    let warnings = match kind {
        Kind::Script => compile_script(path).map(|_| Vec::new())?,
        Kind::Component => loadable(path, LoadOptions::default()).map(|()| Vec::new())?,
        Kind::Plan => plan(path)?,
        Kind::Manifest => manifest(path)?,
        Kind::Cases => cases(path)?,
        Kind::Project => project(path)?,
    };
    Ok(Examined { kind, warnings })
}

/// Shows what is in a component, loadable or not.
///
/// # Errors
/// When it cannot be read, or is no component.
pub fn inspect_file(path: &Path) -> Result<Inspection, Failure> {
    let bytes = component(path)?;
    inspect(&bytes)
        .map_err(|why| mistaken(path, Kind::Component).unwrap_or_else(|| invalid(path, unloadable(path, why))))
}

fn component(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(path, component_bytes()).map_err(|error| invalid(path, unreadable(path, &error)))
}

pub(crate) fn kind(path: &Path) -> Result<Kind, Failure> {
    let limits = ParseLimits::default();
    let most = u64::try_from(limits.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    if path.is_dir() {
        return if path.join(PROJECT_FILE).is_file() { Ok(Kind::Project) } else { Err(no_project(path)) };
    }
    let bytes = read_bounded(path, most).map_err(|error| invalid_file(path, vec![unreadable(path, &error)]))?;
    if bytes.starts_with(WASM_MAGIC) {
        return Ok(Kind::Component);
    }
    let tree = parse(&path.display().to_string(), &bytes, &limits)
        .map_err(|problem| invalid_file(path, vec![placed(problem)]))?;
    kind_of(&tree).ok_or_else(|| {
        let problem = sandfork_source::Problem::new(&path.display().to_string(), tree.place, "neither plan nor script")
            .expected(
                "a map with `agents` (a plan), `turns` (a script), `language` (an agent.yaml), `task` or `cases` (cases)",
            );
        invalid_file(path, all_placed(vec![problem]))
    })
}

/// A plan has a run, a script turns, a case a task, a manifest a language; a half-written one is told apart by what else it has.
fn kind_of(tree: &Node) -> Option<Kind> {
    let NodeValue::Map(entries) = &tree.value else {
        return None;
    };
    let has = |name: &str| entries.iter().any(|(key, _)| key.text == name);
    if has("run") {
        Some(Kind::Plan)
    } else if has("turns") {
        Some(Kind::Script)
    } else if has("task") || has("cases") {
        Some(Kind::Cases)
    } else if has("agents") || has("root") || has("tasks") || has("planner") {
        Some(Kind::Plan)
    } else if has("language") || (has("agent") && (has("input_schema") || has("output_schema") || has("version"))) {
        Some(Kind::Manifest)
    } else if has("agent") {
        Some(Kind::Script)
    } else {
        None
    }
}

/// A plan is checked with all it names: scripts that compile, components that would be loaded. Answers with what the plan
/// and its agents say of each other.
fn plan(path: &Path) -> Result<Vec<Problem>, Failure> {
    let plan = read_plan(path, &Overrides::default())?;
    let agents = catalog(&plan)?;
    let mut problems = Vec::new();
    for entry in &plan.agents {
        if let AgentSource::Component(component) = &entry.source
            && let Err(failure) = loadable(component, LoadOptions { wasi_denied: entry.wasi_denied })
        {
            problems.extend(failure.problems);
        }
    }
    if problems.is_empty() { Ok(across(&plan, &agents)) } else { Err(invalid_plan(path, problems)) }
}

fn manifest(path: &Path) -> Result<Vec<Problem>, Failure> {
    let project = Project::read_manifest(path).map_err(|problems| invalid_file(path, all_placed(problems)))?;
    let mut warnings = manifest_warnings(&project);
    if path.file_name().is_none_or(|name| name != PROJECT_FILE) {
        let hint = Some(format!("call it {PROJECT_FILE}"));
        warnings.push(Problem { hint, ..of_file(path, "`sandfork build` looks for no file of this name") });
    }
    Ok(warnings)
}

/// Cases are held to the project that they lie in, if they lie in one.
fn cases(path: &Path) -> Result<Vec<Problem>, Failure> {
    let cases = sandfork_project::read_cases(path).map_err(|problems| invalid_file(path, all_placed(problems)))?;
    let home =
        path.parent().and_then(Path::parent).map(|home| if home == Path::new("") { Path::new(".") } else { home });
    let Some(project) = home.and_then(|home| Project::read(home).ok()) else { return Ok(Vec::new()) };
    let problems: Vec<_> = cases.iter().flat_map(|case| case.unasked(&project)).collect();
    if problems.is_empty() { Ok(Vec::new()) } else { Err(invalid_file(path, all_placed(problems))) }
}

fn project(dir: &Path) -> Result<Vec<Problem>, Failure> {
    let project = read_project(dir)?;
    read_cases(&project)?;
    Ok(manifest_warnings(&project))
}

fn loadable(path: &Path, options: LoadOptions) -> Result<(), Failure> {
    let inspected = inspect_with(&component(path)?, options).map_err(|why| invalid(path, unloadable(path, why)))?;
    match inspected.refusal {
        None => Ok(()),
        Some(why) => Err(invalid(path, unloadable(path, why))),
    }
}

fn invalid(path: &Path, problem: Problem) -> Failure {
    Failure {
        code: "invalid_component",
        message: format!("the component {} cannot be loaded", path.display()),
        problems: vec![problem],
    }
}

fn no_project(path: &Path) -> Failure {
    let hint = Some("name a file, or the directory of an agent project".to_owned());
    let problem = Problem { hint, ..of_file(path, format!("a directory without an {PROJECT_FILE}")) };
    invalid_file(path, vec![problem])
}

fn invalid_file(path: &Path, problems: Vec<Problem>) -> Failure {
    Failure { code: "invalid_file", message: format!("{} cannot be used", path.display()), problems }
}
