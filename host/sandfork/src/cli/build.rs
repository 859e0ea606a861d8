//! `sandfork build`: a project to a component, with progress on stderr. What fails shows the toolchain's own last words.

use crate::cli::args::BuildArgs;
use crate::cli::building::Building;
use crate::cli::exit::Exit;
use crate::cli::{show, signal};
use sandfork::project::{BuildOptions, Built, Project};
use sandfork::{Failure, Interrupt, Unbuilt};

pub(crate) fn build(args: &BuildArgs, verbose: u8) -> Exit {
    let interrupt = Interrupt::new();
    signal::watch(interrupt.clone());
    let built = sandfork::read_project(&args.dir)
        .map_err(|failure| (failure, Exit::Usage))
        .and_then(|project| built(&project, args.force, verbose, &interrupt));
    match built {
        Ok(_) => Exit::Completed,
        Err((failure, exit)) => show::failure(&unsaid(failure, verbose), false, exit),
    }
}

/// What is left to say of a build that failed: with `-v` the toolchain's words were shown as they came.
pub(crate) fn unsaid(failure: Failure, verbose: u8) -> Failure {
    if verbose > 0 && failure.code == "build_failed" { Failure { problems: Vec::new(), ..failure } } else { failure }
}

/// Builds a project and says what came of it; a failure with how the process should end.
pub(crate) fn built(
    project: &Project,
    force: bool,
    verbose: u8,
    interrupt: &Interrupt,
) -> Result<Built, (Failure, Exit)> {
    let mut building = Building::start(&project.manifest.name, verbose > 0, interrupt.clone());
    let built = sandfork::build_project(project, BuildOptions { force }, &mut building);
    let seconds = building.end();
    let built = built.map_err(|error| match error {
        Unbuilt::Wrong(failure) => (failure, Exit::Usage),
        Unbuilt::Failed(failure) => (failure, Exit::Failed),
        Unbuilt::Stopped(failure) => (failure, Exit::Interrupted),
    })?;
    for warning in sandfork::manifest_warnings(project) {
        show::say(&format!("warning: {}", warning.words()));
    }
    let (path, bytes) = (built.path.display(), built.component.len());
    show::say(&if built.was_fresh {
        format!("{path}: {bytes} bytes, up to date")
    } else {
        format!("{path}: {bytes} bytes, built in {seconds:.1} s")
    });
    Ok(built)
}
