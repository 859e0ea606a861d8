//! Problems of files in the words of the command line: other rooms find them, the report room words them.

use sandfork_model::port::Unloadable;
use sandfork_report::{Failure, Problem};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// A source problem with its place. A value from the command line is named by its flag and has no place.
pub(crate) fn placed(problem: sandfork_source::Problem) -> Problem {
    let is_flag = problem.file.starts_with("--");
    Problem {
        file: Some(problem.file),
        line: (!is_flag).then_some(problem.place.line.into()),
        column: (!is_flag).then_some(problem.place.column.into()),
        message: problem.message,
        expected: problem.expected,
        hint: problem.hint,
    }
}

/// Source problems of one or more files.
pub(crate) fn all_placed(problems: Vec<sandfork_source::Problem>) -> Vec<Problem> {
    problems.into_iter().map(placed).collect()
}

/// A problem of a whole file.
pub(crate) fn of_file(file: &Path, message: impl Display) -> Problem {
    Problem { file: Some(file.display().to_string()), message: message.to_string(), ..Problem::default() }
}

/// A file that cannot be read, in words that do not depend on the operating system where they need not.
pub(crate) fn unreadable(file: &Path, error: &io::Error) -> Problem {
    let cause = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    of_file(file, format!("the file cannot be read: {cause}"))
}

/// Why a component cannot be loaded.
pub(crate) fn unloadable(file: &Path, why: Unloadable) -> Problem {
    Problem { hint: why.hint, ..of_file(file, why.message) }
}

/// A plan that cannot run.
pub(crate) fn invalid_plan(path: &Path, problems: Vec<Problem>) -> Failure {
    Failure { code: "invalid_plan", message: format!("the plan {} cannot run", path.display()), problems }
}

/// A script that cannot be right.
pub(crate) fn invalid_script(path: &Path, problems: Vec<Problem>) -> Failure {
    Failure { code: "invalid_script", message: format!("the script {} cannot be right", path.display()), problems }
}

/// A command that cannot be done, with nothing to point at.
pub(crate) fn usage(message: impl Into<String>) -> Failure {
    Failure { code: "usage", message: message.into(), problems: Vec::new() }
}
