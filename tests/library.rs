//! The library as another program uses it: a host with a tool of its own.

use sandfork::model::{BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use sandfork::{Host, Overrides, RunOptions};
use serde_json::{Value, json};
use std::sync::Arc;

/// Answers `lookup` with its own argument.
struct Lookup;

impl ToolProvider for Lookup {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec { name: "lookup".into(), description: "Looks a key up".into(), input_schema: json!({}) }]
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        Box::pin(async move { Reply::now(Ok(json!({ "found": call.arguments["key"] }).to_string())) })
    }
}

/// The result of a root whose plan entry is `entry`.
fn result(entry: &str) -> Value {
    let home = tempfile::tempdir().expect("a directory");
    let script = "agent: a\ntools: [lookup]\nturns:\n  - do:\n      - { tool: lookup, with: { key: k }, as: x }\n  - return: \"${x.found}\"\n";
    std::fs::write(home.path().join("a.yaml"), script).expect("written");
    let plan = format!(
        "run: own\nagents:\n  a: {entry}\nlimits: {{ tools: {{ lookup: {{ per_fork: 1 }} }} }}\nroot: {{ agent: a, goal: g }}\n"
    );
    std::fs::write(home.path().join("plan.yaml"), plan).expect("written");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let finished = runtime.block_on(async {
        let host = Host::builder().live_forks(4).state_dir(home.path().join("state")).tool(Arc::new(Lookup)).build();
        let host = host.expect("a host");
        let plan = host.load(&home.path().join("plan.yaml"), &Overrides::default()).await.expect("a plan");
        host.run(&plan, RunOptions::in_virtual_time()).await.expect("the host holds")
    });
    finished.report["results"][0].clone()
}

// GV-10, HOSTILE 26
#[test]
fn a_tool_of_the_host_is_granted_by_its_name_and_by_nothing_else() {
    assert_eq!(result("{ script: a.yaml, tools: [lookup] }")["output"], "k");
    assert_eq!(result("{ script: a.yaml }")["error"]["code"], "grant_exceeds_parent");
}
