//! The host: one engine, one pool of sandboxes, one state directory; any number of runs. Wires the rooms and decides
//! nothing that one of them decides.

use crate::builder::HostBuilder;
use crate::causal_log::causal_log;
use crate::error::HostError;
use crate::options::RunOptions;
use crate::prepared::Prepared;
use crate::run_id::RunName;
use crate::scratch::Scratch;
use crate::stage::{Stage, stage};
use crate::stand_in::standing_in;
use crate::state::StateDir;
use sandfork_model::{Footprint, Plan, RunId, RunRecord, Runtime, ToolProvider};
use sandfork_orchestrator::{PANIC_TOOL, Pace, RunInput, Seats};
use sandfork_plan::Overrides;
use sandfork_report::{Copies, EngineFacts, EventLines, RunFacts, report};
use sandfork_sandbox::Sandboxes;
use sandfork_tools::{Artifacts, Model, Replies, Scripted, Sleep};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs plans. Cheap to share behind an [`Arc`]; to be made once, for it reserves the address space of all its sandboxes.
pub struct Host {
    sandboxes: Arc<Sandboxes>,
    seats: Arc<Seats>,
    engine: EngineFacts,
    state: StateDir,
    tools: Vec<Arc<dyn ToolProvider>>,
}

/// A run that came to an end.
#[derive(Debug)]
pub struct Finished {
    /// The run's id.
    pub run_id: String,
    /// What the file tools saw: the run's copy, or the source itself for a run in place; `None` where the plan has none.
    pub workspace: Option<PathBuf>,
    /// What it amounted to.
    pub record: RunRecord,
    /// The same as the report document, redacted.
    pub report: Value,
}

impl Host {
    /// Starts to build a host.
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    pub(crate) fn new(
        sandboxes: Arc<Sandboxes>,
        seats: Arc<Seats>,
        engine: EngineFacts,
        state: StateDir,
        tools: Vec<Arc<dyn ToolProvider>>,
    ) -> Self {
        Self { sandboxes, seats, engine, state, tools }
    }

    /// Reads a plan, compiles its scripts, reads its components, and starts to load them in the background.
    ///
    /// # Errors
    /// Every problem of the plan, or of the first script that has any. A broken component is not one of them: it fails the
    /// forks that need it.
    pub async fn load(&self, path: &Path, overrides: &Overrides) -> Result<Prepared, HostError> {
        let (path, mut overrides) = (path.to_path_buf(), overrides.clone());
        // A plan grants the host's own tools by their names, as it does the built-in ones.
        overrides.tools.extend(self.tools.iter().flat_map(|provider| provider.specs()).map(|spec| spec.name));
        let plan = blocking("reading the plan", move || crate::read_plan(&path, &overrides)).await??;
        self.prepare(plan).await
    }

    /// As [`Host::load`], with a plan that has been read.
    ///
    /// # Errors
    /// As [`Host::load`].
    pub async fn prepare(&self, plan: Plan) -> Result<Prepared, HostError> {
        self.no_tool_twice(&plan)?;
        let runtime: Arc<dyn Runtime> = Arc::<Sandboxes>::clone(&self.sandboxes);
        let plan = Arc::new(plan);
        let read = Arc::clone(&plan);
        let agents = blocking("compiling scripts", move || crate::catalog::catalog(&read)).await??;
        tracing::debug!(plan = plan.name, agents = agents.len(), "scripts compiled, components read");
        if agents.values().any(|code| code.footprint == Footprint::Large) {
            // How many fit is known once their pool is made; the gate must know it before the first of them is asked for.
            let sandboxes = Arc::clone(&self.sandboxes);
            let large =
                blocking("making room for language guests", move || sandboxes.capacity(Footprint::Large)).await?;
            self.seats.hold_large_to(large);
        }
        Ok(Prepared::start(plan, agents, runtime))
    }

    /// Runs a plan to its end.
    ///
    /// # Errors
    /// When nothing could run, or the host broke. How agents fared is in the record.
    pub async fn run(&self, prepared: &Prepared, options: RunOptions) -> Result<Finished, HostError> {
        let plan = prepared.plan();
        let name = match (&options.run_id, options.virtual_time) {
            (Some(id), _) => RunName::exact(id),
            (None, true) => RunName::exact(&plan.name),
            (None, false) => RunName::numbered(&plan.name),
        };
        let name = name.map_err(|error| crate::problem::usage(error.to_string()))?;
        let stage = self.stage(prepared, name, options.in_place).await?;
        tracing::info!(run = stage.dir.id, directory = %stage.dir.path.display(), "a run starts");
        let mut options = options;
        let mut logs: Vec<Box<dyn Write + Send>> = options.events.take().into_iter().collect();
        if options.keep_events {
            let log = stage.dir.begin_events();
            let log = log.map_err(|error| HostError::broken(format!("the event log cannot be kept: {error}")))?;
            logs.push(Box::new(log));
        }
        if !logs.is_empty() {
            options.sinks.push(Box::new(EventLines::new(Copies(logs))));
        }
        let record = self.perform(prepared, &stage, options).await?;
        let workspace = stage.shown_workspace();
        let shown = workspace.as_ref().map(|path| path.display().to_string());
        let document = report(
            &record,
            &RunFacts { run_id: &stage.dir.id, goal: &plan.goal, workspace: shown.as_deref(), engine: &self.engine },
        );
        let text = format!("{document:#}\n");
        let run_id = stage.dir.id.clone();
        tracing::info!(run = run_id, status = record.status.name(), tasks = record.tasks_used, "a run ended");
        blocking("storing the report", move || stage.dir.write_report(&text))
            .await?
            .map_err(|error| HostError::broken(format!("the report of {run_id} cannot be stored: {error}")))?;
        Ok(Finished { run_id, workspace, record, report: document })
    }

    /// A directory for a moment, below where runs are kept.
    pub(crate) fn scratch(&self) -> Result<Scratch, HostError> {
        Scratch::below(&self.state.prepare_beside("cases")?)
    }

    /// Makes the run's directory and its workspace.
    pub(crate) async fn stage(&self, prepared: &Prepared, name: RunName, in_place: bool) -> Result<Stage, HostError> {
        let (state, plan) = (self.state.clone(), Arc::clone(prepared.plan()));
        blocking("making the run's directory", move || stage(&state, &plan, &name, in_place)).await?
    }

    /// Runs the plan on a stage: what the bench times.
    pub(crate) async fn perform(
        &self,
        prepared: &Prepared,
        stage: &Stage,
        options: RunOptions,
    ) -> Result<RunRecord, HostError> {
        let plan = prepared.plan();
        let (log, measured) = causal_log(options.sinks);
        let artifacts = Artifacts::new(stage.dir.artifacts());
        let mut record = sandfork_orchestrator::run(RunInput {
            plan: Arc::clone(plan),
            run: RunId { name: plan.name.as_str().into(), id: stage.dir.id.as_str().into() },
            agents: prepared.agents().clone(),
            tools: standing_in(self.providers(plan, stage, &artifacts), prepared.stand_ins()),
            specs: sandfork_tools::specs::answered_by_orchestrator(),
            task_reader: Arc::new(sandfork_plan::PlannedTasks::of(plan)),
            runtime: Arc::<Sandboxes>::clone(&self.sandboxes),
            seats: Arc::clone(&self.seats),
            pace: if options.virtual_time { Pace::Virtual } else { Pace::Real },
            serial: options.serial,
            sinks: vec![log],
            transcript: options.transcript,
            artifacts: Some(Arc::new(artifacts)),
            interrupt: options.interrupt,
        })
        .await?;
        measured.add_to(&mut record.measures);
        Ok(record)
    }

    fn providers(&self, plan: &Plan, stage: &Stage, artifacts: &Artifacts) -> Vec<Arc<dyn ToolProvider>> {
        let replies = plan.models.clone().map(Replies::new);
        let model = replies.map_or_else(Model::default, |replies| Model::answered_by(Arc::new(replies)));
        let mut providers: Vec<Arc<dyn ToolProvider>> =
            vec![Arc::new(stage.workspace.clone()), Arc::new(artifacts.clone()), Arc::new(model), Arc::new(Sleep)];
        if !plan.tools.is_empty() {
            providers.push(Arc::new(Scripted::new(plan.tools.clone())));
        }
        providers.extend(self.tools.iter().cloned());
        providers
    }

    /// A plan must not define a tool that is there already: found here, before anything is made.
    fn no_tool_twice(&self, plan: &Plan) -> Result<(), HostError> {
        let built_in = sandfork_tools::built_in_specs();
        let provided = self.tools.iter().flat_map(|provider| provider.specs());
        let named = built_in.into_iter().chain(provided).map(|spec| spec.name);
        let taken: Vec<String> = named.chain([PANIC_TOOL.to_owned()]).collect();
        match plan.tools.iter().find(|tool| taken.contains(&tool.name)) {
            None => Ok(()),
            Some(tool) => Err(HostError::NotStarted(crate::problem::usage(format!(
                "the plan {} defines a tool `{}`, and the host has one of that name: rename it",
                plan.name, tool.name
            )))),
        }
    }
}

/// Work that waits for files, off the async threads. A panic in it is the host's fault.
pub(crate) async fn blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, HostError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, doing, "work off the async threads broke");
        HostError::broken(format!("{doing} broke; please report it"))
    })
}
