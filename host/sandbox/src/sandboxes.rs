//! The room's front: bytes to agents, each compiled once. Knows the two engines, keeps what was loaded, and counts sandboxes.

use crate::bounds::{LoadLimits, refuse};
use crate::cache::{CodeCache, hash};
use crate::engine::Profile;
use crate::load::{self, Shop};
use crate::pool::{EngineError, PoolLimits};
use crate::run::LoadedAgent;
use crate::scan::scan;
use crate::slots::{Census, Slots};
use crate::stored::Stored;
use crate::{imports, link, machine, pool, prices, wasi};
use sandfork_model::Digest;
use sandfork_model::port::{Agent, BoxFuture, Footprint, LoadOptions, Runtime, Unloadable};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::{OnceCell, Semaphore};
use wasmtime::Engine;

/// What fuel figures rest on besides the price table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineVersions {
    /// Version of the engine.
    pub wasmtime: &'static str,
    /// Version of this room.
    pub sandfork: &'static str,
}

type Flight = Arc<OnceCell<Result<LoadedAgent, Unloadable>>>;
/// The sha256 of a component, and as what it is loaded.
type Wanted = ([u8; 32], LoadOptions);

/// Sandboxes of one host. Cheap to share, never to be made twice: each reserves its pools.
pub struct Sandboxes {
    shared: Arc<Shared>,
}

struct Shared {
    guests: u32,
    load: LoadLimits,
    cache: Option<CodeCache>,
    census: Arc<Census>,
    tight: Shop,
    /// Made when the first language guest is loaded: hosts that only run scripts never reserve it.
    wide: OnceLock<Result<Shop, String>>,
    kept: Mutex<Kept>,
    compiling: Arc<Semaphore>,
    compiled: AtomicU64,
}

/// Loaded agents by the sha256 of their bytes, oldest first out.
#[derive(Default)]
struct Kept {
    flights: HashMap<Wanted, Flight>,
    order: VecDeque<Wanted>,
}

impl Sandboxes {
    /// Starts the engine for scripts and reserves its pool.
    ///
    /// # Errors
    /// When no sandbox fits on this machine, or none was asked for.
    pub fn new(pool: PoolLimits, load: LoadLimits) -> Result<Self, EngineError> {
        Self::with_cache(pool, load, None)
    }

    /// As [`Self::new`]; compiled code is looked for in `cache` first, and kept there.
    ///
    /// # Errors
    /// As [`Self::new`]: a cache that cannot be used is none.
    pub fn with_cache(pool: PoolLimits, load: LoadLimits, cache: Option<CodeCache>) -> Result<Self, EngineError> {
        // Both pools share what the kernel allows one process, and slots keep their mappings: what language guests will need is
        // set aside before the first of them is loaded.
        let mappings = machine::free_mappings();
        let guests = pool::live_guests(pool.live_forks, mappings);
        let kept = Profile::Wide.share().mappings().saturating_mul(guests.into());
        let (engine, forks) = Profile::Tight.start(pool.live_forks, mappings.saturating_sub(kept))?;
        let census = Arc::<Census>::default();
        let tight = shop(engine, forks, pool.live_forks, &census)?;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let shared = Shared {
            guests,
            load,
            cache,
            census,
            tight,
            wide: OnceLock::new(),
            kept: Mutex::default(),
            compiling: Arc::new(Semaphore::new(threads)),
            compiled: AtomicU64::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Sandboxes that may be alive at one time: what was asked for, or what this machine has room for.
    #[must_use]
    pub fn live_capacity(&self) -> u64 {
        self.shared.tight.slots.capacity()
    }

    /// Sandboxes of this footprint that may be alive at one time. Makes the pool of the large ones if there is none yet: only
    /// then is it known how many of them this machine has room for. Blocks; for hosts that run language guests at all.
    #[must_use]
    pub fn capacity(&self, footprint: Footprint) -> u64 {
        let guests = || self.shared.guests.into();
        match footprint {
            Footprint::Small => self.live_capacity(),
            // A pool that cannot be made fails the loading of its agents, in words: the gate need not speak for it.
            Footprint::Large => self.shared.shop(Profile::Wide).map_or_else(|_| guests(), |shop| shop.slots.capacity()),
        }
    }

    /// Sandboxes ever made.
    #[must_use]
    pub fn sandboxes_created(&self) -> u64 {
        self.shared.census.created()
    }

    /// Sandboxes alive now.
    #[must_use]
    pub fn sandboxes_live(&self) -> u64 {
        self.shared.census.live()
    }

    /// Components that were handed to the compiler; one that was loaded before is not.
    #[must_use]
    pub fn components_compiled(&self) -> u64 {
        self.shared.compiled.load(Ordering::Acquire)
    }

    /// The sha256 of everything fuel is charged for and by.
    #[must_use]
    pub fn price_table_digest(&self) -> Digest {
        prices::digest()
    }

    /// The versions for reports.
    #[must_use]
    pub fn engine_versions(&self) -> EngineVersions {
        EngineVersions { wasmtime: prices::WASMTIME_VERSION, sandfork: env!("CARGO_PKG_VERSION") }
    }

    async fn load_once(&self, bytes: Arc<[u8]>, options: LoadOptions) -> Result<Arc<dyn Agent>, Unloadable> {
        // Hashing is work too: a component has up to 64 MiB.
        let hashed = Arc::clone(&bytes);
        let digest = blocking(move || hash(&[&hashed])).await?;
        let wanted = (digest, options);
        let flight = self.shared.flight(wanted);
        let shared = &self.shared;
        let loaded = flight.get_or_init(|| shared.land(bytes, wanted)).await.clone();
        if loaded.is_err() {
            shared.forget(wanted, &flight);
        }
        loaded.map(|agent| -> Arc<dyn Agent> { Arc::new(agent) })
    }
}

impl Runtime for Sandboxes {
    fn load(&self, component: Arc<[u8]>) -> BoxFuture<'_, Result<Arc<dyn Agent>, Unloadable>> {
        Box::pin(self.load_once(component, LoadOptions::default()))
    }

    fn load_with(
        &self,
        component: Arc<[u8]>,
        options: LoadOptions,
    ) -> BoxFuture<'_, Result<Arc<dyn Agent>, Unloadable>> {
        Box::pin(self.load_once(component, options))
    }
}

impl Shared {
    /// The flight of this digest: the one that is under way or has landed, or a new one.
    fn flight(&self, wanted: Wanted) -> Flight {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = kept.flights.get(&wanted) {
            return Arc::clone(flight);
        }
        while kept.order.len() >= self.load.kept_agents.max(1) {
            if let Some(oldest) = kept.order.pop_front() {
                kept.flights.remove(&oldest);
            }
        }
        let flight = Flight::default();
        kept.order.push_back(wanted);
        kept.flights.insert(wanted, Arc::clone(&flight));
        flight
    }

    /// Refusals are not kept: they are quick to find again, and memory is for agents.
    fn forget(&self, wanted: Wanted, flight: &Flight) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.flights.get(&wanted).is_some_and(|there| Arc::ptr_eq(there, flight)) {
            kept.flights.remove(&wanted);
            kept.order.retain(|there| *there != wanted);
        }
    }

    /// Scans, compiles and links on a blocking thread, with no more of them compiling than there are processors. The permit
    /// travels with the work: a waiter that goes away does not make room for more.
    async fn land(self: &Arc<Self>, bytes: Arc<[u8]>, wanted: Wanted) -> Result<LoadedAgent, Unloadable> {
        let permit = Arc::clone(&self.compiling).acquire_owned().await;
        let shared = Arc::clone(self);
        blocking(move || {
            let _permit = permit;
            shared.build(&bytes, wanted)
        })
        .await?
    }

    fn build(&self, bytes: &[u8], (digest, options): Wanted) -> Result<LoadedAgent, Unloadable> {
        let stored = self.cache.as_ref().map(|cache| Stored::new(cache, digest, options, &self.load));
        let found = stored.as_ref().and_then(|stored| stored.find(|profile| self.shop(profile).ok()));
        if let Some((component, facts)) = found {
            tracing::debug!(profile = ?facts.profile, "compiled code was kept");
            return load::link(&component, facts, options, self.shop(facts.profile)?);
        }
        let anatomy = scan(bytes, &self.load)?;
        imports::check(&anatomy, options)?;
        let facts = load::facts(&anatomy);
        load::is_compilable(&anatomy, facts.profile, &self.load)?;
        let shop = self.shop(facts.profile)?;
        self.compiled.fetch_add(1, Ordering::AcqRel);
        let component = load::compile(bytes, shop)?;
        let agent = load::link(&component, facts, options, shop)?;
        // Only what can be run is worth keeping.
        if let Some(stored) = stored {
            stored.keep(&component, facts, shop);
        }
        Ok(agent)
    }

    fn shop(&self, profile: Profile) -> Result<&Shop, Unloadable> {
        match profile {
            Profile::Tight => Ok(&self.tight),
            Profile::Wide => {
                let made = self.wide.get_or_init(|| self.wide_shop().map_err(|error| error.to_string()));
                made.as_ref().map_err(|error| refuse(error.clone(), None))
            }
        }
    }

    fn wide_shop(&self) -> Result<Shop, EngineError> {
        // The mappings they need were set aside at the start.
        let (engine, forks) = Profile::Wide.start(self.guests, u64::MAX)?;
        shop(engine, forks, self.guests, &self.census)
    }
}

fn shop(engine: Engine, forks: u32, asked: u32, census: &Arc<Census>) -> Result<Shop, EngineError> {
    let broken = |error: wasmtime::Error| EngineError::Engine(error.root_cause().to_string());
    let linker = link::linker(&engine).map_err(broken)?;
    let mut wasi_linker = linker.clone();
    wasi::add(&mut wasi_linker).map_err(broken)?;
    if forks < asked {
        tracing::warn!(asked, forks, "this machine has room for fewer sandboxes than asked");
    }
    Ok(Shop { engine, linker, wasi_linker, slots: Arc::new(Slots::new(forks.into(), Arc::clone(census))) })
}

/// Runs work that may take long off the async threads. A panic in it is a refusal of these bytes, not the host's end.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unloadable> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        // Where the runtime ends first nobody waits any more, and nothing broke.
        if error.is_panic() {
            tracing::error!(%error, "loading a component broke the loader");
        }
        refuse("the component broke the loader; it is not loaded", Some("please report it with the component"))
    })
}
