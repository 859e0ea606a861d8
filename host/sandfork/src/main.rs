//! The command line. Everything it does is a call of the library; everything it says is in `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
