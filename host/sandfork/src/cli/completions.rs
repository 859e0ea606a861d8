//! Completion scripts, made from the very definition that parses the command line.

use crate::cli::args::Cli;
use crate::cli::exit::Exit;
use crate::cli::show;
use clap::CommandFactory as _;
use clap_complete::Shell;

pub(crate) fn completions(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sandfork", &mut script);
    show::bytes(&script, Exit::Completed)
}
