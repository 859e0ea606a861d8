//! A call as a test makes it. Knows no provider.

use sandfork_model::{AgentError, Reply, RunId, TaskRef, ToolCall, ToolProvider};
use serde_json::Value;
use std::sync::Arc;

/// A call by a fork of no importance.
pub(crate) fn call(tool: &str, arguments: Value) -> ToolCall {
    let run = RunId { name: "test".into(), id: "test".into() };
    ToolCall {
        task: Arc::new(TaskRef::top(&run, "root", "lead", 0)),
        name: tool.into(),
        arguments,
        nth: 0,
        event: None,
    }
}

/// The whole reply to one call.
pub(crate) fn reply(provider: &dyn ToolProvider, tool: &str, arguments: Value) -> Reply {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(provider.call(call(tool, arguments)))
}

/// The answer to one call, its text read as JSON.
pub(crate) fn answer(provider: &dyn ToolProvider, tool: &str, arguments: Value) -> Result<Value, AgentError> {
    reply(provider, tool, arguments).result.map(|text| serde_json::from_str(&text).expect("a JSON answer"))
}

/// The code of a call that must be refused.
pub(crate) fn code(provider: &dyn ToolProvider, tool: &str, arguments: Value) -> String {
    let error = answer(provider, tool, arguments).expect_err("a refusal");
    assert!(error.details.is_object() && !error.message.is_empty(), "{error:?}");
    error.code
}
