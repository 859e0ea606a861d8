//! The three functions of the interface with their types, as text: what stands behind a [`crate::Context`], be it the
//! orchestrator or a fake.

/// The way out of an agent.
pub(crate) trait Port {
    /// Appends to the fork's notebook.
    fn note(&mut self, text: &str);
    /// Calls a tool; arguments and answer are JSON text.
    fn tool(&mut self, name: &str, arguments: &str) -> Result<String, RawError>;
    /// Starts all requests and waits; outcomes in the order of the requests.
    fn spawn(&mut self, requests: Vec<RawRequest>, options: &str) -> Vec<RawOutcome>;
}

/// The interface's `error`: details are JSON text.
pub(crate) struct RawError {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) details: String,
}

/// The interface's `request`: context and options are JSON text.
pub(crate) struct RawRequest {
    pub(crate) agent: String,
    pub(crate) goal: String,
    pub(crate) context: String,
    pub(crate) options: String,
}

/// The interface's `outcome`: output and info are JSON text.
pub(crate) struct RawOutcome {
    pub(crate) task_id: String,
    pub(crate) agent: String,
    pub(crate) status: String,
    pub(crate) output: Option<String>,
    pub(crate) error: Option<RawError>,
    pub(crate) info: String,
}
