//! Bytes in, agent or refusal out; an agent then runs to an end on little fuel. Limits are small, so that one input costs
//! milliseconds: what is looked for are panics, hangs and figures that do not add up, not slow compilation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sandfork_model::port::{
    Allowance, Answered, BoxFuture, Halt, Leash, Meter, Port, RawError, RawOutcome, RawRequest, Runtime,
};
use sandfork_sandbox::{LoadLimits, PoolLimits, Sandboxes};
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const FUEL: u64 = 200_000;

/// Answers everything with the same small word.
struct Dull;

impl Dull {
    fn leash(meter: Meter) -> Leash {
        Leash { fuel_left: FUEL.saturating_sub(meter.fuel_used), fuel_to_deadline: None }
    }
}

impl Port for Dull {
    fn note(&self, meter: Meter, _text: String) -> BoxFuture<'_, Result<Leash, Halt>> {
        Box::pin(async move { Ok(Self::leash(meter)) })
    }

    fn spawn(&self, meter: Meter, _: Vec<RawRequest>, _: String) -> BoxFuture<'_, Answered<Vec<RawOutcome>>> {
        Box::pin(async move { Ok((Vec::new(), Self::leash(meter))) })
    }

    fn tool(&self, meter: Meter, _: String, _: String) -> BoxFuture<'_, Answered<Result<String, RawError>>> {
        Box::pin(async move { Ok((Ok("[1]".to_owned()), Self::leash(meter))) })
    }
}

static HOST: LazyLock<Sandboxes> = LazyLock::new(|| {
    let limits = LoadLimits {
        component_bytes: 64 << 10,
        script_compile: Duration::from_millis(100),
        guest_compile: Duration::from_millis(100),
        kept_agents: 4,
        ..LoadLimits::default()
    };
    Sandboxes::new(PoolLimits { live_forks: 1 }, limits).expect("room for one")
});

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().build().expect("a runtime"));

fuzz_target!(|bytes: &[u8]| {
    RUNTIME.block_on(async {
        let agent = match HOST.load(bytes.into()).await {
            Ok(agent) => agent,
            Err(refused) => {
                assert!(!refused.message.contains("broke the loader"), "{}", refused.message);
                return;
            }
        };
        let allowance = Allowance {
            leash: Leash { fuel_left: FUEL, fuel_to_deadline: None },
            memory_bytes: 8 << 20,
            memory_in_use: Arc::default(),
            memory_total_bytes: 8 << 20,
            output_bytes: 64 << 10,
        };
        let in_use = Arc::clone(&allowance.memory_in_use);
        let ended = agent.run("{}".to_owned(), allowance, Arc::new(Dull), Box::pin(std::future::pending())).await;
        assert!(ended.fuel_used <= FUEL, "{ended:?}");
        assert!(!matches!(ended.end, sandfork_model::port::End::Panicked(_)), "{ended:?}");
        assert!(!matches!(ended.end, sandfork_model::port::End::Broken(_)), "{ended:?}");
        assert_eq!((in_use.load(Ordering::SeqCst), HOST.sandboxes_live()), (0, 0));
    });
});
