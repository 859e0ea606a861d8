//! The command line's words, and nothing of what they do.

use crate::cli::exit::Exit;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  sandfork run plan.yaml                              run a plan, summary for people
  sandfork run plan.yaml --json > report.json         the report; progress stays on stderr
  sandfork run plan.yaml --virtual-time --json        the same bytes in every run
  sandfork bench plan.yaml --rounds 5                 serial against parallel
  sandfork check plan.yaml                            what is wrong, and where
  sandfork explain plan.yaml                          what each fork may do, spend and see, and why
  sandfork compare a.json b.json                      two reports, and what the difference says
  sandfork artifacts demo-1                           what a kept run produced
  sandfork compile alpha.yaml -o alpha.wasm           a script as a component of its own
  sandfork new --lang js greeter                      an agent of your own: then build, test, run

Exit codes:";

/// Examples, then every exit code with its meaning.
fn after_help() -> String {
    let codes = Exit::ALL.map(|exit| format!("\n  {:<4} {}", exit.code(), exit.meaning()));
    format!("{EXAMPLES}{}", codes.concat())
}

/// Runs subagents in WebAssembly sandboxes.
#[derive(Debug, Parser)]
#[command(name = "sandfork", version, after_help = after_help(), arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Say more on stderr: once for what the host does, twice for why, three times for all of it
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 1_000)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a plan
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Time serial against parallel rounds of a plan
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(BenchArgs),
    /// Compile a script to a component that needs nothing else
    #[command(after_help = "Example:\n  sandfork compile alpha.yaml -o alpha.wasm")]
    Compile(CompileArgs),
    /// Say whether a plan, script, component, manifest or case can be right, without running it
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Say what each fork of a plan may do, spend and see, and which rule took what away, without running it
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Compare two reports: status, tokens, fuel, time, metrics, and whether the split was worth it
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Ingest event logs, in any order and with any lines twice, and say what each task amounts to
    #[command(after_help = EVENTS_EXAMPLES)]
    Events(EventsArgs),
    /// Show what is in a component: imports, exports, sizes, its manifest and what it may reach
    #[command(after_help = "Examples:\n  sandfork inspect alpha.wasm\n  sandfork inspect alpha.wasm --json")]
    Inspect(InspectArgs),
    /// Make an agent project: agent, manifest, cases, plan
    #[command(after_help = NEW_EXAMPLES)]
    New(NewArgs),
    /// Build an agent project with its language's own toolchain, if anything changed
    #[command(after_help = BUILD_EXAMPLES)]
    Build(BuildArgs),
    /// Run an agent project's cases: task in, scripted answers, outcome expected
    #[command(after_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// Show or clear the compiled code that is kept
    #[command(after_help = CACHE_EXAMPLES)]
    Cache(CacheArgs),
    /// List what a kept run produced, or print one of its artifacts
    #[command(after_help = ARTIFACTS_EXAMPLES)]
    Artifacts(ArtifactsArgs),
    /// Print the JSON Schema of a document, or the table of defaults
    #[command(after_help = "Examples:\n  sandfork schema plan > plan.schema.json\n  sandfork schema defaults")]
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  sandfork completions bash > ~/.local/share/bash-completion/completions/sandfork"
    )]
    Completions {
        /// Which shell
        shell: Shell,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  sandfork run plan.yaml
  sandfork run plan.yaml --json --events events.jsonl > report.json
  sandfork run plan.yaml --limit max_depth=3 --set root.goal='Fix the tests'
  sandfork run plan.yaml --transcript transcripts     what each fork saw, one private file each
  sandfork run plan.yaml --in-place                   work on the workspace itself, not on a copy";

const CHECK_EXAMPLES: &str = "\
Examples:
  sandfork check plan.yaml                            with its scripts and components
  sandfork check alpha.yaml alpha.wasm --json
  sandfork check greeter                              an agent project: its agent.yaml and its cases

Warnings are what will be refused when it runs, although the file is in order; they change no exit code.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  sandfork explain plan.yaml
  sandfork explain plan.yaml root                     one task or agent, with what it forks
  sandfork explain plan.yaml --limit deadline=5s --json";

const COMPARE_EXAMPLES: &str = "\
Examples:
  sandfork run fixtures/fork-two-modules/plan.yaml --json > many.json
  sandfork run fixtures/baseline/plan.yaml --json > one.json
  sandfork compare many.json one.json
  sandfork compare many.json one.json --json";

const EVENTS_EXAMPLES: &str = "\
Examples:
  sandfork run plan.yaml --events events.jsonl
  sandfork events events.jsonl
  sandfork events part-2.jsonl part-1.jsonl part-2.jsonl --json
  sandfork events events.jsonl --needs summary=metrics,logs,releases?

Exit codes: 0 all applied (copies are acknowledged), 3 something waits for what is missing, 1 something was rejected.";

const BENCH_EXAMPLES: &str = "\
Examples:
  sandfork bench plan.yaml
  sandfork bench plan.yaml --rounds 9 --json

The workspace is reset for every round; compiling and copying are not counted.";

const NEW_EXAMPLES: &str = "\
Examples:
  sandfork new --lang rust greeter                    makes ./greeter
  sandfork new --lang python greeter --dir agents/greeter

The agent is one file; its manifest, a case, a plan and a README that leads on lie beside it.";

const BUILD_EXAMPLES: &str = "\
Examples:
  sandfork build                                      the project here
  sandfork build agents/greeter -v                    with everything the toolchain says
  sandfork build --force                              although nothing changed

Exit codes: 0 built or up to date, 1 the toolchain said no, 2 the project is wrong or a piece is missing.";

const TEST_EXAMPLES: &str = "\
Examples:
  sandfork test                                       builds if needed, then runs cases/*.yaml
  sandfork test --filter missing                      cases with that in their name or file
  sandfork test --update                              write down what comes as what is expected
  sandfork test --no-build --json

Exit codes: 0 all as expected, 1 a case failed or the toolchain said no, 2 the project or a case is wrong.";

const CACHE_EXAMPLES: &str = "\
Examples:
  sandfork cache                                      what is kept, the one used last first
  sandfork cache clear                                all of it is compiled again when it is needed
  sandfork cache path

`run` and `bench` keep compiled code unless they are told `--cache off`.";

const ARTIFACTS_EXAMPLES: &str = "\
Examples:
  sandfork artifacts demo-1                           every version, its size, digest and maker
  sandfork artifacts demo-1 report/v3 > report.md     the very bytes, held against their digest
  sandfork artifacts demo-1 report/v3 --json          with where it comes from";

/// The plan and what to change in it for this run.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The plan, YAML or JSON
    pub(crate) plan: PathBuf,
    /// Change a limit of the run: KEY=VALUE, as in the plan's `limits`
    #[arg(long = "limit", value_name = "KEY=VALUE")]
    pub(crate) limits: Vec<String>,
    /// Change a value of the plan: PATH=VALUE, such as root.goal=... or tasks.ID.timeout=5s
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Worker threads [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", env = "SANDFORK_STATE_DIR", default_value = ".sandfork")]
    pub(crate) state_dir: PathBuf,
    /// Whether compiled code is kept there for the next run
    #[arg(long, value_name = "WHEN", env = "SANDFORK_CACHE", default_value = "on")]
    pub(crate) cache: Switch,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Print the report as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress: neither the live tree of a terminal nor the plain lines of a pipe
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Write the event log to FILE, one JSON document a line
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Write what each fork saw to DIR, one private file each
    #[arg(long, value_name = "DIR")]
    pub(crate) transcript: Option<PathBuf>,
    /// One fork at a time
    #[arg(long)]
    pub(crate) serial: bool,
    /// Let simulated time pass instead of real time: the same bytes in every run
    #[arg(long)]
    pub(crate) virtual_time: bool,
    /// Name this run [default: NAME-N with the first free N]
    #[arg(long, value_name = "ID")]
    pub(crate) run_id: Option<String>,
    /// Let the file tools work on the plan's workspace itself instead of a copy
    #[arg(long)]
    pub(crate) in_place: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// How many rounds of each mode
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) rounds: u16,
    /// Print the figures as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// The script, YAML or JSON
    pub(crate) script: PathBuf,
    /// Where the component goes
    #[arg(short, long, value_name = "AGENT.wasm")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Plans, scripts, components, agent.yaml, cases, or the directory of an agent project; recognised by their content
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print problems as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The plan, YAML or JSON
    pub(crate) plan: PathBuf,
    /// One task or agent; all of them where absent
    pub(crate) task: Option<String>,
    /// Change a limit of the run: KEY=VALUE, as in the plan's `limits`
    #[arg(long = "limit", value_name = "KEY=VALUE")]
    pub(crate) limits: Vec<String>,
    /// Change a value of the plan: PATH=VALUE, such as root.goal=...
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Print it as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// A report, as `run --json` prints it
    #[arg(value_name = "A.json")]
    pub(crate) a: PathBuf,
    /// The one to hold against it
    #[arg(value_name = "B.json")]
    pub(crate) b: PathBuf,
    /// Print it as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Event logs, one JSON document a line
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Let JOIN start only after these tasks have ended ok; with `?` behind it a task may have ended in any way
    #[arg(long, value_name = "JOIN=TASK,TASK")]
    pub(crate) needs: Vec<String>,
    /// Print it as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The component
    #[arg(value_name = "AGENT.wasm")]
    pub(crate) component: PathBuf,
    /// Print it as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The agent's name: a small letter, then small letters, digits, `-` or `_`
    pub(crate) name: String,
    /// In which language
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Lang,
    /// The project's own directory [default: ./NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Languages that have a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// Rust, with the crate sandfork-guest
    Rust,
    /// JavaScript on QuickJS
    Js,
    /// TypeScript, compiled by tsc, on QuickJS
    Ts,
    /// Python on CPython
    Python,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// The project: a directory with an agent.yaml
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Build although nothing changed
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The project: a directory with an agent.yaml
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Only cases with TEXT in their name, or of the file of that name
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Rewrite what cases expect to what comes; everything else of their files stays
    #[arg(long)]
    pub(crate) update: bool,
    /// Take the component as it lies there
    #[arg(long)]
    pub(crate) no_build: bool,
    /// Print what came of each case as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Where what a case needs lies while it runs
    #[arg(long, value_name = "DIR", env = "SANDFORK_STATE_DIR", default_value = ".sandfork")]
    pub(crate) state_dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CacheArgs {
    /// What to do
    #[arg(value_enum, default_value_t = CacheDo::Show)]
    pub(crate) what: CacheDo,
    /// Print it as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Where runs and compiled code are kept
    #[arg(long, value_name = "DIR", env = "SANDFORK_STATE_DIR", default_value = ".sandfork")]
    pub(crate) state_dir: PathBuf,
}

/// What can be done with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheDo {
    /// List it
    Show,
    /// Remove every entry
    Clear,
    /// Say where it is
    Path,
}

#[derive(Debug, Args)]
pub(crate) struct ArtifactsArgs {
    /// The run: its id, or the path of its directory
    pub(crate) run: String,
    /// The artifact to print: NAME/vN, or artifact://NAME/vN; all are listed where absent
    pub(crate) artifact: Option<String>,
    /// Print it as one JSON document on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", env = "SANDFORK_STATE_DIR", default_value = ".sandfork")]
    pub(crate) state_dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which document
    pub(crate) of: SchemaOf,
}

/// Documents that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A plan file
    Plan,
    /// A script file
    Script,
    /// The task document that a guest receives
    Task,
    /// The report of a run
    Report,
    /// One line of the event log
    Event,
    /// The default of every limit, as a plan would write it
    Defaults,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
