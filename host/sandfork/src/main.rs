//! The command line. Everything it does is a call of the library; everything it says is in `cli`, and in
//! `live` while a run goes on.

mod cli;
mod live;

fn main() -> std::process::ExitCode {
    cli::main()
}
