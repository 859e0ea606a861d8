//! Who plans and who accepts: the keys `planner` and `review`, and how often either may be asked again.

use crate::amount::wrong;
use crate::names::Known;
use sandfork_model::ReviewSpec;
use sandfork_source::{Fields, Node, NodeValue, Problems, expect_text};

/// The most that may be written: each time is a fork, and the totals of the run bound those anyway.
const MOST_TIMES: u32 = 100;

/// Reads how often something may be asked again: a whole number from 0 to 100.
pub(crate) fn times(node: &Node, path: &str, problems: &mut Problems) -> Option<u32> {
    if let NodeValue::Number(text) = &node.value
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(times) = text.parse::<u32>()
        && times <= MOST_TIMES
    {
        return Some(times);
    }
    let problem = wrong(node, path, problems, "a whole number from 0 to 100");
    problems.push(problem);
    None
}

/// Reads `review` of a task. A reviewer that is no agent of the plan could never accept anything: found here, not after the
/// work has been paid for.
pub(crate) fn review(node: &Node, path: &str, agents: &Known<'_>, problems: &mut Problems) -> Option<ReviewSpec> {
    let mut fields = Fields::of(node, path, problems)?;
    let agent = fields.need("agent", problems).and_then(|node| {
        let path = fields.path_of("agent");
        let name = expect_text(node, &path, problems)?;
        agents.check(vec![(name, node.place)], &path, problems).pop()
    });
    let max_returns = fields.take("max_returns").map(|node| times(node, &fields.path_of("max_returns"), problems));
    fields.finish(problems);
    let max_returns = max_returns.unwrap_or(Some(ReviewSpec::DEFAULT_RETURNS));
    Some(ReviewSpec { agent: agent?, max_returns: max_returns? })
}
