//! What is measured besides the outcomes: counted while a run goes on, in plain sums, and worded by the report (GV-51..56).

/// What deliveries of events came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// All of them.
    pub delivered: u64,
    /// Events applied, each once.
    pub applied: u64,
    /// Deliveries that came before what they follow from, and had to wait.
    pub held: u64,
    /// Deliveries of what was there before.
    pub duplicates: u64,
    /// Deliveries of another content under a known id, key or place.
    pub conflicts: u64,
    /// Deliveries that were no event, or met a bound.
    pub refused: u64,
}

/// What events alone tell, counted as they are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Tasks of which a reviewer judged the first attempt.
    pub first_reviews: u64,
    /// Those whose first attempt passed.
    pub first_passes: u64,
    /// Requests refused because a task too much like them was there.
    pub similar_refused: u64,
}

/// How the tasks fared that count: those of the plan, and the forks below that were not done again and lost no race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// The run's own tasks: the root, or those of the plan.
    pub own: u64,
    /// Own tasks that ended ok: where a reviewer stands before them, accepted ones.
    pub own_ok: u64,
    /// Own tasks and all below that count, refused requests among them.
    pub counted: u64,
    /// Those of them that ended ok.
    pub counted_ok: u64,
    /// Own tasks that ended `blocked`: somebody outside has to supply what is missing.
    pub blocked: u64,
}

/// Sums over a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Bytes of the opening messages of all forks.
    pub opening_bytes: u64,
    /// Those of them that another fork of the run had been told before.
    pub repeated_bytes: u64,
    /// How the tasks fared.
    pub tasks: Tasks,
    /// How the log's events came.
    pub deliveries: Deliveries,
    /// What the events tell.
    pub judged: Judged,
}
