//! The floor: the same component forked with nothing of ours around it. Same engine settings, a pool, a store for each fork,
//! and a linker whose three functions do nothing.

use anyhow::{Context as _, Result, anyhow, bail};
use std::time::{Duration, Instant};
use wasmtime::component::{Component, ComponentExportIndex, ComponentType, InstancePre, Lift, Linker, Lower};
use wasmtime::{Config, Engine, Store};

const INTERFACE: &str = "sandfork:agent/orchestrator@0.1.0";

#[derive(ComponentType, Lift, Lower)]
#[component(record)]
struct Error {
    code: String,
    message: String,
    details: String,
}

#[derive(ComponentType, Lift, Lower)]
#[component(record)]
struct Request {
    agent: String,
    goal: String,
    context: String,
    options: String,
}

#[derive(ComponentType, Lift, Lower)]
#[component(record)]
struct Outcome {
    #[component(name = "task-id")]
    task_id: String,
    agent: String,
    status: String,
    output: Option<String>,
    error: Option<Error>,
    info: String,
}

/// A component, ready to fork.
#[derive(Clone)]
pub(crate) struct Bare {
    pre: InstancePre<()>,
    entry: ComponentExportIndex,
    is_metered: bool,
}

impl Bare {
    /// Compiles `component` for an engine with these settings; `is_metered` says whether they meter fuel.
    pub(crate) fn new(settings: &Config, component: &[u8], is_metered: bool) -> Result<Self> {
        let (pre, component) = linked(settings, component).map_err(told)?;
        let entry = component.get_export_index(None, "run").context("the component exports run")?;
        Ok(Self { pre, entry, is_metered })
    }

    /// One fork: store, instance, one call of `run`, and the store's end.
    pub(crate) async fn fork(&self, task: &str) -> Result<()> {
        match self.run(task).await.map_err(told)? {
            Ok(_) => Ok(()),
            Err(error) => bail!("{}: {} {}", error.code, error.message, error.details),
        }
    }

    async fn run(&self, task: &str) -> wasmtime::Result<Result<String, Error>> {
        let mut store = Store::new(self.pre.engine(), ());
        if self.is_metered {
            store.set_fuel(u64::MAX)?;
        }
        let instance = self.pre.instantiate_async(&mut store).await?;
        let run = instance.get_typed_func::<(&str,), (Result<String, Error>,)>(&mut store, &self.entry)?;
        Ok(run.call_async(&mut store, (task,)).await?.0)
    }

    /// `forks` forks one after the other on a worker thread of the current runtime; their wall time.
    pub(crate) async fn time(&self, forks: usize, task: &str) -> Result<Duration> {
        let (bare, task) = (self.clone(), task.to_owned());
        let looped = tokio::spawn(async move {
            let started = Instant::now();
            for _ in 0..forks {
                bare.fork(&task).await?;
            }
            Ok(started.elapsed())
        });
        looped.await?
    }

    /// The same twice, side by side.
    pub(crate) async fn time_twice(&self, forks: usize, task: &str) -> Result<Duration> {
        let started = Instant::now();
        tokio::try_join!(self.time(forks, task), self.time(forks, task))?;
        Ok(started.elapsed())
    }
}

fn linked(settings: &Config, component: &[u8]) -> wasmtime::Result<(InstancePre<()>, Component)> {
    let engine = Engine::new(settings)?;
    let component = Component::from_binary(&engine, component)?;
    let mut linker = Linker::new(&engine);
    let mut interface = linker.instance(INTERFACE)?;
    interface.func_wrap("note", |_, (_text,): (String,)| Ok(()))?;
    interface.func_wrap("spawn", |_, (_requests, _options): (Vec<Request>, String)| Ok((Vec::<Outcome>::new(),)))?;
    interface
        .func_wrap("tool", |_, (_name, _arguments): (String, String)| Ok((Ok::<String, Error>("{}".to_owned()),)))?;
    Ok((linker.instantiate_pre(&component)?, component))
}

fn told(error: wasmtime::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}
