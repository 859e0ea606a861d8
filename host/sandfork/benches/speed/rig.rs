//! A host with its runtime, and plans made on the spot: the public interface alone, so that what is measured is what users
//! get. Times are the run's own (`elapsed_ns`): from its start to the moment all forks have settled, reading the plan,
//! compiling and writing the report not counted.

use anyhow::{Context, Result, bail};
use sandfork::model::event::Event;
use sandfork::model::record::Thread;
use sandfork::model::{
    AgentSource, Cap, EventSink, Plan, RunLimits, RunRecord, Shape, TaskRef, TaskSpec, ToolProvider, TranscriptSink,
};
use sandfork::{Host, Overrides, Prepared, RunOptions, read_plan};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Where an agent's behaviour comes from.
#[derive(Clone, Copy)]
pub(crate) enum Code<'a> {
    /// Turns of a script: everything below `agent:`.
    Script(&'a str),
    /// A component as text.
    Wat(&'a str),
    /// A built component.
    Built(&'a Path),
}

/// A host on a runtime of its own.
pub(crate) struct Rig {
    pub(crate) runtime: Runtime,
    host: Arc<Host>,
    home: TempDir,
    /// Tools of the bench's own; every agent is granted all of them.
    tools: Vec<String>,
}

/// An agent and how many forks of it the plan asks for.
pub(crate) struct Part<'a> {
    pub(crate) agent: &'a str,
    pub(crate) code: Code<'a>,
    pub(crate) forks: usize,
}

impl Rig {
    /// A host for `live` forks on `threads` worker threads.
    pub(crate) fn new(threads: usize, live: u32, tools: Vec<Arc<dyn ToolProvider>>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
        let home = tempfile::tempdir()?;
        let builder = Host::builder().live_forks(live).state_dir(home.path().join("state"));
        let names = tools.iter().flat_map(|provider| provider.specs()).map(|spec| spec.name).collect();
        let host = tools.into_iter().fold(builder, sandfork::HostBuilder::tool).build()?;
        Ok(Self { runtime, host: Arc::new(host), home, tools: names })
    }

    /// A plan of independent tasks, every limit on: run-wide ones sized to the forks, each fork's own as by default.
    pub(crate) fn plan(&self, parts: &[Part<'_>]) -> Result<Plan> {
        let mut agents = json!({});
        for Part { agent, code, .. } in parts {
            let (key, file) = self.write(agent, *code)?;
            if let Some(agents) = agents.as_object_mut() {
                // A shipped agent asks for the tools of its manifest; these are the ones that they use.
                let own = self.tools.iter().map(String::as_str);
                let asked = matches!(code, Code::Built(_)).then_some(["read_file", "search_files"]);
                let tools: Vec<&str> = own.chain(asked.into_iter().flatten()).collect();
                agents.insert((*agent).into(), json!({ key: file, "tools": tools }));
            }
        }
        let first = parts.first().context("a plan has an agent")?.agent;
        let document = json!({ "run": "speed", "goal": "measure", "agents": agents,
                               "tasks": [{ "id": "t0", "agent": first, "goal": "measure" }] });
        let path = self.home.path().join("plan.json");
        std::fs::write(&path, document.to_string())?;
        let mut plan = read_plan(&path, &Overrides { tools: self.tools.clone(), ..Overrides::default() })?;
        let Shape::Tasks(tasks) = &plan.shape else { bail!("the plan has tasks") };
        let one = tasks.first().context("the plan has a task")?.clone();
        let agents = parts.iter().flat_map(|part| std::iter::repeat_n(part.agent, part.forks));
        let tasks: Vec<TaskSpec> = agents
            .enumerate()
            .map(|(place, agent)| TaskSpec { id: format!("t{place}"), agent: agent.into(), ..one.clone() })
            .collect();
        let forks = u64::try_from(tasks.len())?;
        plan.limits.max_tasks = Cap::Finite(forks);
        plan.limits.max_live = forks;
        plan.limits.memory_total = forks << 20;
        plan.shape = Shape::Tasks(tasks);
        Ok(plan)
    }

    fn write(&self, agent: &str, code: Code<'_>) -> Result<(&'static str, PathBuf)> {
        let (key, extension, bytes) = match code {
            Code::Script(turns) => ("script", "yaml", format!("agent: {agent}\n{turns}").into_bytes()),
            Code::Wat(text) => ("component", "wasm", wat::parse_str(text)?),
            Code::Built(path) => return Ok(("component", path.to_owned())),
        };
        let path = self.home.path().join(format!("{agent}.{extension}"));
        std::fs::write(&path, bytes)?;
        Ok((key, path))
    }

    /// The plan with all its agents compiled.
    pub(crate) fn prepare(&self, plan: Plan) -> Result<Arc<Prepared>> {
        self.runtime.block_on(async {
            let prepared = self.host.prepare(plan).await?;
            prepared.ready().await;
            Ok(Arc::new(prepared))
        })
    }

    /// One run, its events kept in memory.
    pub(crate) fn run(&self, prepared: &Arc<Prepared>) -> Result<(RunRecord, Vec<Event>)> {
        let events = Kept::default();
        let options = RunOptions { sinks: vec![Box::new(events.clone())], ..RunOptions::default() };
        let record = self.run_with(prepared, options)?;
        let kept = std::mem::take(&mut *events.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((record, kept))
    }

    /// One run with these options, on a worker thread: one that comes from outside pays for every fork it hands in.
    pub(crate) fn run_with(&self, prepared: &Arc<Prepared>, options: RunOptions) -> Result<RunRecord> {
        let (host, prepared) = (Arc::clone(&self.host), Arc::clone(prepared));
        let ran = self.runtime.spawn(async move { host.run(&prepared, options).await });
        Ok(self.runtime.block_on(ran)??.record)
    }

    /// One run in which every fork must end ok; its wall time.
    pub(crate) fn time(&self, prepared: &Arc<Prepared>) -> Result<Duration> {
        let (record, _) = self.run(prepared)?;
        if let Some(bad) = record.outcomes.iter().find(|outcome| !outcome.is_ok()) {
            bail!("{} is not ok: {:?}", bad.task.task_id, bad.error);
        }
        Ok(Duration::from_nanos(record.elapsed_ns))
    }

    /// The component of the plan's first agent, and the task document that its first fork is handed.
    pub(crate) fn component_and_task(&self, plan: &Plan, prepared: &Arc<Prepared>) -> Result<(Vec<u8>, String)> {
        let entry = plan.agents.first().context("a plan has an agent")?;
        let component = match &entry.source {
            AgentSource::Script(path) => sandfork::compile_script(path)?,
            AgentSource::Component(path) => std::fs::read(path)?,
        };
        let tasks = Tasks::default();
        let options = RunOptions { transcript: Some(Arc::new(tasks.clone())), ..RunOptions::default() };
        self.run_with(prepared, options)?;
        let task = tasks.0.lock().unwrap_or_else(PoisonError::into_inner).take().context("a fork ran")?;
        Ok((component, task))
    }
}

/// Limits under which a guest can only be stopped by time.
pub(crate) fn endless(limits: &mut RunLimits, timeout: Duration) {
    limits.fork.timeout = timeout;
    limits.fork.fuel_per_step = 1 << 40;
    limits.fork.host_calls = Cap::Finite(1 << 40);
    limits.fork.notes = 1 << 40;
}

/// Events in memory.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Event>>>);

impl EventSink for Kept {
    fn write(&mut self, _seq: u64, event: &Event) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
        Ok(())
    }
}

/// The task document of one fork.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<Option<String>>>);

impl TranscriptSink for Tasks {
    fn write(&self, _task: &TaskRef, thread: &Thread) -> std::io::Result<()> {
        let document = Value::Object(thread.task.clone()).to_string();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(document);
        Ok(())
    }
}
