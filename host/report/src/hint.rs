//! What to do about an error, by its code. An error without a line here has a message that says enough.

use sandfork_model::AgentError;

/// One sentence for the person who can change the plan; `None` where the message says it all.
#[must_use]
pub fn hint(error: &AgentError) -> Option<&'static str> {
    Some(match error.code.as_str() {
        "unknown_subagent" => "add it to `agents` in the plan, or correct the name",
        "spawn_not_granted" => "list it under `spawn` of the agent that asks",
        "delegation_depth_exceeded" => "raise it with --limit max_depth=N, or let a shallower fork do the work",
        "ancestor_cycle" => "give the child another goal, or set `limits.ancestors: allow`",
        "children_exceeded" => "raise it with --limit max_children=N",
        "similar_task" => "reuse the earlier answer, or change `limits.similar`",
        "task_budget_exceeded" => "raise it with --limit max_tasks=N",
        "grant_exceeds_parent" => "give the parent the tool under `tools` or `delegate`, or ask for less",
        "budget_exceeded" => "ask for less, or give the parent more",
        "host_full" => "fork fewer at once, or raise --limit max_live=N",
        "timeout" => "raise `timeout` of the agent or task, or split the work",
        "out_of_fuel" => "raise `budget.steps` or `budget.fuel` of the agent",
        "iteration_limit" => "raise `budget.steps` of the agent",
        "out_of_budget" => match error.details.get("dimension").and_then(|dimension| dimension.as_str()) {
            Some("memory") => "raise `budget.memory` of the agent, or --limit memory=128MiB for all",
            Some("turns") => "raise `budget.steps` of the agent",
            _ => "raise that limit in `budget` of the agent",
        },
        "subagent_failed" => match error.details.get("cause").and_then(|cause| cause.as_str()) {
            Some("exhausted") => {
                "nothing is written for its next turn: end the script with `return`, or add a reply to `models.replies`"
            }
            Some("schema") => "compare the output with the agent's `output_schema`",
            Some("agent_invalid" | "missing_export") => "look at the component with `sandfork inspect`",
            _ => return None,
        },
        _ => return None,
    })
}
