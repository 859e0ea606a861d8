//! `sandfork new`: a project from a template, and what to do with it next.

use crate::cli::args::{Lang, NewArgs};
use crate::cli::exit::Exit;
use crate::cli::show;
use sandfork::project::{Language, Made, NewProject};
use std::fmt::Write as _;
use std::path::PathBuf;

pub(crate) fn new(args: NewArgs) -> Exit {
    let language = match args.lang {
        Lang::Rust => Language::Rust,
        Lang::Js => Language::Js,
        Lang::Ts => Language::Ts,
        Lang::Python => Language::Python,
    };
    let dir = args.dir.unwrap_or_else(|| PathBuf::from(&args.name));
    match sandfork::new_project(&NewProject { language, name: args.name, dir }) {
        Ok(made) => show::text(&words(&made, language), Exit::Completed),
        Err(failure) => show::failure(&failure, false, Exit::Usage),
    }
}

fn words(made: &Made, language: Language) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    for file in made.files.iter().filter(|file| !file.starts_with("sdk/") && !file.starts_with("wit/")) {
        let _ = writeln!(text, "made {}", made.dir.join(file).display());
    }
    for dir in ["sdk/", "wit/"].into_iter().filter(|dir| made.files.iter().any(|file| file.starts_with(dir))) {
        let _ = writeln!(text, "made {}/{dir}", made.dir.display());
    }
    let _ = writeln!(text, "\nNext:\n");
    let _ = writeln!(text, "    cd {}", sandfork::project::for_shell(&made.dir));
    for command in language.set_up().into_iter().chain(["sandfork build", "sandfork test", "sandfork run plan.yaml"]) {
        let _ = writeln!(text, "    {command}");
    }
    text
}
