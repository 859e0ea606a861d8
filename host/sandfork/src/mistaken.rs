//! A file that was taken for another kind of file: one sentence that says what it is and what is done with such a file, instead
//! of a page of unknown keys. Knows what files look like, and nothing of what is wrong in them.

use crate::examine::{Kind, kind};
use sandfork_report::{Failure, Problem};
use std::path::Path;

/// What to say of a file that was taken for something else, if it is something else that can be told by its content.
pub(crate) fn mistaken(path: &Path, wanted: Kind) -> Option<Failure> {
    let found = kind(path).ok().filter(|found| *found != wanted)?;
    let shown = path.display();
    let hint = match (wanted, found) {
        (Kind::Plan, Kind::Script) => {
            format!("a plan names it, as in `agents: {{ NAME: {{ script: {shown} }} }}`, and says what its root is")
        }
        (Kind::Plan, Kind::Component) => {
            format!("a plan names it, as in `agents: {{ NAME: {{ component: {shown} }} }}`, and says what its root is")
        }
        (Kind::Plan, Kind::Manifest | Kind::Project | Kind::Cases) => {
            "an agent project is tried out with `sandfork test`, and run by the plan.yaml beside its agent.yaml".into()
        }
        (Kind::Script, Kind::Plan) => "a plan is run: `sandfork run`".into(),
        (Kind::Script, Kind::Component) => "it needs no compiling: a plan names it as `component`".into(),
        (Kind::Script, Kind::Manifest | Kind::Project | Kind::Cases) => {
            "an agent project is built with `sandfork build`".into()
        }
        (Kind::Component, Kind::Script) => format!("make one of it: `sandfork compile {shown} -o AGENT.wasm`"),
        (Kind::Component, Kind::Plan) => "`sandfork explain` tells of a plan".into(),
        (Kind::Component, Kind::Manifest | Kind::Project | Kind::Cases) => {
            "`sandfork build` makes the component of a project: build/NAME.wasm".into()
        }
        // Nobody asks for those by mistake, and what was wanted is no mistake.
        (Kind::Manifest | Kind::Cases | Kind::Project, _)
        | (Kind::Plan, Kind::Plan)
        | (Kind::Script, Kind::Script)
        | (Kind::Component, Kind::Component) => return None,
    };
    let a = |kind: Kind| match kind {
        Kind::Cases => "a file of cases".to_owned(),
        Kind::Manifest => "the manifest of an agent project".to_owned(),
        Kind::Project => "the directory of an agent project".to_owned(),
        Kind::Plan | Kind::Script | Kind::Component => format!("a {}", kind.name()),
    };
    let code = match wanted {
        Kind::Plan => "invalid_plan",
        Kind::Script => "invalid_script",
        Kind::Component | Kind::Manifest | Kind::Cases | Kind::Project => "invalid_component",
    };
    let message = format!("{shown} is {}, not {}", a(found), a(wanted));
    Some(Failure { code, message, problems: vec![Problem::unplaced(format!("hint: {hint}"))] })
}
