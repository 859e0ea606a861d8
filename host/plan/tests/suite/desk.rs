//! A directory with the files that test plans name.

use sandfork_model::Plan;
use sandfork_plan::{Overrides, load};
use sandfork_source::Problem;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            ("a.yaml", "turns: []\n"),
            ("b.wasm", "\0asm"),
            ("out.json", r#"{"type": "object"}"#),
            ("broken.json", "{\n  \"type\": object\n}"),
            ("list.json", "[1]"),
        ] {
            desk.write(name, text.as_bytes());
        }
        std::fs::create_dir(desk.path().join("workspace")).unwrap();
        desk
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn load(&self, text: &str, overrides: &Overrides) -> Result<Plan, Vec<Problem>> {
        load(&self.write("plan.yaml", text.as_bytes()), overrides)
    }

    pub(crate) fn valid(&self, text: &str) -> Plan {
        self.load(text, &Overrides::default()).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
    }

    pub(crate) fn wrong(&self, text: &str) -> Vec<Problem> {
        self.load(text, &Overrides::default()).unwrap_err()
    }
}

pub(crate) fn shown(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A plan with a root, to which more can be added.
pub(crate) const ROOT: &str = "\
run: demo
agents:
  lead: { script: a.yaml }
root: { agent: lead, goal: \"Lead.\" }
";

/// Every key that a plan may have, except the second names of the same thing.
pub(crate) const FULL: &str = r#"
run: full-plan_1
virtual: true
rules: ["Never delete."]
shared: { style: "short", ticket: 1.50 }
agents:
  lead:
    script: a.yaml
    role: "Leads."
    description: "For leading."
    tools: [read_file, lookup]
    delegate: [edit_file, artifact_put]
    spawn: [helper, self]
    output_schema: out.json
    budget: { fuel: 5000000, steps: 4, host_calls: 9, input_tokens: 1, output_tokens: 2, result_bytes: 1KiB,
              output_bytes: 2 KiB, note_bytes: 3000, retries: 0, memory: 64MiB }
    timeout: 1.5s
  helper: { component: b.wasm, output_schema: { type: number }, wasi: denied }
workspace: workspace
tools:
  lookup:
    description: "Looks up."
    script:
      - { match: { key: 1.0 }, delay: 80ms, result: { found: [1] } }
      - { match: { key: x }, error: { code: not_found, message: "Nothing there.", details: { key: x } } }
      - { never: true }
models:
  replies:
    lead:
      - { think: 80ms, say: "Look.", calls: [{ id: c1, name: lookup, arguments: { key: 1 } }] }
      - { output: { done: true }, usage: { input_tokens: 10, output_tokens: 20 } }
    root/1: [{ calls: [{ name: lookup, arguments: "{no" }] }]
limits:
  max_depth: 3
  max_tasks: 32
  max_children: 5
  max_concurrency: 4
  max_live: 64
  deadline: 2m
  ancestors: allow
  similar: 0.8
  budget: { fuel: 1000, steps: 10 }
  model_calls: 100
  tool_calls: 0
  memory_total: 1GiB
  timeout: 20s
  root_timeout: 90s
  on_failure: skip
  memory: 32MiB
  steps: 8
  fuel_per_step: 1000000
  host_calls: 50
  tool_result: 64KiB
  output: 1024
  notes: 2KiB
  input_tokens: 5
  output_tokens: 6
  result_bytes: 1MB
  retries: unlimited
root:
  agent: lead
  goal: "Lead them."
  context: { platform: web, price: 3499.00 }
  timeout: unlimited
  on_failure: propagate
  tools: [read_file]
  budget: { steps: unlimited }
  critical: true
  output_schema: { type: object }
  acceptance_criteria: ["It is short."]
  context_refs: ["artifact://x/v1"]
"#;

pub(crate) const TASKS: &str = r#"{
  "run": "fixed", "goal": "Research and analyse.",
  "agents": {"researcher": {"script": "a.yaml"}, "analyst": {"component": "b.wasm"}},
  "tasks": [
    {"id": "research", "agent": "researcher", "goal": "Find.", "context": {"q": "\ud83d\ude00"}, "timeout": "10s"},
    {"id": "analyse", "agent": "nobody", "goal": "Judge.", "allowed_tools": ["read_file"], "deadline_ms": 1500,
     "on_failure": "skip", "budget": {"max_input_tokens": 5, "max_output_tokens": 6, "max_steps": 7}}
  ]
}"#;

/// A plan whose tasks an agent returns.
pub(crate) const PLANNER: &str = r#"
run: planned
goal: "Find out."
agents:
  planner: { script: a.yaml }
  worker: { script: a.yaml, tools: [lookup] }
tools: { lookup: { script: [{ result: 1 }] } }
planner: { agent: planner, context: { depth: 2 }, max_replans: 0, timeout: 5s }
"#;

/// A plan whose tasks wait for each other, and may be done again.
pub(crate) const WAITING: &str = r#"
run: waiting
goal: "Find out, in steps."
agents: { worker: { script: a.yaml } }
limits: { tiers: { small: 20 } }
tasks:
  - { id: a, agent: worker, goal: x }
  - { id: b, agent: worker, goal: x, needs: [a], retries: 2 }
  - { id: compare, agent: worker, goal: x, needs_optional: [a], retry: { change: shrink } }
  - id: d
    agent: worker
    goal: x
    needs: [b]
    needs_optional: [compare]
    retry: { times: 3, change: [again, { tier: small }, { goal: "Less." }] }
"#;
