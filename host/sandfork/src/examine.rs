//! What a file is, and whether it can be right, told without running it. A file is recognised by its content; its name says
//! nothing.

use crate::across::across;
use crate::catalog::{catalog, component_bytes};
use crate::problem::{all_placed, invalid_plan, of_file, placed, unloadable};
use crate::read::{compile_script, read_bounded, read_plan};
use sandfork_model::{AgentSource, LoadOptions};
use sandfork_plan::Overrides;
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
}

impl Kind {
    /// The word for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Script => "script",
            Self::Component => "component",
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

/// Finds out what `path` is and everything that is wrong with it, its scripts and components included.
///
/// # Errors
/// Every problem found.
pub fn examine(path: &Path) -> Result<Examined, Failure> {
    let kind = kind(path)?;
    let warnings = match kind {
        Kind::Script => compile_script(path).map(|_| Vec::new())?,
        Kind::Component => loadable(path, LoadOptions::default()).map(|()| Vec::new())?,
        Kind::Plan => plan(path)?,
    };
    Ok(Examined { kind, warnings })
}

/// Shows what is in a component, loadable or not.
///
/// # Errors
/// When it cannot be read, or is no component.
pub fn inspect_file(path: &Path) -> Result<Inspection, Failure> {
    inspect(&component(path)?).map_err(|why| invalid(path, unloadable(path, why)))
}

fn component(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(path, component_bytes())
        .map_err(|error| invalid(path, of_file(path, format!("the file cannot be read: {error}"))))
}

fn kind(path: &Path) -> Result<Kind, Failure> {
    let limits = ParseLimits::default();
    let most = u64::try_from(limits.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let unreadable = |message| invalid_file(path, vec![of_file(path, message)]);
    let bytes = read_bounded(path, most).map_err(|error| unreadable(format!("the file cannot be read: {error}")))?;
    if bytes.starts_with(WASM_MAGIC) {
        return Ok(Kind::Component);
    }
    let tree = parse(&path.display().to_string(), &bytes, &limits)
        .map_err(|problem| invalid_file(path, vec![placed(problem)]))?;
    kind_of(&tree).ok_or_else(|| {
        let problem = sandfork_source::Problem::new(&path.display().to_string(), tree.place, "neither plan nor script")
            .expected("a map with `agents` (a plan) or with `turns` (a script)");
        invalid_file(path, all_placed(vec![problem]))
    })
}

/// A script has turns and a plan has agents; a half-written one is told apart by what else it has.
fn kind_of(tree: &Node) -> Option<Kind> {
    let NodeValue::Map(entries) = &tree.value else {
        return None;
    };
    let has = |name: &str| entries.iter().any(|(key, _)| key.text == name);
    if has("turns") {
        Some(Kind::Script)
    } else if has("agents") || has("root") || has("tasks") || has("run") {
        Some(Kind::Plan)
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

fn invalid_file(path: &Path, problems: Vec<Problem>) -> Failure {
    Failure { code: "invalid_file", message: format!("{} cannot be used", path.display()), problems }
}
