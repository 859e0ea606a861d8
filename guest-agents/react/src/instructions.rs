//! What a model is told besides its task: how this loop works, when to fork, and what its output must be. Appended to the
//! identity message, so that the host's rules stay above it.

use sandfork_guest::Task;

const WORK: &str = "\
Call tools where you need them; calls of one answer are executed in the order you give them. When you are done, answer \
without calls. If your task lacks input that you cannot find out, call `blocked` and name the fields. If it cannot be done, \
call `give_up` with a code. Old tool results may be replaced by a line that says so and keeps what they named.";

/// the conditions are the precondition, the reasons the trigger (OR-60, HF-09, HF-10).
const FORK: &str = "\
Fork a subtask with `fork_subagents` only if all three hold: it can be understood on its own, its result can be verified on \
its own, and its result can be merged with the others. Where they hold, any one of these is the reason to do it: the parts \
can run in parallel, a part needs isolation, or a part's own chain of tool calls is three or more deep. Do not fork for a \
follow-up question, small talk, a single tool call or the wrap-up. A child knows nothing but its goal, its context and the \
shared input: write into them all that it needs, and nothing else. Put all forks of one kind into one call.";

/// The text that follows the identity message.
pub(crate) fn text(task: &Task) -> String {
    let mut text = format!("\nHow you work: {WORK}\n");
    if !task.spawn.is_empty() {
        text.push_str(&format!("When to fork: {FORK}\nYou may fork: {}.\n", task.spawn.join(", ")));
    }
    if let Some(schema) = &task.output_schema {
        text.push_str(&format!("Your final answer must be JSON that meets this schema: {schema}\n"));
    }
    text
}
