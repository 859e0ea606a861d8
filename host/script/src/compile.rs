//! The road from source to component, in one place. Knows the stations, not their work.

use crate::{check, emit, encode, read};
use sandfork_source::{Node, ParseLimits, Place, Problem, Problems};

/// Limits of a script's source. A megabyte of script is more than anyone writes; the values bound the code that comes out.
const LIMITS: ParseLimits = ParseLimits { max_bytes: 1 << 20, max_depth: 64, max_nodes: 50_000 };

/// A script, compiled. The same source gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// A component of the world in `wit/agent.wit`, its manifest in the section `sandfork:manifest`.
    pub component: Vec<u8>,
    /// What the script says of itself.
    pub manifest: Manifest,
}

/// What a script says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Its name.
    pub agent: String,
    /// For people and for a parent's choice; empty if unsaid.
    pub description: String,
    /// The tools it calls.
    pub tools: Vec<String>,
    /// The tools it hands on without calling them.
    pub delegate: Vec<String>,
    /// The agents it forks, where it says so.
    pub spawn: Vec<String>,
}

/// Compiles a script. `file` is what problems call it.
///
/// # Errors
/// What is wrong with it, in the order of places, at most [`sandfork_source::MAX_PROBLEMS`].
pub fn compile(file: &str, source: &[u8]) -> Result<Compiled, Vec<Problem>> {
    let tree = sandfork_source::parse(file, source, &LIMITS).map_err(|problem| vec![problem])?;
    compile_tree(file, &tree)
}

/// As [`compile`], with a script that stands inside another document. The document's reader has bounded it.
///
/// # Errors
/// As [`compile`].
pub fn compile_tree(file: &str, tree: &Node) -> Result<Compiled, Vec<Problem>> {
    let mut problems = Problems::new(file);
    let Some(script) = read::script(tree, &mut problems) else {
        return Err(problems.into_vec());
    };
    let names = check::check(&script, &mut problems);
    if !problems.is_empty() {
        return Err(problems.into_vec());
    }
    let broken = |what: String| {
        let problem = Problem::new(file, Place::START, what);
        vec![problem.hint("this is a fault of the compiler, not of the script; please report it")]
    };
    let runtime = encode::runtime().map_err(|what| broken(what.to_owned()))?;
    let code = emit::emit(&script, &names, runtime).map_err(broken)?;
    let component = encode::component(runtime, &code, &script.manifest).map_err(broken)?;
    Ok(Compiled { component, manifest: script.manifest })
}
