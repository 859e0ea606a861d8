//! Tools whose answers stand in the plan: the first rule that fits a call answers it. A rule without an answer never
//! answers; ending the fork that waits for it is the orchestrator's business.

use crate::decimal::is_same;
use sandfork_model::plan::{ScriptedRule, ScriptedTool};
use sandfork_model::{AgentError, BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use serde_json::{Map, Value, json};

/// Answers all scripted tools of one plan.
#[derive(Debug)]
pub struct Scripted {
    tools: Vec<ScriptedTool>,
}

impl Scripted {
    /// The tools as the plan gives them; that no name stands twice is checked where all providers meet.
    #[must_use]
    pub fn new(tools: Vec<ScriptedTool>) -> Self {
        Self { tools }
    }

    fn rule(&self, call: &ToolCall) -> Result<&ScriptedRule, AgentError> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            return Err(AgentError {
                code: "unknown_tool".into(),
                message: format!("no scripted tool `{}`", call.name),
                details: json!({ "tool": call.name }),
            });
        };
        tool.rules.iter().find(|rule| fits(rule.when.as_ref(), &call.arguments)).ok_or_else(|| AgentError {
            code: "no_rule".into(),
            message: format!(
                "tool `{}`: none of its {} rules fits these arguments; add one without `match` to catch the rest",
                tool.name,
                tool.rules.len()
            ),
            details: json!({ "tool": tool.name, "rules": tool.rules.len() }),
        })
    }
}

impl ToolProvider for Scripted {
    fn specs(&self) -> Vec<ToolSpec> {
        self.tools
            .iter()
            .map(|tool| ToolSpec {
                name: tool.name.clone(),
                description: tool.description.clone(),
                input_schema: json!({ "type": "object" }),
            })
            .collect()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        let rule = match self.rule(&call) {
            Ok(rule) => rule,
            Err(error) => return Box::pin(std::future::ready(Reply::now(Err(error)))),
        };
        let Some(answer) = &rule.answer else {
            // Named, not waited for: under virtual time a wait of our own would stop the run's clock.
            return Box::pin(std::future::ready(Reply::never()));
        };
        let result = match answer {
            Ok(value) => Ok(value.to_string()),
            Err(error) => Err(AgentError {
                code: error.code.clone(),
                message: error.message.clone(),
                details: error.details.clone(),
            }),
        };
        Box::pin(std::future::ready(Reply { result, delay: rule.delay }))
    }
}

/// Whether every key of `when` is in the arguments with the same value; more arguments do not matter.
fn fits(when: Option<&Map<String, Value>>, arguments: &Value) -> bool {
    when.is_none_or(|when| {
        when.iter().all(|(key, wanted)| arguments.get(key).is_some_and(|found| is_same(wanted, found)))
    })
}
