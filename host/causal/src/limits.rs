//! Every bound of an ingest, with its unit and its reason. Whoever floods meets one of them and is told which.

/// The longest of the names in an envelope (ids, keys, types, references), in bytes.
pub(crate) const NAME_BYTES: usize = 256;
/// The most artifact references of one event.
pub(crate) const EVENT_REFS: usize = 256;

/// References kept by name in one task; more are counted nowhere.
pub(crate) const TASK_REFS: usize = 1024;
/// References kept by name in one state: some 40 MiB of the longest.
pub(crate) const STATE_REFS: usize = 131_072;
/// Tasks of one state; each costs two names. Only refused requests can make as many, since they have no thread.
pub(crate) const STATE_TASKS: usize = 131_072;

/// What one ingest may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Agent threads. Each costs three names.
    pub threads: usize,
    /// Events that wait for others, over all threads.
    pub held_events: usize,
    /// What those weigh, in bytes of their lines.
    pub held_bytes: u64,
    /// Events remembered so that a second copy is known; each costs about 100 bytes.
    pub known_events: usize,
}

impl Default for Limits {
    /// 16 384 threads, 65 536 held events of 64 MiB, 1 048 576 known ones: some 200 MiB at the very most.
    fn default() -> Self {
        Self { threads: 16_384, held_events: 65_536, held_bytes: 64 << 20, known_events: 1 << 20 }
    }
}
