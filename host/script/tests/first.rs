//! The example of the design, end to end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod fake;
use fake::{Call, Failure, compile, run};
use serde_json::{Value, json};

const ALPHA: &str = r#"
agent: alpha
description: Sets VALUE in alpha_module.py
tools: [read_file, edit_file]
turns:
  - think: 80ms
    say: "Read the module first."
    do:
      - { tool: read_file, with: { path: alpha_module.py }, as: source }
  - think: 80ms
    do:
      - { tool: edit_file, with: { path: alpha_module.py, old: "VALUE = 1", new: "VALUE = 42" } }
  - think: 80ms
    return: { reply: "alpha: VALUE is 42", bytes: "${source.bytes}" }
"#;

#[test]
fn the_example_of_the_design_runs() {
    let ran = run(&compile(ALPHA), "{}", |name: &str, _: &Value| match name {
        "read_file" => Ok("{\"text\":\"VALUE = 1\",\"bytes\":10}".to_owned()),
        "edit_file" | "model" => Ok("{}".to_owned()),
        _ => Err(Failure::new("tool_unknown", "no such tool", "{}")),
    });
    assert_eq!(ran.outcome, Ok(json!({ "reply": "alpha: VALUE is 42", "bytes": 10 })));
    let tool = |name: &str, arguments: Value| Call::Tool(name.into(), arguments);
    assert_eq!(
        ran.calls,
        [
            tool("model", json!({"provider":"scripted","turn":1,"think_ns":80000000,"say":"Read the module first."})),
            tool("read_file", json!({"path":"alpha_module.py"})),
            tool("model", json!({"provider":"scripted","turn":2,"think_ns":80000000})),
            tool("edit_file", json!({"path":"alpha_module.py","old":"VALUE = 1","new":"VALUE = 42"})),
            tool("model", json!({"provider":"scripted","turn":3,"think_ns":80000000})),
        ]
    );
}
