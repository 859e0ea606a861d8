//! Agent projects in the words of the command line: read, made, built. What the project room makes, the sandbox room
//! judges; neither knows the other.

use crate::problem::{all_placed, of_file, placed, usage};
use sandfork_plan::BUILT_IN_TOOLS;
use sandfork_project::{
    BuildError, BuildOptions, Built, Case, Made, NewError, NewProject, PROJECT_FILE, Project, Watch,
};
use sandfork_report::{Failure, Problem};
use sandfork_sandbox::inspect;
use sandfork_source::nearest;
use std::path::Path;

/// Why a project has no new component.
#[derive(Debug, thiserror::Error)]
pub enum Unbuilt {
    /// The project is wrong, or something is missing that it is built with.
    #[error("{0}")]
    Wrong(Failure),
    /// The toolchain looked at the sources and said no.
    #[error("{0}")]
    Failed(Failure),
    /// Whoever looked on no longer wanted it.
    #[error("{0}")]
    Stopped(Failure),
}

/// Reads a project.
///
/// # Errors
/// Every problem of its `agent.yaml`.
pub fn read_project(dir: &Path) -> Result<Project, Failure> {
    Project::read(dir).map_err(|problems| invalid_project(dir, all_placed(problems)))
}

/// Tools of a manifest that are probably misspelt: near to a built-in tool and none. A plan may bring tools of its own, so
/// these are no mistakes that could be known.
#[must_use]
pub fn manifest_warnings(project: &Project) -> Vec<Problem> {
    let file = if project.dir == Path::new(".") { PROJECT_FILE.into() } else { project.dir.join(PROJECT_FILE) };
    let all = project.manifest.tools.iter().chain(&project.manifest.delegate);
    let unknown = all.filter(|tool| !BUILT_IN_TOOLS.contains(&tool.as_str()));
    unknown
        .filter_map(|tool| {
            let near = nearest(tool, BUILT_IN_TOOLS)?;
            let hint = format!("did you mean `{near}`? otherwise a plan has to bring a tool of that name");
            Some(Problem { hint: Some(hint), ..of_file(&file, format!("`{tool}` is no built-in tool")) })
        })
        .collect()
}

/// Makes a new project from the template of its language.
///
/// # Errors
/// A name that cannot be, a directory that is not empty, or the file system.
pub fn new_project(new: &NewProject) -> Result<Made, Failure> {
    sandfork_project::make(new).map_err(|error| match error {
        NewError::Taken { .. } => Failure {
            problems: vec![hinted("name another directory with --dir, or empty this one")],
            ..usage(error.to_string())
        },
        NewError::Name { .. } | NewError::Io { .. } => usage(error.to_string()),
    })
}

/// Builds a project, unless nothing changed; the component must be one that this host would load.
///
/// # Errors
/// A missing piece with the one command that installs it, the toolchain's last words, or what is wrong with what it made.
pub fn build_project(project: &Project, options: BuildOptions, watch: &mut dyn Watch) -> Result<Built, Unbuilt> {
    let judge = |component: &[u8]| inspect(component)?.refusal.map_or(Ok(()), Err);
    sandfork_project::build(project, options, &judge, watch).map_err(|error| unbuilt(project, error))
}

fn unbuilt(project: &Project, error: BuildError) -> Unbuilt {
    let message = format!("{}: {error}", project.manifest.name);
    let failure = |code, problems| Failure { code, message: message.clone(), problems };
    match error {
        BuildError::Missing { remedy, .. } => Unbuilt::Wrong(failure("missing_tool", vec![hinted(&remedy)])),
        BuildError::Failed { said, .. } => {
            Unbuilt::Failed(failure("build_failed", said.into_iter().map(Problem::unplaced).collect()))
        }
        BuildError::Unacceptable { hint, .. } => {
            Unbuilt::Failed(failure("invalid_component", hint.iter().map(|hint| hinted(hint)).collect()))
        }
        BuildError::Stopped => Unbuilt::Stopped(failure("interrupted", Vec::new())),
        BuildError::Wrong(problem) => Unbuilt::Wrong(invalid_project(&project.dir, vec![placed(problem)])),
        BuildError::Io { .. } => Unbuilt::Wrong(failure("unusable_project", Vec::new())),
    }
}

/// Reads the cases of a project, in the order of their files.
///
/// # Errors
/// Every problem of every file.
pub fn read_cases(project: &Project) -> Result<Vec<Case>, Failure> {
    let files = sandfork_project::case_files(project).map_err(|problems| invalid_cases(project, problems))?;
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match sandfork_project::read_cases(&file) {
            Ok(read) => {
                problems.extend(read.iter().flat_map(|case| case.unasked(project)));
                cases.extend(read);
            }
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(cases) } else { Err(invalid_cases(project, problems)) }
}

/// A case without an expectation, where one is needed.
#[must_use]
pub fn case_expects_nothing(case: &Case) -> Failure {
    let problem =
        sandfork_source::Problem::new(&case.file, case.place, format!("the case `{}` expects nothing", case.name))
            .expected("an `expect` block, as in expect: { status: ok }")
            .hint("`sandfork test --update` writes down what comes");
    Failure {
        code: "invalid_case",
        message: format!("the case `{}` cannot be judged", case.name),
        problems: vec![placed(problem)],
    }
}

/// Cases that cannot be read, or not be rewritten.
#[must_use]
pub fn invalid_cases(project: &Project, problems: Vec<sandfork_source::Problem>) -> Failure {
    let message = format!("the cases of {} cannot be used", project.manifest.name);
    Failure { code: "invalid_case", message, problems: all_placed(problems) }
}

/// A project that cannot be built or tried out.
pub(crate) fn invalid_project(dir: &Path, problems: Vec<Problem>) -> Failure {
    Failure { code: "invalid_project", message: format!("the project {} cannot be used", dir.display()), problems }
}

/// What to do, where the failure itself says what happened.
fn hinted(hint: &str) -> Problem {
    Problem::unplaced(format!("hint: {hint}"))
}
