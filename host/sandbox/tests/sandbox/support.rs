//! What the suites share: a port that answers from closures and remembers, guests by name, and generous allowances.

use sandfork_model::port::{
    Agent, Allowance, Answered, BoxFuture, End, Ended, Halt, Leash, Meter, Port, RawError, RawOutcome, RawRequest,
    Runtime, Stop, Unloadable,
};
use sandfork_sandbox::{LoadLimits, PoolLimits, Sandboxes};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

/// One crossing, as the port saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Note(String),
    Spawn(Vec<RawRequest>, String),
    Tool(String, String),
}

/// What the port does with a tool call.
pub type Answer = Box<dyn Fn(&str) -> BoxFuture<'static, Result<Result<String, RawError>, Halt>> + Send + Sync>;
/// The leash after so many calls and so much fuel.
pub type NextLeash = Box<dyn Fn(Meter) -> Leash + Send + Sync>;

/// A port that answers at once, remembers every call, and leaves the fork what its budget has.
pub struct FakePort {
    pub calls: Mutex<Vec<Call>>,
    pub meters: Mutex<Vec<u64>>,
    pub count: AtomicU64,
    pub answer: Answer,
    pub next: NextLeash,
}

impl FakePort {
    /// Lets the fork go on with what is left of `fuel`.
    pub fn with_budget(fuel: u64) -> Self {
        let answer = |_: &str| -> BoxFuture<'static, _> { Box::pin(async { Ok(Ok("[1]".to_owned())) }) };
        Self {
            calls: Mutex::default(),
            meters: Mutex::default(),
            count: AtomicU64::new(0),
            answer: Box::new(answer),
            next: Box::new(move |meter| leash(fuel.saturating_sub(meter.fuel_used))),
        }
    }

    pub fn answering(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// How often the port was called.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    fn record(&self, meter: Meter, call: Call) -> Leash {
        // Floods are counted, not kept.
        if self.count.fetch_add(1, Ordering::SeqCst) < 100 {
            self.calls.lock().unwrap().push(call);
            self.meters.lock().unwrap().push(meter.fuel_used);
        }
        (self.next)(meter)
    }
}

impl Port for FakePort {
    fn note(&self, meter: Meter, text: String) -> BoxFuture<'_, Result<Leash, Halt>> {
        let leash = self.record(meter, Call::Note(text));
        Box::pin(async move { Ok(leash) })
    }

    fn spawn(
        &self,
        meter: Meter,
        requests: Vec<RawRequest>,
        options: String,
    ) -> BoxFuture<'_, Answered<Vec<RawOutcome>>> {
        let outcomes = requests.iter().map(outcome).collect();
        let leash = self.record(meter, Call::Spawn(requests, options));
        Box::pin(async move { Ok((outcomes, leash)) })
    }

    fn tool(&self, meter: Meter, name: String, arguments: String) -> BoxFuture<'_, Answered<Result<String, RawError>>> {
        let answer = (self.answer)(&name);
        let leash = self.record(meter, Call::Tool(name, arguments));
        Box::pin(async move { Ok((answer.await?, leash)) })
    }
}

fn outcome(request: &RawRequest) -> RawOutcome {
    RawOutcome {
        task_id: "root/1".into(),
        agent: request.agent.clone(),
        status: "ok".into(),
        output: Some(request.context.clone()),
        error: None,
        info: "{}".into(),
    }
}

pub fn leash(fuel_left: u64) -> Leash {
    Leash { fuel_left, fuel_to_deadline: None }
}

/// The defaults of DESIGN.md, with this much fuel.
pub fn allowance(fuel: u64) -> Allowance {
    Allowance {
        leash: leash(fuel),
        memory_bytes: 64 << 20,
        memory_in_use: Arc::default(),
        memory_total_bytes: 4 << 30,
        output_bytes: 1 << 20,
    }
}

/// One host for all suites: what it reserves is reserved once.
pub fn host() -> &'static Sandboxes {
    static HOST: LazyLock<Sandboxes> = LazyLock::new(|| small_host(64));
    &HOST
}

pub fn small_host(live_forks: u32) -> Sandboxes {
    Sandboxes::new(PoolLimits { live_forks }, LoadLimits::default()).expect("the machine has room")
}

pub fn guests_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/guests")
}

/// The bytes of a guest of `fixtures/guests`.
pub fn guest(name: &str) -> Arc<[u8]> {
    let path = guests_dir().join(format!("{name}.wat"));
    let bytes = wat::parse_file(&path).unwrap_or_else(|error| panic!("{error}"));
    bytes.into()
}

/// A guest with a part of its text replaced; the part must be there.
pub fn guest_with(name: &str, from: &str, to: &str) -> Arc<[u8]> {
    let text = std::fs::read_to_string(guests_dir().join(format!("{name}.wat"))).unwrap();
    assert!(text.contains(from), "{name} has no `{from}`");
    wat::parse_str(text.replace(from, to)).unwrap_or_else(|error| panic!("{error}")).into()
}

pub async fn load(name: &str) -> Result<Arc<dyn Agent>, Unloadable> {
    host().load(guest(name)).await
}

/// Never resolves.
pub fn never() -> Stop {
    Box::pin(std::future::pending())
}

/// Runs a guest with this much fuel against a port that answers at once.
pub async fn run(name: &str, fuel: u64) -> Ended {
    run_with(name, allowance(fuel), Arc::new(FakePort::with_budget(fuel))).await
}

pub async fn run_with(name: &str, allowance: Allowance, port: Arc<FakePort>) -> Ended {
    let agent = load(name).await.unwrap_or_else(|error| panic!("{name}: {}", error.message));
    agent.run("\"a task\"".into(), allowance, port, never()).await
}

pub fn returned(text: &str) -> End {
    End::Returned(text.to_owned())
}
