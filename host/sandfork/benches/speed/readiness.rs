//! From the text of a script to an agent that can be forked: compiling to a component, the component to code, linking.

use crate::sample::median;
use crate::table::{Row, Target};
use anyhow::{Result, anyhow};
use sandfork::model::Runtime as _;
use sandfork_sandbox::{LoadLimits, PoolLimits, Sandboxes};
use std::time::Instant;

const ROUNDS: usize = 41;

/// Ten turns with a tool call each, every round another script.
pub(crate) fn time() -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let sandboxes = Sandboxes::new(PoolLimits { live_forks: 16 }, LoadLimits::default())?;
    let (mut to_component, mut whole) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let script = script(round);
        let started = Instant::now();
        let compiled = sandfork_script::compile("script.yaml", script.as_bytes())
            .map_err(|problems| anyhow!("the script has {} problems", problems.len()))?;
        to_component.push(started.elapsed().as_secs_f64() * 1e3);
        runtime.block_on(sandboxes.load(compiled.component.into())).map_err(|why| anyhow!(why.message))?;
        whole.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(vec![
        Row::new("10-turn script to component", median(to_component), 2, "ms", Target::None),
        Row::new("10-turn script to ready to fork", median(whole), 1, "ms", Target::AtMost(10.0)),
    ])
}

fn script(round: usize) -> String {
    let turn = |turn: usize| {
        format!(
            "  - think: 80ms\n    say: \"Round {round}, turn {turn}.\"\n    do:\n      - {{ tool: read_file, with: {{ path: \
             \"file-{turn}.txt\" }}, as: file }}\n      - note: \"read ${{file.bytes}} bytes\"\n"
        )
    };
    let turns: String = (0..10).map(turn).collect();
    format!("agent: agent\ntools: [read_file]\nturns:\n{turns}    return: \"${{file.text}}\"\n")
}
