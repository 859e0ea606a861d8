//! What an author of a Rust agent writes against: a [`Task`] comes in, a [`Context`] answers, a [`Json`] or a [`Failure`] goes
//! out. Knows the guest interface and nothing else: there is no clock, no randomness, no file and no network in an agent.
//!
//! ```
//! use sandfork_guest::{Agent, Context, Failure, Json, Task, json};
//!
//! struct Reader;
//!
//! impl Agent for Reader {
//!     fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
//!         let path = task.need_text("path")?;
//!         host.note(format!("reading {path}"));
//!         let file = host.tool("read_file", &json!({ "path": path }))?;
//!         Ok(json!({ "reply": task.goal, "bytes": file["bytes"] }))
//!     }
//! }
//!
//! sandfork_guest::export!(Reader);
//!
//! // The same code, natively, against a host that answers what the test says:
//! use sandfork_guest::fake::FakeHost;
//! let run = FakeHost::new()
//!     .tool("read_file", |_| Ok(json!({ "text": "milk", "bytes": 4 })))
//!     .run::<Reader>(Task::new("What is on the list?").context(json!({ "path": "todo.txt" })));
//! assert_eq!(run.result, Ok(json!({ "reply": "What is on the list?", "bytes": 4 })));
//! assert_eq!(run.notes, ["reading todo.txt"]);
//! ```

mod budget;
mod context;
mod failure;
#[cfg(not(target_arch = "wasm32"))]
pub mod fake;
mod fields;
mod model;
mod outcome;
mod outcomes;
mod port;
mod request;
mod status;
mod task;
mod tool_error;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod wasm;

pub use budget::{BudgetLeft, Left, RunLevel};
pub use context::Context;
pub use failure::Failure;
pub use model::{ModelAnswer, ModelCall, Usage};
pub use outcome::{ChildError, Info, Outcome};
pub use outcomes::Outcomes;
pub use request::{OnFailure, Request};
pub use status::Status;
pub use task::{Budget, Message, Task, Tool};
pub use tool_error::ToolError;

pub use serde_json;
/// Any JSON value. Objects keep the order of their keys, numbers the text they were written in.
pub use serde_json::Value as Json;
pub use serde_json::json;

/// An agent: one function from a task and a host's answers to an output. Implement it for a type of your own (never called
/// `Guest`) and hand that type to [`export!`].
pub trait Agent {
    /// Does the task.
    ///
    /// # Errors
    /// Whatever ends the work: `?` turns a [`ToolError`], a [`ChildError`] and any [`std::error::Error`] into a [`Failure`].
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure>;
}

/// Makes a type that implements [`Agent`] the one that this component runs. Once per crate. Outside a sandbox, as in
/// `cargo test`, it only checks that the type is an agent.
#[macro_export]
macro_rules! export {
    ($agent:ty) => {
        const _: () = {
            const fn is_an_agent<A: $crate::Agent>() {}
            is_an_agent::<$agent>();
        };
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Exported = $crate::wasm::Exported<$agent>;
    $crate::wasm::bindings::export_agent!(Exported with_types_in $crate::wasm::bindings);
        };
    };
}
