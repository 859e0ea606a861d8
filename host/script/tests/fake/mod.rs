//! A host for tests: runs a component, records every call and answers from a closure. Knows nothing of orchestration.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part of the fake host")]

use serde_json::{Value, json};
use std::sync::LazyLock;
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, OptLevel, RegallocAlgorithm, Store};

wasmtime::component::bindgen!({ path: "../../wit", world: "agent" });

use sandfork::agent::orchestrator::{Host, Outcome, Request};

/// One crossing, as the host sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Note(String),
    Tool(String, Value),
    Spawn(Vec<Asked>, Value),
}

/// A request as it arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub agent: String,
    pub goal: String,
    pub context: Value,
    pub options: Value,
}

/// An outcome to answer with.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub task_id: String,
    pub agent: String,
    pub status: String,
    pub output: Option<String>,
    pub error: Option<Failure>,
    pub info: String,
}

/// Code, message, JSON text of details.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub code: String,
    pub message: String,
    pub details: String,
}

impl Failure {
    pub fn new(code: &str, message: &str, details: &str) -> Self {
        Self { code: code.into(), message: message.into(), details: details.into() }
    }
}

/// What tools and agents answer.
pub trait Answers: Send + 'static {
    fn tool(&mut self, name: &str, arguments: &Value) -> Result<String, Failure>;
    fn spawn(&mut self, requests: &[Asked], _options: &Value) -> Vec<Ended> {
        requests.iter().enumerate().map(|(at, request)| ok_outcome(at, &request.agent, "null")).collect()
    }
}

impl<F: FnMut(&str, &Value) -> Result<String, Failure> + Send + 'static> Answers for F {
    fn tool(&mut self, name: &str, arguments: &Value) -> Result<String, Failure> {
        self(name, arguments)
    }
}

pub fn ok_outcome(at: usize, agent: &str, output: &str) -> Ended {
    Ended {
        task_id: format!("root/{}", at + 1),
        agent: agent.into(),
        status: "ok".into(),
        output: Some(output.into()),
        error: None,
        info: "{\"turns\":1}".into(),
    }
}

struct State<A> {
    answers: A,
    calls: Vec<Call>,
}

impl<A: Answers> Host for State<A> {
    fn note(&mut self, text: String) {
        self.calls.push(Call::Note(text));
    }

    fn spawn(&mut self, requests: Vec<Request>, options: String) -> Vec<Outcome> {
        let json = |text: &str| serde_json::from_str(text).expect("what a script sends is JSON");
        let asked: Vec<_> = requests
            .iter()
            .map(|r| Asked {
                agent: r.agent.clone(),
                goal: r.goal.clone(),
                context: json(&r.context),
                options: json(&r.options),
            })
            .collect();
        let options = json(&options);
        self.calls.push(Call::Spawn(asked.clone(), options.clone()));
        self.answers
            .spawn(&asked, &options)
            .into_iter()
            .map(|ended| Outcome {
                task_id: ended.task_id,
                agent: ended.agent,
                status: ended.status,
                output: ended.output,
                error: ended.error.map(|f| Error { code: f.code, message: f.message, details: f.details }),
                info: ended.info,
            })
            .collect()
    }

    fn tool(&mut self, name: String, arguments: String) -> Result<String, Error> {
        let arguments: Value = serde_json::from_str(&arguments).expect("what a script sends is JSON");
        self.calls.push(Call::Tool(name.clone(), arguments.clone()));
        let answer = match (name.as_str(), arguments.get("exhausted")) {
            ("model", Some(_)) => Err(Failure::new("replies_exhausted", "script replies exhausted", "{}")),
            _ => self.answers.tool(&name, &arguments),
        };
        answer.map_err(|f| Error { code: f.code, message: f.message, details: f.details })
    }
}

/// How a run went.
#[derive(Debug)]
pub struct Ran {
    /// `Err(None)` is a trap.
    pub outcome: Result<Value, Option<(String, String, Value)>>,
    /// The output as the guest wrote it.
    pub text: String,
    pub calls: Vec<Call>,
    pub fuel: u64,
    pub memory_bytes: u64,
}

impl Ran {
    /// Calls of tools other than the model.
    pub fn tools(&self) -> Vec<(&str, &Value)> {
        self.calls
            .iter()
            .filter_map(|call| match call {
                Call::Tool(name, arguments) if name != "model" => Some((name.as_str(), arguments)),
                _ => None,
            })
            .collect()
    }

    pub fn models(&self) -> Vec<&Value> {
        self.calls
            .iter()
            .filter_map(|call| match call {
                Call::Tool(name, arguments) if name == "model" => Some(arguments),
                _ => None,
            })
            .collect()
    }

    pub fn notes(&self) -> Vec<&str> {
        self.calls
            .iter()
            .filter_map(|call| match call {
                Call::Note(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    pub fn output(&self) -> &Value {
        self.outcome.as_ref().expect("the run returned")
    }

    pub fn code(&self) -> &str {
        match &self.outcome {
            Err(Some((code, _, _))) => code,
            other => panic!("not an error: {other:?}"),
        }
    }
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut config = Config::new();
    config.consume_fuel(true).cranelift_opt_level(OptLevel::None);
    config.cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
    Engine::new(&config).expect("the engine's settings fit together")
});

/// Runs a component on a task.
pub fn run(component: &[u8], task: &str, answers: impl Answers) -> Ran {
    run_with(component, task, answers, 1 << 30)
}

/// Runs a component on a task with so much fuel.
pub fn run_with<A: Answers>(component: &[u8], task: &str, answers: A, fuel: u64) -> Ran {
    struct Memory(u64);
    impl wasmtime::ResourceLimiter for Memory {
        fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
            self.0 = self.0.max(desired as u64);
            Ok(desired <= 64 << 20)
        }
        fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
            Ok(true)
        }
    }
    let component = Component::new(&ENGINE, component).expect("a compiled script is a component");
    let mut linker = Linker::<(State<A>, Memory)>::new(&ENGINE);
    Agent::add_to_linker::<_, HasState<A>>(&mut linker, |data| &mut data.0).expect("the interface is its own");
    struct HasState<A>(A);
    impl<A: Answers> wasmtime::component::HasData for HasState<A> {
        type Data<'a> = &'a mut State<A>;
    }
    let mut store = Store::new(&ENGINE, (State { answers, calls: Vec::new() }, Memory(0)));
    store.limiter(|data| &mut data.1);
    store.set_fuel(fuel).expect("fuel is on");
    let agent = Agent::instantiate(&mut store, &component, &linker).expect("it imports nothing else");
    let answer = agent.call_run(&mut store, &task.to_owned());
    let (text, outcome) = match answer {
        Ok(Ok(text)) => {
            let value = serde_json::from_str(&text).expect("an output is JSON");
            (text, Ok(value))
        }
        Ok(Err(error)) => {
            let details = serde_json::from_str(&error.details).expect("details are JSON");
            (String::new(), Err(Some((error.code, error.message, details))))
        }
        Err(trap) => (format!("{trap:?}"), Err(None)),
    };
    let fuel = fuel - store.get_fuel().expect("fuel is on");
    let (state, memory) = store.into_data();
    Ran { outcome, text, calls: state.calls, fuel, memory_bytes: memory.0 }
}

/// A script without its head: the turns, as YAML.
pub fn script(turns: &str) -> String {
    format!("agent: tester\ndescription: A script under test.\ntools: [read, write, fetch]\n{turns}")
}

/// Compiles, or panics with the problems.
pub fn compile(source: &str) -> Vec<u8> {
    match sandfork_script::compile("test.yaml", source.as_bytes()) {
        Ok(compiled) => compiled.component,
        Err(problems) => {
            let all: Vec<_> = problems.iter().map(ToString::to_string).collect();
            panic!("{}\n--- in\n{:.2000}", all.join("\n"), source);
        }
    }
}

/// Answers `{}` to everything.
pub fn silent(_: &str, _: &Value) -> Result<String, Failure> {
    Ok("{}".into())
}

/// Echoes the arguments.
pub fn echo(_: &str, arguments: &Value) -> Result<String, Failure> {
    Ok(arguments.to_string())
}

/// A task document with this context.
pub fn task(context: &str) -> String {
    format!("{{\"goal\":\"test\",\"context\":{context}}}")
}

/// Compiles turns, runs them on a task with this context.
pub fn play(turns: &str, context: &str, answers: impl Answers) -> Ran {
    run(&compile(&script(turns)), &task(context), answers)
}

/// What a script returns for one value under `return`.
pub fn returned(value: &str, context: &str) -> Value {
    let ran = play(&format!("turns: [{{ return: {value} }}]"), context, silent);
    match ran.outcome {
        Ok(value) => value,
        Err(Some((code, message, details))) => json!({ "code": code, "message": message, "details": details }),
        Err(None) => panic!("trapped: {}", ran.text),
    }
}
