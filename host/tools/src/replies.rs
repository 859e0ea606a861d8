//! The model provider `replies`: answers stand in a file, by task id or agent name, turn by turn. Sends nothing anywhere,
//! reads no message, and waits for nothing: the time it thinks is named in the answer.

use sandfork_model::models::REPLIES_EXHAUSTED;
use sandfork_model::{AgentError, BoxFuture, Completed, ModelProvider, ModelRequest, Models, ScriptedReply};
use serde_json::json;
use std::time::Duration;

/// Answers from the replies of one plan.
#[derive(Debug)]
pub struct Replies {
    models: Models,
}

impl Replies {
    /// The replies as the plan gives them.
    #[must_use]
    pub fn new(models: Models) -> Self {
        Self { models }
    }

    /// The replies for a task: its own id goes before its agent's name.
    fn of(&self, request: &ModelRequest) -> &[ScriptedReply] {
        let replies = &self.models.replies;
        let found = replies.get(&*request.task.task_id).or_else(|| replies.get(&*request.task.agent));
        found.map_or(&[], Vec::as_slice)
    }
}

impl ModelProvider for Replies {
    fn complete(&self, request: ModelRequest) -> BoxFuture<'_, Completed> {
        let replies = self.of(&request);
        let place = usize::try_from(request.turn.saturating_sub(1)).unwrap_or(usize::MAX);
        let completion = match replies.get(place) {
            Some(reply) => Completed { result: Ok(reply.answer.clone()), delay: reply.think },
            None => Completed { result: Err(exhausted(&request, replies.len())), delay: Duration::ZERO },
        };
        Box::pin(std::future::ready(completion))
    }
}

/// No reply is left; the orchestrator ends the fork (M4-21).
fn exhausted(request: &ModelRequest, written: usize) -> AgentError {
    let (agent, turn) = (&*request.task.agent, request.turn);
    AgentError {
        code: REPLIES_EXHAUSTED.into(),
        message: format!("replies exhausted: turn {turn} of agent {agent} has none, {written} are written"),
        details: json!({ "turn": turn, "written": written }),
    }
}
