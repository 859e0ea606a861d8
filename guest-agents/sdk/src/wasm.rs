//! The sandbox's side: the interface's bindings, the entry of a call, and the panic hook. The only file that holds generated
//! code; nothing here decides what an agent does.

use crate::port::{Port, RawError, RawOutcome, RawRequest};
use crate::{Agent, Context, Failure, Task};
use std::marker::PhantomData;
use std::panic::PanicHookInfo;

#[allow(unsafe_code, missing_docs, clippy::all, reason = "generated from the interface")]
pub mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "agent",
        pub_export_macro: true,
        export_macro_name: "export_agent",
    });
}

use bindings::sandfork::agent::orchestrator as host;

/// What `export!` exports: an agent behind the interface's own signature.
pub struct Exported<A>(PhantomData<A>);

impl<A: Agent> bindings::Guest for Exported<A> {
    fn run(task: String) -> Result<String, host::Error> {
        std::panic::set_hook(Box::new(report));
        answer::<A>(&task).map_err(|failure| host::Error {
            code: failure.code,
            message: failure.message,
            details: failure.details.to_string(),
        })
    }
}

fn answer<A: Agent>(task: &str) -> Result<String, Failure> {
    let task = Task::from_text(task)?;
    let mut context = Context::new(Box::new(Orchestrator));
    A::run(&task, &mut context).map(|output| output.to_string())
}

/// Hands a panic to the orchestrator, which ends the fork as failed with its message and place. A host that does not know
/// the tool answers an error; either way the guest aborts behind this hook.
fn report(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("a panic without words");
    let location = panic.location().map(ToString::to_string);
    let arguments = serde_json::json!({ "message": message, "location": location });
    // Nobody is left to read an answer.
    drop(host::tool("panic", &arguments.to_string()));
}

/// The real host, behind the interface's three functions.
struct Orchestrator;

impl Port for Orchestrator {
    fn note(&mut self, text: &str) {
        host::note(text);
    }

    fn tool(&mut self, name: &str, arguments: &str) -> Result<String, RawError> {
        host::tool(name, arguments).map_err(raw)
    }

    fn spawn(&mut self, requests: Vec<RawRequest>, options: &str) -> Vec<RawOutcome> {
        let requests: Vec<host::Request> = requests
            .into_iter()
            .map(|RawRequest { agent, goal, context, options }| host::Request { agent, goal, context, options })
            .collect();
        host::spawn(&requests, options)
            .into_iter()
            .map(|outcome| RawOutcome {
                task_id: outcome.task_id,
                agent: outcome.agent,
                status: outcome.status,
                output: outcome.output,
                error: outcome.error.map(raw),
                info: outcome.info,
            })
            .collect()
    }
}

fn raw(error: host::Error) -> RawError {
    RawError { code: error.code, message: error.message, details: error.details }
}
