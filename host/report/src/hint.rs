//! What to do about an error, by its code. An error without a line here has a message that says enough: advice is given once.

use sandfork_model::AgentError;
use serde_json::Value;
use std::borrow::Cow;

/// One sentence for the person who can change the plan; `None` where the message says it all.
#[must_use]
pub fn hint(error: &AgentError) -> Option<Cow<'static, str>> {
    let detail = |key: &str| error.details.get(key).and_then(Value::as_str);
    Some(Cow::Borrowed(match error.code.as_str() {
        "unknown_subagent" => "add it to `agents` in the plan, or correct the name",
        "children_exceeded" => "raise it with --limit max_children=N",
        "host_full" => "fork fewer at once, or raise --limit max_live=N",
        "out_of_budget" => return out_of_budget(detail("dimension")?),
        "subagent_failed" => match detail("cause")? {
            "exhausted" => {
                "nothing is written for its next turn: end the script with `return`, or add a reply to `models.replies`"
            }
            "schema" => "compare the output with the agent's `output_schema`",
            // Whoever looked at the component knows best what is to be done about it.
            "agent_invalid" | "missing_export" => match detail("hint") {
                Some(hint) => return Some(Cow::Owned(hint.to_owned())),
                None => "look at the component with `sandfork inspect`",
            },
            _ => return None,
        },
        _ => return None,
    }))
}

/// Which key of the plan the limit is.
fn out_of_budget(dimension: &str) -> Option<Cow<'static, str>> {
    Some(match dimension {
        "memory" => "of one agent alone: raise its `budget.memory`".into(),
        "model_calls" => "raise it with --limit model_calls=N".into(),
        "memory_total" | "requests_per_call" => return None,
        dimension => {
            format!("raise `budget.{dimension}` of the agent, or `limits.budget.{dimension}` if the run has no more")
                .into()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(code: &str, details: Value) -> Option<String> {
        hint(&AgentError { code: code.into(), message: String::new(), details }).map(Cow::into_owned)
    }

    // HOSTILE 35
    #[test]
    fn a_limit_is_named_where_it_stands_in_a_plan() {
        for (dimension, words) in [
            ("model_calls", "--limit model_calls=N"),
            ("result_bytes", "`budget.result_bytes` of the agent"),
            ("memory", "`budget.memory`"),
        ] {
            let told = told("out_of_budget", json!({ "dimension": dimension })).expect("a hint");
            assert!(told.contains(words), "{dimension}: {told}");
        }
        assert_eq!(told("out_of_budget", json!({ "dimension": "memory_total" })), None, "its message names the limit");
    }

    // HOSTILE 24
    #[test]
    fn a_component_that_cannot_be_loaded_hands_on_what_was_found_out_about_it() {
        let details = |hint: Value| json!({ "cause": "agent_invalid", "hint": hint });
        assert_eq!(
            told("subagent_failed", details(json!("say `wasi: denied`"))).as_deref(),
            Some("say `wasi: denied`")
        );
        assert!(told("subagent_failed", details(Value::Null)).is_some_and(|hint| hint.contains("inspect")));
        assert_eq!(told("subagent_failed", json!({ "cause": "returned" })), None);
    }
}
