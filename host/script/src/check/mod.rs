//! Says whether the steps of a script make sense together. Shapes have been checked where they were read.

mod flow;
mod grants;
mod known;
mod names;

use crate::ast::Script;
pub(crate) use names::Names;
use sandfork_source::Problems;

/// Checks a script and numbers its names. With problems, the numbers mean nothing.
pub(crate) fn check(script: &Script, problems: &mut Problems) -> Names {
    // What could not be read may have set names: the ways through the rest would only seem wrong.
    let is_whole = problems.is_empty();
    grants::check(script, problems);
    if is_whole { flow::check(script, problems) } else { Names::new() }
}
