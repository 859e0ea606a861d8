//! From the words of the command line to an exit code. Reads arguments, asks the library, shows what came of it.

mod args;
mod artifacts;
mod bench;
mod build;
mod building;
mod cache;
mod check;
mod compare;
mod compile;
mod completions;
mod events;
mod exit;
mod explain;
mod inspect;
mod new;
mod plan;
mod reach;
mod run;
mod schema;
mod show;
mod signal;
mod test;
mod tested;
mod verbosity;

use args::{Cli, Command};
use clap::Parser as _;
use exit::Exit;
use sandfork::Failure;
use std::process::ExitCode;

/// Runs the command line of this process.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error).into(),
    };
    verbosity::listen(cli.verbose);
    let exit = match cli.command {
        Command::Run(args) => run::run(args),
        Command::Bench(args) => bench::bench(args),
        Command::Compile(args) => compile::compile(&args),
        Command::Check(args) => check::check(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Events(args) => events::events(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::New(args) => new::new(args),
        Command::Build(args) => build::build(&args, cli.verbose),
        Command::Test(args) => test::test(&args, cli.verbose),
        Command::Cache(args) => cache::cache(&args),
        Command::Artifacts(args) => artifacts::artifacts(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Completions { shell } => completions::completions(shell),
    };
    exit.into()
}

/// Help and version are answers; anything else is a wrong command line, told as a document where one was asked for.
fn refuse(error: &clap::Error) -> Exit {
    // Where even this cannot be written, the exit code still says it.
    let _ = error.print();
    if !error.use_stderr() {
        return Exit::Completed;
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let failure = Failure { code: "usage", message: first.into(), problems: Vec::new() };
        return show::document(&failure.document(), Exit::Usage);
    }
    Exit::Usage
}
