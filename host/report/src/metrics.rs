//! The six groups of metrics (GV-51..56): a pure fold over the record. Shares are whole parts per thousand, rounded to the
//! nearest; what has no basis (nothing was reviewed, nothing was delivered) is null, never a flattering number.

use sandfork_model::event::millis;
use sandfork_model::{Counts, Dimension, Outcome, RunRecord};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The `metrics` of a report.
#[must_use]
pub fn metrics(record: &RunRecord) -> Value {
    json!({
        "context": context(record),
        "messages": messages(record),
        "budget": budget(record),
        "recursion": recursion(record),
        "quality": quality(record),
        "business": business(record),
    })
}

/// `part` of `whole` in parts per thousand; null where there is no whole.
fn permille(part: u64, whole: u64) -> Value {
    if whole == 0 {
        return Value::Null;
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    json!(u64::try_from((part * 1000 + whole / 2) / whole).unwrap_or(u64::MAX))
}

/// `amount` for each of `units`, rounded to the nearest; null where there is none.
fn each(amount: u64, units: u64) -> Value {
    amount.saturating_add(units / 2).checked_div(units).map_or(Value::Null, |each| json!(each))
}

/// The forks that ran: a refused request has no opening messages.
fn forks(record: &RunRecord) -> impl Iterator<Item = &Outcome> {
    record.outcomes.iter().filter(|outcome| outcome.counts.messages > 0)
}

fn sum(record: &RunRecord, of: impl Fn(&Counts) -> u64) -> u64 {
    forks(record).fold(0, |sum, outcome| sum.saturating_add(of(&outcome.counts)))
}

/// A sum for each agent that ran, by name: what a fork itself used, its children apart.
fn by_agent(record: &RunRecord, of: impl Fn(&Counts) -> u64) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for outcome in forks(record) {
        let sum: &mut u64 = sums.entry(outcome.task.agent.to_string()).or_default();
        *sum = sum.saturating_add(of(&outcome.counts));
    }
    sums
}

/// GV-51.
fn context(record: &RunRecord) -> Value {
    let measures = &record.measures;
    let mut context = match record.metrics.get("context") {
        Some(Value::Object(layers)) => layers.clone(),
        _ => Map::new(),
    };
    let (reads, parts) = (sum(record, |counts| counts.artifact_reads), sum(record, |counts| counts.artifact_parts));
    let more = json!({
        "input_tokens_by_agent": by_agent(record, |counts| counts.input_tokens),
        "opening_bytes": measures.opening_bytes,
        "repeated_bytes": measures.repeated_bytes,
        "repeated_permille": permille(measures.repeated_bytes, measures.opening_bytes),
        "artifact_reads": reads,
        "artifact_part_reads": parts,
        "artifact_part_permille": permille(parts, reads),
    });
    if let Value::Object(more) = more {
        context.extend(more);
    }
    Value::Object(context)
}

/// GV-52.
fn messages(record: &RunRecord) -> Value {
    let deliveries = &record.measures.deliveries;
    json!({
        "delivered": deliveries.delivered,
        "held": deliveries.held,
        "held_permille": permille(deliveries.held, deliveries.delivered),
        "duplicates": deliveries.duplicates,
        "duplicate_permille": permille(deliveries.duplicates, deliveries.delivered),
        "conflicts": deliveries.conflicts,
        "conflict_permille": permille(deliveries.conflicts, deliveries.delivered),
        "dependency_wait_ms": millis(sum(record, |counts| counts.waited_ns.saturating_add(counts.needs_wait_ns))),
        "needs_wait_ms": millis(sum(record, |counts| counts.needs_wait_ns)),
    })
}

/// GV-53.
fn budget(record: &RunRecord) -> Value {
    let dimensions: Map<String, Value> = Dimension::ALL
        .into_iter()
        .map(|dimension| {
            let amounts = json!({
                "reserved": sum(record, |counts| counts.reserved.get(dimension)),
                "used": record.usage.spent.get(dimension),
                "recovered": sum(record, |counts| counts.returned.get(dimension)),
            });
            (dimension.name().to_owned(), amounts)
        })
        .collect();
    let tokens = by_agent(record, |counts| counts.input_tokens.saturating_add(counts.output_tokens));
    let fuel = by_agent(record, |counts| counts.fuel_used);
    let all = |sums: &BTreeMap<String, u64>| sums.values().fold(0_u64, |all, sum| all.saturating_add(*sum));
    let (all_tokens, all_fuel) = (all(&tokens), all(&fuel));
    let shares: Map<String, Value> = tokens
        .iter()
        .map(|(agent, tokens)| {
            let fuel = fuel.get(agent).copied().unwrap_or_default();
            let shares = json!({
                "tokens_permille": permille(*tokens, all_tokens), "fuel_permille": permille(fuel, all_fuel),
            });
            (agent.clone(), shares)
        })
        .collect();
    json!({
        "dimensions": dimensions,
        "share_by_agent": shares,
        "fuses": record.events.get("fused").copied().unwrap_or_default(),
    })
}

/// GV-54.
fn recursion(record: &RunRecord) -> Value {
    let children = forks(record).filter(|outcome| outcome.task.depth > 0).count();
    json!({
        "max_depth": record.max_depth_reached,
        "branches": children,
        "similar_refused": record.measures.judged.similar_refused,
    })
}

/// GV-55.
fn quality(record: &RunRecord) -> Value {
    let (tasks, judged) = (&record.measures.tasks, &record.measures.judged);
    let constraints = sum(record, |counts| counts.constraints);
    let kept = sum(record, |counts| counts.constraints_kept);
    json!({
        "tasks": tasks.counted,
        "tasks_ok": tasks.counted_ok,
        "completion_permille": permille(tasks.counted_ok, tasks.counted),
        "first_reviews": judged.first_reviews,
        "first_passes": judged.first_passes,
        "first_pass_permille": permille(judged.first_passes, judged.first_reviews),
        "constraints": constraints,
        "constraints_kept": kept,
        "constraints_kept_permille": permille(kept, constraints),
    })
}

/// GV-56.
fn business(record: &RunRecord) -> Value {
    let tasks = &record.measures.tasks;
    let spent = &record.usage.spent;
    let tokens = spent.get(Dimension::InputTokens).saturating_add(spent.get(Dimension::OutputTokens));
    let mut latencies: Vec<u64> = forks(record).map(|outcome| outcome.counts.elapsed_ns).collect();
    latencies.sort_unstable();
    json!({
        "latency_p95_ms": p95(&latencies).map(millis),
        "accepted_tasks": tasks.own_ok,
        "tokens_per_accepted_task": each(tokens, tasks.own_ok),
        "fuel_per_accepted_task": each(spent.get(Dimension::Fuel), tasks.own_ok),
        "human_takeovers": tasks.blocked,
        "human_takeover_permille": permille(tasks.blocked, tasks.own),
    })
}

/// The nearest-rank 95th percentile of what is sorted.
fn p95(sorted: &[u64]) -> Option<u64> {
    let rank = sorted.len().saturating_mul(95).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_to_the_nearest_and_null_without_a_whole() {
        assert_eq!(permille(1, 3), 333);
        assert_eq!(permille(2, 3), 667);
        assert_eq!(permille(u64::MAX, u64::MAX), 1000);
        assert_eq!(permille(0, 0), Value::Null);
        assert_eq!((each(10, 4), each(1, 0)), (json!(3), Value::Null));
    }

    // GV-56
    #[test]
    fn the_percentile_is_one_of_the_values() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!(p95(&hundred), Some(95));
        assert_eq!((p95(&[7]), p95(&[7, 9]), p95(&[])), (Some(7), Some(9), None));
    }
}
