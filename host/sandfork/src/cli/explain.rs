//! `sandfork explain`: what each fork of a plan may do, spend and see, and which rule took what away.

use crate::cli::args::ExplainArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show};
use sandfork::{Explained, Follows, HostError, Spend, Waits};
use sandfork_model::{OnFailure, RetryChange, ReviewSpec};
use sandfork_report::plain::{grouped, plain};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(crate) fn explain(args: &ExplainArgs) -> Exit {
    match rows(args) {
        Ok(rows) if args.json => {
            let rows: Vec<Value> = rows.iter().map(document).collect();
            show::document(&json!({ "schema": "sandfork.explain.v1", "forks": rows }), Exit::Completed)
        }
        Ok(rows) => {
            let texts: Vec<String> = rows.iter().map(words).collect();
            show::text(&texts.join("\n"), Exit::Completed)
        }
        Err(error) => plan::refuse(&error, args.json),
    }
}

/// The rows asked for: all, or those of one task or agent with what they fork.
fn rows(args: &ExplainArgs) -> Result<Vec<Explained>, HostError> {
    let read = plan::read_with(&args.plan, &args.limits, &args.sets)?;
    let mut rows = sandfork::explain(read)?;
    let Some(task) = &args.task else { return Ok(rows) };
    let is_below = |row: &Explained| row.task_id.strip_prefix(task.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let known: Vec<String> = rows.iter().map(|row| row.task_id.clone()).collect();
    rows.retain(|row| row.task_id == *task || row.agent == *task || is_below(row));
    if rows.is_empty() {
        return Err(plan::usage(format!("the plan leads to no task or agent {task}; there are: {}", known.join(", "))));
    }
    Ok(rows)
}

fn document(row: &Explained) -> Value {
    let spend: Map<String, Value> = row
        .spend
        .iter()
        .map(|Spend { name, default, entry, task, result }| {
            ((*name).to_owned(), json!({ "default": default, "entry": entry, "task": task, "result": result }))
        })
        .collect();
    let layers: Map<String, Value> =
        row.layers.iter().map(|(name, bytes)| ((*name).to_owned(), json!(bytes))).collect();
    json!({
        "task_id": row.task_id,
        "agent": row.agent,
        "depth": row.depth,
        "asked_by": row.asked_by,
        "waits": row.waits.as_ref().map(waits),
        "follows": row.follows.as_ref().map(follows),
        "refused": row.refused.as_ref().map(no),
        "queued": row.queued.as_ref().map(no),
        "do": { "tools": row.tools, "delegate": row.delegate, "spawn": row.spawn },
        "spend": spend,
        "holds_tank": row.holds_tank,
        "see": { "layers_bytes": layers, "shared": row.shared },
        "taken": row.taken,
    })
}

fn no((code, message): &(String, String)) -> Value {
    json!({ "code": code, "message": message })
}

fn waits(waits: &Waits) -> Value {
    json!({ "layer": waits.layer, "needs": waits.needs, "needs_optional": waits.needs_optional })
}

fn follows(follows: &Follows) -> Value {
    let change: Vec<Value> = follows.retry.changes.iter().map(change).collect();
    let review = follows.review.as_ref();
    json!({
        "retry": { "times": follows.retry.times, "change": change },
        "review": review.map(|review| json!({ "agent": review.agent, "max_returns": review.max_returns })),
        "on_failure": on_failure(follows),
    })
}

/// A change as a plan writes it.
fn change(change: &RetryChange) -> Value {
    match change {
        RetryChange::Again | RetryChange::Shrink => json!(change.name()),
        RetryChange::Tier(tier) => json!({ "tier": tier }),
        RetryChange::Goal(goal) => json!({ "goal": goal }),
    }
}

fn change_words(change: &RetryChange) -> String {
    match change {
        RetryChange::Again | RetryChange::Shrink => change.name().to_owned(),
        RetryChange::Tier(tier) => format!("at the tier {}", plain(tier)),
        RetryChange::Goal(goal) => format!("with the goal {:?}", plain(goal)),
    }
}

fn on_failure(follows: &Follows) -> &'static str {
    match follows.on_failure {
        OnFailure::Propagate => "propagate",
        OnFailure::Skip => "skip",
    }
}

/// What a plan's task says of its end, in two lines at most.
fn ends(text: &mut String, follows: &Follows) {
    if let Some(ReviewSpec { agent, max_returns }) = &follows.review {
        let returns = match max_returns {
            0 => "who may not send it back".to_owned(),
            times => format!("who may send it back {}", counted(*times)),
        };
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "  {:<9} by {}, {returns}", "accepted", plain(agent));
    }
    let again = match follows.retry.times {
        0 => String::new(),
        times => {
            let changes: Vec<String> = follows.retry.changes.iter().map(change_words).collect();
            let changes = if changes.is_empty() { String::new() } else { format!(" ({})", changes.join(", then ")) };
            format!("done again, at most {}{changes}; then ", counted(times))
        }
    };
    let run = match follows.on_failure {
        OnFailure::Propagate => "the run fails",
        OnFailure::Skip => "the run goes on without it and is partial",
    };
    let _ = writeln!(text, "  {:<9} {again}{run} (on_failure: {})", "if bad", on_failure(follows));
}

fn counted(times: u32) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}

fn words(row: &Explained) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{} ({}), depth {}, asked by {}",
        plain(&row.task_id),
        plain(&row.agent),
        row.depth,
        plain(&row.asked_by)
    );
    if let Some(Waits { layer, needs, needs_optional }) = &row.waits {
        let must = needs.iter().map(|id| format!("{id} (ok)"));
        let may = needs_optional.iter().map(|id| format!("{id} (however it ends)"));
        let names: Vec<String> = must.chain(may).collect();
        let names = if names.is_empty() { "nobody".to_owned() } else { plain(&names.join(", ")) };
        let _ = writeln!(text, "  {:<9} {names}; layer {layer}", "waits for");
    }
    if let Some(follows) = &row.follows {
        ends(&mut text, follows);
    }
    if let Some((code, message)) = &row.refused {
        let _ = writeln!(text, "  refused   {code}: {}", plain(message));
        return text;
    }
    if let Some((_, message)) = &row.queued {
        let _ = writeln!(text, "  queued    would wait for the budget until others have ended: {}", plain(message));
        return text;
    }
    for (what, names) in [("calls", &row.tools), ("hands on", &row.delegate), ("forks", &row.spawn)] {
        let names = if names.is_empty() { "nothing".to_owned() } else { plain(&names.join(", ")) };
        let _ = writeln!(text, "  {what:<9} {names}");
    }
    let _ =
        writeln!(text, "  {:<9} {:<13} {:>16} {:>16} {:>16} {:>16}", "spends", "", "default", "entry", "task", "gets");
    let or_dash = |amount: Option<u64>| amount.map_or_else(|| "-".to_owned(), grouped);
    for Spend { name, default, entry, task, result } in &row.spend {
        let (entry, task, default, result) = (or_dash(*entry), or_dash(*task), grouped(*default), grouped(*result));
        let _ = writeln!(text, "  {:<9} {name:<13} {default:>16} {entry:>16} {task:>16} {result:>16}", "");
    }
    if row.holds_tank {
        let _ = writeln!(text, "  {:<9} (a root is given the run's whole tank, to hand on: limits.budget, or", "");
        let _ = writeln!(text, "  {:<9} limits.max_tasks times the default; of turns it may use `steps` itself)", "");
    }
    let layers: Vec<String> = row.layers.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
    let _ = writeln!(text, "  {:<9} {} (bytes)", "sees", layers.join(", "));
    if !row.shared.is_empty() {
        let _ = writeln!(text, "  {:<9} shared input: {}", "", plain(&row.shared.join(", ")));
    }
    for (place, taken) in row.taken.iter().enumerate() {
        let _ = writeln!(text, "  {:<9} {}", if place == 0 { "loses" } else { "" }, plain(taken));
    }
    text
}
