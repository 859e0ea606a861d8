//! Every limit of the loop, with its unit and its reason. Host limits stand above all of them.

/// Calls executed of one answer: more is a model gone wrong, not a plan.
pub(crate) const CALLS_PER_ANSWER: usize = 32;
/// Bytes of one answer's text, and of one call's arguments: more than any answer worth reading on.
pub(crate) const SAID_BYTES: usize = 256 << 10;
/// Bytes of a thread from which on old tool results are replaced by references.
pub(crate) const SOFT_BYTES: usize = 64 << 10;
/// Bytes that a thread may never have when it is sent.
pub(crate) const HARD_BYTES: usize = 768 << 10;
/// Messages of a thread from which on the loop converges.
pub(crate) const MESSAGES: usize = 512;
/// Bytes of a text below which replacing it saves nothing.
pub(crate) const WORTH_BYTES: usize = 512;
/// Answers in a row in which nothing could be executed.
pub(crate) const STRIKES: u32 = 3;
/// Nudges over a fork's life; after the last one it converges.
pub(crate) const NUDGES: u32 = 2;
/// Calls looked back on for repetitions, and how many of the same with the same answer are a loop.
pub(crate) const WINDOW: usize = 6;
pub(crate) const REPEATS: usize = 3;
/// Percent of a budget: from here on old results are replaced (GV-34, the first level).
pub(crate) const SAVE_PERCENT: u64 = 60;
/// Percent of a budget: from here on the fork returns what it has (GV-34, the last level).
pub(crate) const CONVERGE_PERCENT: u64 = 95;
/// Bytes of one note about what was replaced.
pub(crate) const NOTE_BYTES: usize = 2 << 10;
/// Fields that a fork may be blocked on, and bytes of one name.
pub(crate) const MISSING_FIELDS: usize = 64;
pub(crate) const FIELD_BYTES: usize = 256;
/// Lists and objects inside one another that an output is held against its schema for; deeper is the host's to judge.
pub(crate) const SCHEMA_DEPTH: u32 = 32;
