//! What one `note` and one `tool` cost from guest to orchestrator and back.

use crate::bare::Bare;
use crate::rig::{Code, Part, Rig};
use crate::sample::{figure, median};
use crate::table::{Row, Target};
use anyhow::Result;
use sandfork::model::{BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use sandfork_sandbox::settings;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const CALLS: u64 = 5_000;
const ROUNDS: usize = 15;

const NOTES: &str = "turns: [{ do: [{ repeat: 5000, do: [{ note: one }] }], return: done }]\n";
const TOOLS: &str = "tools: [nothing]\nturns: [{ do: [{ repeat: 5000, do: [{ tool: nothing }] }], return: done }]\n";

/// One fork that makes many calls, against the same fork bare.
pub(crate) fn costs() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (what, turns) in [("note", NOTES), ("tool", TOOLS)] {
        let rig = Rig::new(1, 16, vec![Arc::new(Nothing)])?;
        let plan = rig.plan(&[Part { agent: "agent", code: Code::Script(turns), forks: 1 }])?;
        let prepared = rig.prepare(plan.clone())?;
        let (component, task) = rig.component_and_task(&plan, &prepared)?;
        let bare = Bare::new(&settings::for_scripts(16), &component, true)?;
        let (mut floor, mut whole) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            floor.push(each(rig.runtime.block_on(bare.time(1, &task))?));
            whole.push(each(rig.time(&prepared)?));
        }
        rows.push(Row::new(format!("`{what}` round trip, bare"), median(floor), 2, "µs", Target::None));
        rows.push(Row::new(format!("`{what}` round trip"), median(whole), 2, "µs", Target::AtMost(2.0)));
    }
    Ok(rows)
}

fn each(wall: Duration) -> f64 {
    wall.as_secs_f64() * 1e6 / figure(CALLS)
}

/// A tool that answers at once, with nothing.
struct Nothing;

impl ToolProvider for Nothing {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec { name: "nothing".into(), description: "Nothing.".into(), input_schema: json!({}) }]
    }

    fn call(&self, _call: ToolCall) -> BoxFuture<'_, Reply> {
        Box::pin(std::future::ready(Reply::now(Ok("{}".into()))))
    }
}
