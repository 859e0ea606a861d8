//! One guest tried: loaded if it can be, run if it was, and looked at afterwards. Says what promise was broken, if one was.

use sandfork_model::port::{
    Allowance, Answered, BoxFuture, End, Halt, Leash, LoadOptions, Meter, Port, RawError, RawOutcome, RawRequest,
    Runtime,
};
use sandfork_sandbox::{LoadLimits, PoolLimits, Sandboxes};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Fuel of every guest. Enough for most to end by themselves.
const FUEL: u64 = 300_000;
/// Memory of every guest.
const MEMORY_BYTES: u64 = 8 << 20;
/// Bytes of every output.
const OUTPUT_BYTES: u64 = 1 << 20;

/// Answers at once, with little. A call beyond the tank must never arrive.
struct Dull;

impl Dull {
    fn leash(meter: Meter) -> Leash {
        assert!(meter.fuel_used <= FUEL, "a call was not paid for");
        Leash { fuel_left: FUEL - meter.fuel_used, fuel_to_deadline: None }
    }
}

impl Port for Dull {
    fn note(&self, meter: Meter, _text: String) -> BoxFuture<'_, Result<Leash, Halt>> {
        Box::pin(async move { Ok(Self::leash(meter)) })
    }

    fn spawn(&self, meter: Meter, requests: Vec<RawRequest>, _: String) -> BoxFuture<'_, Answered<Vec<RawOutcome>>> {
        let outcome = |request: RawRequest| RawOutcome {
            task_id: "root/1".into(),
            agent: request.agent,
            status: "ok".into(),
            output: Some(request.context),
            error: None,
            info: "{}".into(),
        };
        Box::pin(async move { Ok((requests.into_iter().map(outcome).collect(), Self::leash(meter))) })
    }

    fn tool(&self, meter: Meter, name: String, _: String) -> BoxFuture<'_, Answered<Result<String, RawError>>> {
        // Some answers are large: writing them is where a guest's `realloc` comes in.
        let answer = format!("[{}]", "1,".repeat(name.len().min(5_000)));
        Box::pin(async move { Ok((Ok(answer), Self::leash(meter))) })
    }
}

/// What came of them.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// Not loaded.
    pub refused: u64,
    /// Loaded and run to an end.
    pub ran: u64,
    /// How those ended.
    pub ends: BTreeMap<&'static str, u64>,
}

/// The trials of one host.
pub struct Trials {
    host: Sandboxes,
    tried: Tried,
}

impl Trials {
    /// With the limits of every host, and few agents kept.
    #[allow(dead_code, reason = "the fuzzer has limits of its own")]
    pub fn new() -> Self {
        Self::within(LoadLimits { kept_agents: 8, ..LoadLimits::default() })
    }

    pub fn within(limits: LoadLimits) -> Self {
        let host = Sandboxes::new(PoolLimits { live_forks: 2 }, limits).expect("room for two");
        let ends = ["returned", "failed", "trapped", "bad_call", "output_too_large", "out_of_fuel"];
        let ends = ends.map(|end| (end, 0)).into();
        Self { host, tried: Tried { ends, ..Tried::default() } }
    }

    pub fn tried(&self) -> Tried {
        self.tried.clone()
    }

    /// Tries one.
    ///
    /// # Errors
    /// The promise that was broken.
    #[allow(dead_code, reason = "the fuzzer says as what it loads")]
    pub async fn run(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        self.run_as(bytes, LoadOptions::default()).await
    }

    /// Tries one, loaded as `options` say.
    ///
    /// # Errors
    /// The promise that was broken.
    pub async fn run_as(&mut self, bytes: Vec<u8>, options: LoadOptions) -> Result<(), String> {
        let agent = match self.host.load_with(bytes.into(), options).await {
            Ok(agent) => agent,
            Err(refused) if refused.message.contains("broke the loader") => return Err(refused.message),
            Err(_) => {
                self.tried.refused += 1;
                return Ok(());
            }
        };
        let allowance = Allowance {
            leash: Leash { fuel_left: FUEL, fuel_to_deadline: None },
            memory_bytes: MEMORY_BYTES,
            memory_in_use: Arc::default(),
            memory_total_bytes: MEMORY_BYTES,
            output_bytes: OUTPUT_BYTES,
        };
        let in_use = Arc::clone(&allowance.memory_in_use);
        let ended =
            agent.run("{\"goal\":\"g\"}".into(), allowance, Arc::new(Dull), Box::pin(std::future::pending())).await;
        let end = match &ended.end {
            End::Returned(text) if text.len() > 1 << 20 => return Err(format!("an output of {} bytes", text.len())),
            End::Returned(_) => "returned",
            End::Failed(_) => "failed",
            End::Trapped(_) => "trapped",
            End::BadCall(_) => "bad_call",
            End::OutputTooLarge { .. } => "output_too_large",
            End::OutOfFuel => "out_of_fuel",
            End::MissingExport(_)
            | End::DeadlineFuel
            | End::Halted
            | End::Stopped
            | End::Panicked(_)
            | End::Broken(_) => {
                return Err(format!("ended as no guest can: {ended:?}"));
            }
        };
        *self.tried.ends.entry(end).or_default() += 1;
        self.tried.ran += 1;
        let promises = [
            (ended.fuel_used <= FUEL, "it used more than its tank"),
            (ended.peak_memory_bytes <= MEMORY_BYTES, "it held more memory than it may"),
            (in_use.load(Ordering::SeqCst) == 0, "the run did not get its memory back"),
            (self.host.sandboxes_live() == 0, "its sandbox lives on"),
        ];
        match promises.iter().find(|(is_kept, _)| !is_kept) {
            Some((_, broken)) => Err(format!("{broken}: {ended:?}")),
            None => Ok(()),
        }
    }
}
