//! What `run` and `bench` share: the plan with what the command line changes in it, a host of the right size, a runtime.

use crate::cli::args::{PlanArgs, Switch};
use crate::cli::exit::Exit;
use crate::cli::show;
use sandfork::{Broken, Failure, Host, HostError, Overrides};
use sandfork_model::Plan;
use std::future::Future;
use std::path::Path;

/// A thread's native stack: wasm runs on stacks of its own, so this is what the host itself needs.
const THREAD_STACK_BYTES: usize = 4 << 20;

/// Reads the plan with the command line's changes.
pub(crate) fn read(args: &PlanArgs) -> Result<Plan, HostError> {
    read_with(&args.plan, &args.limits, &args.sets)
}

/// Reads a plan with changes, each KEY=VALUE.
pub(crate) fn read_with(plan: &Path, limits: &[String], sets: &[String]) -> Result<Plan, HostError> {
    let overrides = Overrides {
        limits: pairs("--limit", "KEY", limits)?,
        sets: pairs("--set", "PATH", sets)?,
        ..Overrides::default()
    };
    Ok(sandfork::read_plan(plan, &overrides)?)
}

/// A host with room for what the plan may have alive at one time.
pub(crate) fn host(args: &PlanArgs, plan: &Plan) -> Result<Host, HostError> {
    let live = u32::try_from(plan.limits.max_live).unwrap_or(u32::MAX);
    // A run never has more forks than it may start.
    let tasks = u32::try_from(plan.limits.max_tasks.ceiling()).unwrap_or(u32::MAX);
    Host::builder()
        .live_forks(live.min(tasks).max(1))
        .state_dir(&args.state_dir)
        .code_cache(args.cache == Switch::On)
        .build()
        .map_err(|error| HostError::Broken(Broken { message: error.to_string() }))
}

/// Runs `work` on a runtime with the asked number of worker threads.
pub(crate) fn on_runtime<T>(args: &PlanArgs, work: impl Future<Output = Result<T, HostError>>) -> Result<T, HostError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(workers) = args.workers {
        builder.worker_threads(workers.into());
    }
    let runtime = builder
        .enable_all()
        .thread_stack_size(THREAD_STACK_BYTES)
        .build()
        .map_err(|error| HostError::Broken(Broken { message: format!("no threads can be started: {error}") }))?;
    let done = runtime.block_on(work);
    // A tool that never answers must not keep the process: its answer would be dropped anyway.
    runtime.shutdown_background();
    done
}

/// Tells why there is no record.
pub(crate) fn refuse(error: &HostError, is_json: bool) -> Exit {
    match error {
        HostError::NotStarted(failure) => show::failure(failure, is_json, Exit::Usage),
        HostError::Broken(broken) => {
            let failure = Failure {
                code: "host_broke",
                message: format!("the host broke: {}", broken.message),
                problems: Vec::new(),
            };
            show::failure(&failure, is_json, Exit::Broken)
        }
    }
}

/// A failure of the command line itself.
pub(crate) fn usage(message: impl Into<String>) -> HostError {
    HostError::NotStarted(Failure { code: "usage", message: message.into(), problems: Vec::new() })
}

fn pairs(flag: &str, name: &str, given: &[String]) -> Result<Vec<(String, String)>, HostError> {
    let pair = |text: &String| match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(usage(format!("{flag} {text}: expected {name}=VALUE"))),
    };
    given.iter().map(pair).collect()
}
