//! What happens to a task that ends badly: the keys `retries` and `retry`. Which ends a second attempt can help is the
//! orchestrator's business.

use crate::again::times;
use crate::amount::wrong;
use crate::names::Known;
use sandfork_model::{RetryChange, RetrySpec};
use sandfork_source::{Fields, Node, NodeValue, Problems, quote};

/// Reads `retries: N`, or `retry: {times, change}`.
pub(crate) fn retry(fields: &mut Fields<'_>, tiers: &Known<'_>, problems: &mut Problems) -> RetrySpec {
    let short = fields.entry("retries").map(|(_, node)| node);
    let long = fields.entry("retry");
    match (short, long) {
        (None, None) => RetrySpec::default(),
        (Some(node), None) => {
            let times = times(node, &fields.path_of("retries"), problems).unwrap_or_default();
            RetrySpec { times, changes: Vec::new() }
        }
        (None, Some((_, node))) => written(node, &fields.path_of("retry"), tiers, problems).unwrap_or_default(),
        (Some(_), Some((key, _))) => {
            let problem = problems
                .at(key.place, format!("{} says the same as `retries`", quote(&fields.path_of("retry"))))
                .hint("keep one of them: `retries: N` is `retry: { times: N }`");
            problems.push(problem);
            RetrySpec::default()
        }
    }
}

fn written(node: &Node, path: &str, tiers: &Known<'_>, problems: &mut Problems) -> Option<RetrySpec> {
    let mut fields = Fields::of(node, path, problems)?;
    let written = fields.take("times");
    let change = fields.take("change");
    let change_path = fields.path_of("change");
    let changes = change.map_or_else(Vec::new, |node| changes(node, &change_path, tiers, problems));
    let count = u32::try_from(changes.len()).unwrap_or(u32::MAX);
    let times = match written {
        Some(node) => times(node, &fields.path_of("times"), problems)?,
        None => count.max(1),
    };
    if let Some(node) = change.filter(|_| count > times) {
        let message = format!("{} has {count} changes for {times} retries", quote(&change_path));
        problems.push(problems.at(node.place, message).hint("raise `times`, or leave out what would never be tried"));
    }
    fields.finish(problems);
    Some(RetrySpec { times, changes })
}

/// One change, or a list of them: the first retry makes the first one, and so on.
fn changes(node: &Node, path: &str, tiers: &Known<'_>, problems: &mut Problems) -> Vec<RetryChange> {
    match &node.value {
        NodeValue::List(items) => {
            let read = |(index, item)| change(item, &format!("{path}[{index}]"), tiers, problems);
            items.iter().enumerate().filter_map(read).collect()
        }
        _ => change(node, path, tiers, problems).into_iter().collect(),
    }
}

fn change(node: &Node, path: &str, tiers: &Known<'_>, problems: &mut Problems) -> Option<RetryChange> {
    match node.as_text() {
        Some("again") => return Some(RetryChange::Again),
        Some("shrink") => return Some(RetryChange::Shrink),
        _ => {}
    }
    if let NodeValue::Map(entries) = &node.value
        && entries.len() == 1
    {
        let mut fields = Fields::of(node, path, problems)?;
        let tier = fields.entry("tier");
        let goal = fields.text("goal", problems);
        let tier_path = fields.path_of("tier");
        fields.finish(problems);
        if let Some((_, node)) = tier {
            let name = sandfork_source::expect_text(node, &tier_path, problems)?;
            return tiers.check(vec![(name, node.place)], &tier_path, problems).pop().map(RetryChange::Tier);
        }
        return goal.map(|goal| RetryChange::Goal(goal.to_owned()));
    }
    let problem = wrong(node, path, problems, "again, shrink, { tier: NAME } or { goal: TEXT }");
    problems.push(problem);
    None
}
