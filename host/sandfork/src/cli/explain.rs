//! `sandfork explain`: what each fork of a plan may do, spend and see, and which rule took what away.

use crate::cli::args::ExplainArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show};
use sandfork::{Explained, HostError, Spend, Waits};
use sandfork_report::plain::plain;
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
        "refused": row.refused.as_ref().map(|(code, message)| json!({ "code": code, "message": message })),
        "do": { "tools": row.tools, "delegate": row.delegate, "spawn": row.spawn },
        "spend": spend,
        "see": { "layers_bytes": layers, "shared": row.shared },
        "taken": row.taken,
    })
}

fn waits(waits: &Waits) -> Value {
    json!({ "layer": waits.layer, "needs": waits.needs, "needs_optional": waits.needs_optional })
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
    if let Some((code, message)) = &row.refused {
        let _ = writeln!(text, "  refused   {code}: {}", plain(message));
        return text;
    }
    for (what, names) in [("calls", &row.tools), ("hands on", &row.delegate), ("forks", &row.spawn)] {
        let names = if names.is_empty() { "nothing".to_owned() } else { plain(&names.join(", ")) };
        let _ = writeln!(text, "  {what:<9} {names}");
    }
    let _ =
        writeln!(text, "  {:<9} {:<13} {:>16} {:>16} {:>16} {:>16}", "spends", "", "default", "entry", "task", "gets");
    let or_dash = |amount: Option<u64>| amount.map_or_else(|| "-".to_owned(), |amount| amount.to_string());
    for Spend { name, default, entry, task, result } in &row.spend {
        let (entry, task) = (or_dash(*entry), or_dash(*task));
        let _ = writeln!(text, "  {:<9} {name:<13} {default:>16} {entry:>16} {task:>16} {result:>16}", "");
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
