//! A runtime whose components are JSON lists of steps, and a run builder over it. It keeps the sandbox's promises: fuel is
//! counted, leashes hold, a stop lands anywhere.

use sandfork_model::port::{RawOutcome, RawRequest};
use sandfork_model::{
    Agent, AgentEntry, AgentError, AgentSource, Allowance, Artifact, ArtifactFigures, ArtifactRef, ArtifactStore, Ask,
    BoxFuture, End, Ended, Event, EventSink, Footprint, Leash, Meter, NewArtifact, Plan, PlannerSpec, Port, Reply,
    RequestOptions, RetrySpec, ReviewSpec, RunId, RunLimits, RunRecord, Runtime, Shape, Stop, TaskReader, TaskSpec,
    ToolCall, ToolProvider, ToolSpec, Unloadable,
};
use sandfork_orchestrator::{AgentCode, ExplainInput, Explained, Interrupt, Pace, RunInput, Seats, explain, run};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Steps a fake guest can take, as JSON arrays: `["burn", 5]`, `["note", "x"]`, `["tool", "name", {..}]`,
/// `["spawn", [{agent, goal, context?, options?}], options]`, `["return", value]`, `["fail", code, details?]`, `["trap"]`,
/// `["when", "/context/x", steps…]` (if the task has something there), `["return_task", "/context/x"]` (what it has there),
/// `["spin"]`, `["return_last"]` (what the last spawn answered: statuses and codes).
struct FakeAgent(Vec<Value>);

pub(crate) struct FakeRuntime;

impl Runtime for FakeRuntime {
    fn load(&self, component: Arc<[u8]>) -> BoxFuture<'_, Result<Arc<dyn Agent>, Unloadable>> {
        Box::pin(async move {
            match serde_json::from_slice(&component) {
                Ok(steps) => Ok(Arc::new(FakeAgent(steps)) as Arc<dyn Agent>),
                Err(_) => Err(Unloadable { message: "no steps".into(), hint: None, is_missing_export: false }),
            }
        })
    }
}

struct Tank {
    used: u64,
    leash: Leash,
    since_leash: u64,
}

impl Tank {
    fn burn(&mut self, amount: u64) -> Result<(), End> {
        let deadline = self.leash.fuel_to_deadline.unwrap_or(u64::MAX);
        let left = self.leash.fuel_left.min(deadline) - self.since_leash;
        let burnt = amount.min(left);
        self.used += burnt;
        self.since_leash += burnt;
        if burnt == amount {
            return Ok(());
        }
        Err(if deadline < self.leash.fuel_left { End::DeadlineFuel } else { End::OutOfFuel })
    }

    fn release(&mut self, leash: Leash) {
        self.leash = leash;
        self.since_leash = 0;
    }

    fn meter(&self) -> Meter {
        Meter { fuel_used: self.used }
    }
}

impl Agent for FakeAgent {
    fn run(&self, task: String, allowance: Allowance, port: Arc<dyn Port>, stop: Stop) -> BoxFuture<'static, Ended> {
        let task: Value = serde_json::from_str(&task).unwrap();
        let steps = self.0.iter().flat_map(|step| fitting(step, &task)).collect::<Vec<_>>();
        Box::pin(async move {
            let tank = Arc::new(Mutex::new(Tank { used: 0, leash: allowance.leash, since_leash: 0 }));
            let end = tokio::select! {
                biased;
                () = stop => End::Stopped,
                end = follow(&steps, &tank, &*port) => end,
            };
            let fuel_used = tank.lock().unwrap().used;
            Ended { end, fuel_used, peak_memory_bytes: 65_536, memory_refused: None }
        })
    }
}

/// The steps that a step stands for on this task: see `when` and `return_task`.
fn fitting(step: &Value, task: &Value) -> Vec<Value> {
    let at = || task.pointer(step[1].as_str().unwrap()).cloned().unwrap_or_default();
    let is_there = |value: &Value| ![json!(null), json!(0), json!([])].contains(value);
    match step[0].as_str() {
        Some("when") if is_there(&at()) => {
            step.as_array().unwrap()[2..].iter().flat_map(|step| fitting(step, task)).collect()
        }
        Some("when") => Vec::new(),
        Some("return_task") => vec![json!(["return", at()])],
        _ => vec![step.clone()],
    }
}

async fn follow(steps: &[Value], tank: &Mutex<Tank>, port: &dyn Port) -> End {
    let mut last = Vec::new();
    for step in steps {
        let ended = match step[0].as_str().unwrap() {
            "burn" => tank.lock().unwrap().burn(step[1].as_u64().unwrap()).err(),
            "spin" => loop {
                if let Err(end) = tank.lock().unwrap().burn(10_000) {
                    break Some(end);
                }
                tokio::task::yield_now().await;
            },
            "note" => {
                let meter = tank.lock().unwrap().meter();
                let answer = port.note(meter, step[1].as_str().unwrap().into()).await;
                answer.map(|leash| tank.lock().unwrap().release(leash)).err().map(|_| End::Halted)
            }
            "tool" => {
                let meter = tank.lock().unwrap().meter();
                let answer = port.tool(meter, step[1].as_str().unwrap().into(), step[2].to_string()).await;
                answer.map(|(_, leash)| tank.lock().unwrap().release(leash)).err().map(|_| End::Halted)
            }
            "tool_last" => {
                let meter = tank.lock().unwrap().meter();
                match port.tool(meter, step[1].as_str().unwrap().into(), step[2].to_string()).await {
                    Ok((answer, _)) => Some(End::Returned(answer.expect("an answer"))),
                    Err(_) => Some(End::Halted),
                }
            }
            "spawn" => {
                let requests = step[1].as_array().unwrap().iter().map(raw).collect();
                let meter = tank.lock().unwrap().meter();
                let options = step.get(2).map_or_else(|| "{}".into(), Value::to_string);
                match port.spawn(meter, requests, options).await {
                    Ok((outcomes, leash)) => {
                        tank.lock().unwrap().release(leash);
                        last = outcomes;
                        None
                    }
                    Err(_) => Some(End::Halted),
                }
            }
            "return" => Some(End::Returned(step[1].to_string())),
            "return_last" => Some(End::Returned(told(&last).to_string())),
            "fail" => Some(End::Failed(sandfork_model::port::RawError {
                code: step[1].as_str().unwrap().into(),
                message: "as told".into(),
                details: step.get(2).map_or_else(|| "{}".into(), Value::to_string),
            })),
            "trap" => Some(End::Trapped("unreachable".into())),
            "host_panic" => Some(End::Panicked("a secret of the host".into())),
            "panic" => panic!("a fake guest was told to panic"),
            other => panic!("no such step: {other}"),
        };
        if let Some(end) = ended {
            return end;
        }
    }
    End::Returned("{}".into())
}

fn raw(request: &Value) -> RawRequest {
    let text = |key: &str| request.get(key).map_or_else(|| "{}".into(), Value::to_string);
    RawRequest {
        agent: request["agent"].as_str().unwrap().into(),
        goal: request["goal"].as_str().unwrap_or("a goal").into(),
        context: text("context"),
        options: text("options"),
    }
}

fn told(outcomes: &[RawOutcome]) -> Value {
    let told: Vec<Value> = outcomes
        .iter()
        .map(|outcome| json!([outcome.agent, outcome.status, outcome.error.as_ref().map(|error| error.code.clone())]))
        .collect();
    json!({ "told": told })
}

/// `wait {ms}` answers after that long; `never` does not. What `reply` or `error` of a call says is what it answers.
struct Waits;

impl ToolProvider for Waits {
    fn specs(&self) -> Vec<ToolSpec> {
        ["wait", "model", "sleep"]
            .map(|name| ToolSpec { name: name.into(), description: String::new(), input_schema: json!({}) })
            .into()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        let delay = call.arguments.get("ms").and_then(Value::as_u64).map_or(Duration::MAX, Duration::from_millis);
        let delay = if call.name == "model" && call.arguments.get("ms").is_none() { Duration::ZERO } else { delay };
        let reply = call.arguments.get("reply").map_or_else(|| r#"{"text":"hm"}"#.into(), Value::to_string);
        let result = match call.arguments.get("error").and_then(Value::as_str) {
            Some(code) => Err(AgentError { code: code.into(), message: "as told".into(), details: json!({}) }),
            None => Ok(reply),
        };
        Box::pin(async move { Reply { result, delay } })
    }
}

/// Counts the versions of a name, put there by `artifact_put {name}` or by the run itself; the name `full` is refused.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<HashMap<String, u64>>>);

impl Shelf {
    fn put(&self, name: &str, text: &str) -> Result<Artifact, AgentError> {
        if name == "full" {
            return Err(AgentError { code: "too_large".into(), message: "no room".into(), details: json!({}) });
        }
        let mut versions = self.0.lock().unwrap();
        let version = *versions.entry(name.to_owned()).and_modify(|version| *version += 1).or_insert(1);
        let (bytes, lines) = (text.len() as u64, text.lines().count() as u64);
        let reference = ArtifactRef { name: name.into(), version };
        Ok(Artifact { reference, sha256: "0".repeat(64), bytes, lines, is_new: true })
    }
}

impl ArtifactStore for Shelf {
    fn keep(&self, new: NewArtifact) -> BoxFuture<'_, Result<Artifact, AgentError>> {
        Box::pin(async move { self.put(&new.name, &new.text) })
    }

    fn knows(&self, reference: &ArtifactRef) -> bool {
        self.0.lock().unwrap().get(&reference.name).is_some_and(|versions| reference.version <= *versions)
    }

    fn figures(&self) -> ArtifactFigures {
        ArtifactFigures::default()
    }
}

impl ToolProvider for Shelf {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec { name: "artifact_put".into(), description: String::new(), input_schema: json!({}) }]
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let (name, text) =
                (call.arguments["name"].as_str().unwrap(), call.arguments["text"].as_str().unwrap_or(""));
            let Artifact { reference, sha256, bytes, .. } = match self.put(name, text) {
                Ok(artifact) => artifact,
                Err(error) => return Reply::now(Err(error)),
            };
            let stored = json!({
                "ref": reference.to_string(), "name": reference.name, "version": reference.version, "bytes": bytes,
                "sha256": sha256,
            });
            Reply::now(Ok(stored.to_string()))
        })
    }
}

/// Reads planned tasks as far as these tests need it; the real one has its tests where it is.
struct FakeReader;

impl TaskReader for FakeReader {
    fn read(&self, output: &Value, _accepted: &[&str]) -> Result<Vec<TaskSpec>, Vec<String>> {
        let tasks =
            output["tasks"].as_array().ok_or("the key `tasks` is missing".to_owned()).map_err(|why| vec![why])?;
        let read = |(index, item): (usize, &Value)| {
            let text = |key: &str| item[key].as_str().map(str::to_owned).ok_or(format!("tasks[{index}] has no {key}"));
            let review = item["review"].as_str().map(|agent| ReviewSpec { agent: agent.into(), max_returns: 1 });
            let mut task = task(&text("id")?, &text("agent")?, RequestOptions::default());
            task.context = item.get("context").cloned().unwrap_or_else(|| json!({}));
            let ids = |key: &str| {
                let ids = item[key].as_array().into_iter().flatten();
                ids.map(|id| id.as_str().unwrap().to_owned()).collect::<Vec<_>>()
            };
            Ok(TaskSpec { review, needs: ids("needs"), needs_optional: ids("needs_optional"), ..task })
        };
        tasks.iter().enumerate().map(read).collect::<Result<_, String>>().map_err(|why| vec![why])
    }
}

#[derive(Clone, Default)]
pub(crate) struct Memory(pub(crate) Arc<Mutex<Vec<Value>>>);

impl EventSink for Memory {
    fn write(&mut self, seq: u64, event: &Event) -> std::io::Result<()> {
        self.0.lock().unwrap().push(event.to_json(seq));
        Ok(())
    }
}

pub(crate) struct Finished {
    pub(crate) record: RunRecord,
    pub(crate) events: Vec<Value>,
}

impl Finished {
    pub(crate) fn count(&self, kind: &str) -> u64 {
        self.record.events.get(kind).copied().unwrap_or_default()
    }

    pub(crate) fn statuses(&self) -> Vec<(String, &'static str)> {
        self.record.outcomes.iter().map(|o| (o.task.task_id.to_string(), o.status.name())).collect()
    }
}

/// A run to be: agents by name, a plan around them.
pub(crate) struct Fake {
    pub(crate) plan: Plan,
    agents: HashMap<String, AgentCode>,
    pub(crate) seats: u64,
    pub(crate) workers: usize,
    pub(crate) pace: Pace,
    pub(crate) interrupt: Interrupt,
    /// Of the agents added from now on.
    pub(crate) footprint: Footprint,
    pub(crate) large_seats: Option<u64>,
}

pub(crate) fn task(id: &str, agent: &str, options: RequestOptions) -> TaskSpec {
    TaskSpec {
        id: id.into(),
        agent: agent.into(),
        goal: format!("goal of {id}"),
        context: json!({}),
        options,
        review: None,
        needs: Vec::new(),
        needs_optional: Vec::new(),
        retry: RetrySpec::default(),
    }
}

impl Fake {
    pub(crate) fn root(agent: &str) -> Self {
        Self::shaped(Shape::Root(Box::new(task("root", agent, RequestOptions::default()))))
    }

    pub(crate) fn tasks(tasks: Vec<TaskSpec>) -> Self {
        Self::shaped(Shape::Tasks(tasks))
    }

    pub(crate) fn planner(agent: &str, max_replans: u32) -> Self {
        let task = task("planner", agent, RequestOptions::default());
        Self::shaped(Shape::Planner(Box::new(PlannerSpec { task, max_replans })))
    }

    fn shaped(shape: Shape) -> Self {
        Self {
            plan: Plan {
                name: "fake".into(),
                goal: "a goal".into(),
                is_virtual: true,
                rules: Vec::new(),
                shared: serde_json::Map::new(),
                agents: Vec::new(),
                workspace: None,
                tools: Vec::new(),
                models: None,
                limits: RunLimits::default(),
                shape,
            },
            agents: HashMap::new(),
            seats: 1024,
            workers: 1,
            pace: Pace::Virtual,
            interrupt: Interrupt::new(),
            footprint: Footprint::Small,
            large_seats: None,
        }
    }

    /// Agents added from now on are language guests.
    pub(crate) fn large(mut self) -> Self {
        self.footprint = Footprint::Large;
        self
    }

    pub(crate) fn agent(mut self, name: &str, spawn: &[&str], steps: Value) -> Self {
        self.plan.agents.push(AgentEntry {
            name: name.into(),
            source: AgentSource::Component("fake".into()),
            role: String::new(),
            description: String::new(),
            tools: Some(vec!["wait".into()]),
            delegate: Vec::new(),
            spawn: spawn.iter().map(|&s| s.into()).collect(),
            output_schema: None,
            budget: Ask::default(),
            timeout: None,
            cover: None,
            wasi_denied: false,
        });
        let code = AgentCode {
            component: steps.to_string().into_bytes().into(),
            manifest_tools: None,
            footprint: self.footprint,
        };
        self.agents.insert(name.into(), code);
        self
    }

    /// Every agent so far may also call this tool.
    pub(crate) fn granted(mut self, tool: &str) -> Self {
        for entry in &mut self.plan.agents {
            entry.tools.iter_mut().for_each(|tools| tools.push(tool.into()));
        }
        self
    }

    pub(crate) fn limits(mut self, set: impl FnOnce(&mut RunLimits)) -> Self {
        set(&mut self.plan.limits);
        self
    }

    pub(crate) fn real(mut self) -> Self {
        self.pace = Pace::Real;
        self
    }

    /// What the plan's forks may do, without running it.
    pub(crate) fn explain(&self) -> Vec<Explained> {
        let specs = ["wait", "model", "sleep", "budget", "fork_subagents"];
        let spec = |name: &str| ToolSpec { name: name.into(), description: String::new(), input_schema: json!({}) };
        let specs = specs.map(spec).into();
        explain(ExplainInput { plan: Arc::new(self.plan.clone()), agents: self.agents.clone(), specs }).unwrap()
    }

    pub(crate) fn run(&self) -> Finished {
        let memory = Memory::default();
        let id = RunId { name: "fake".into(), id: "fake".into() };
        let own = ["budget", "fork_subagents"].map(|name| ToolSpec {
            name: name.into(),
            description: String::new(),
            input_schema: json!({}),
        });
        let seats = Seats::new(self.seats);
        if let Some(large) = self.large_seats {
            seats.hold_large_to(large);
        }
        let shelf = Shelf::default();
        let input = RunInput {
            plan: Arc::new(self.plan.clone()),
            run: id,
            agents: self.agents.clone(),
            tools: vec![Arc::new(Waits), Arc::new(shelf.clone())],
            specs: own.into(),
            task_reader: Arc::new(FakeReader),
            runtime: Arc::new(FakeRuntime),
            seats,
            pace: self.pace,
            serial: false,
            sinks: vec![Box::new(memory.clone())],
            transcript: None,
            artifacts: Some(Arc::new(shelf)),
            interrupt: self.interrupt.clone(),
        };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(self.workers).enable_time().build().unwrap();
        let record = runtime.block_on(async { tokio::spawn(run(input)).await.unwrap() }).expect("the host holds");
        let events = memory.0.lock().unwrap().clone();
        assert!(record.usage.is_ledger_whole, "the ledger is whole after {:?}", record.status);
        Finished { record, events }
    }
}
