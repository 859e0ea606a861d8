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
    grants::check(script, problems);
    flow::check(script, problems)
}
