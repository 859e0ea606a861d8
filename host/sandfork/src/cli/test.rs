//! `sandfork test`: a project's cases, each run for real and held to what it expects.

use crate::cli::args::TestArgs;
use crate::cli::build::{built, unsaid};
use crate::cli::exit::Exit;
use crate::cli::tested::{Tested, Verdict};
use crate::cli::{plan, show, signal};
use sandfork::project::{Case, Expect, Project, differences, update};
use sandfork::{Broken, Failure, Host, HostError, Interrupt};
use std::path::{Path, PathBuf};

/// Forks that may live at one time in one case: its agent and a wide fan of children.
const LIVE_FORKS: u32 = 64;

/// Why the cases were not all run.
enum Stopped {
    /// Nothing could be made of the project.
    Before(Failure, Exit),
    /// A case could not be run, or the host broke.
    During(HostError),
}

impl From<HostError> for Stopped {
    fn from(error: HostError) -> Self {
        Self::During(error)
    }
}

pub(crate) fn test(args: &TestArgs, verbose: u8) -> Exit {
    match tested(args, verbose) {
        Ok(tested) if args.json => show::document(&tested.document(), tested.exit()),
        Ok(tested) => show::text(&tested.total(), tested.exit()),
        Err(Stopped::Before(failure, exit)) if args.json => show::failure(&failure, true, exit),
        Err(Stopped::Before(failure, exit)) => show::failure(&unsaid(failure, verbose), false, exit),
        Err(Stopped::During(error)) => plan::refuse(&error, args.json),
    }
}

fn tested(args: &TestArgs, verbose: u8) -> Result<Tested, Stopped> {
    let wrong = |failure| Stopped::Before(failure, Exit::Usage);
    let project = sandfork::read_project(&args.dir).map_err(wrong)?;
    // What is wrong with a case is told before minutes are spent on building.
    let cases = sandfork::read_cases(&project).map_err(wrong)?;
    let cases: Vec<Case> = cases.into_iter().filter(|case| is_wanted(case, args.filter.as_deref())).collect();
    if cases.is_empty() {
        let filter = args.filter.as_deref().unwrap_or_default();
        return Err(plan::usage(format!("no case has `{filter}` in its name or file")).into());
    }
    if !args.update
        && let Some(case) = cases.iter().find(|case| case.expect.is_none())
    {
        return Err(wrong(sandfork::case_expects_nothing(case)));
    }
    let interrupt = Interrupt::new();
    signal::watch(interrupt.clone());
    let component = component(args, &project, verbose, &interrupt)?;
    let broken = |message: String| HostError::Broken(Broken { message });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| broken(format!("no threads can be started: {error}")))?;
    let host = Host::builder()
        .live_forks(LIVE_FORKS)
        .state_dir(&args.state_dir)
        .build()
        .map_err(|error| broken(error.to_string()))?;
    let mut tested = Tested::of(&project.manifest.name);
    for case in &cases {
        let tried = runtime.block_on(host.try_case(&project, case, &component, &interrupt))?;
        if tried.is_interrupted {
            tested.interrupt();
            break;
        }
        let found = differences(case.expect.as_ref().unwrap_or(&Expect::default()), &tried.got);
        let verdict = if found.is_empty() && case.expect.is_some() {
            Verdict::Passed
        } else if args.update {
            let expect = Expect::updated(case.expect.as_ref(), &tried.got);
            update(case, &expect).map_err(|problem| wrong(sandfork::invalid_cases(&project, vec![problem])))?;
            Verdict::Updated
        } else {
            Verdict::Failed(found)
        };
        let line = tested.add(case, &tried.got, verdict);
        if !args.json {
            show::text(&line, Exit::Completed);
        }
    }
    Ok(tested)
}

fn is_wanted(case: &Case, filter: Option<&str>) -> bool {
    filter.is_none_or(|filter| case.name.contains(filter) || Path::new(&case.file).ends_with(filter))
}

/// The component to try: built first, or as it lies there.
fn component(args: &TestArgs, project: &Project, verbose: u8, interrupt: &Interrupt) -> Result<PathBuf, Stopped> {
    if !args.no_build {
        let built =
            built(project, false, verbose, interrupt).map_err(|(failure, exit)| Stopped::Before(failure, exit))?;
        return Ok(built.path);
    }
    let path = project.component();
    if path.is_file() {
        return Ok(path);
    }
    Err(plan::usage(format!("{} is not there: run `sandfork build` first, or leave --no-build out", path.display()))
        .into())
}
