//! The contract of `fork_subagents` and the counts of the founding demo.

use crate::harness::{Ran, Run, fixture};
use serde_json::{Value, json};

fn two_modules() -> Ran {
    Run::fixture("fork-two-modules/plan.yaml").arg("--virtual-time").json().expect_code(0)
}

/// The fixture with one of its scripts replaced.
fn with(script: &str, text: &str) -> Run {
    let mut run = Run::args(["run", "plan.yaml", "--virtual-time"]);
    for file in
        ["plan.yaml", "lead.yaml", "alpha.yaml", "beta.yaml", "workspace/alpha_module.py", "workspace/beta_module.py"]
    {
        let source = std::fs::read(fixture("fork-two-modules").join(file)).expect("the fixture");
        run = run.file(file, if file == script { text.as_bytes().to_vec() } else { source });
    }
    run
}

fn lead(tasks: &str) -> String {
    format!(
        "agent: lead\nspawn: [alpha, beta]\nturns:\n  - do:\n      - tool: fork_subagents\n        with: {{ tasks: {tasks} }}\n        as: forks\n  - do:\n      - if: {{ ok: forks }}\n        then: [{{ return: \"${{forks}}\" }}]\n        else: [{{ return: \"${{forks.error}}\" }}]\n"
    )
}

// M4-12, M4-13, M4-25..29, M4-30, M4-31
#[test]
fn messages_turns_and_tool_messages_are_those_of_the_demo() {
    let ran = two_modules();
    let report = ran.report();
    assert_eq!(report["status"], "completed");
    let counts: Vec<Value> = report["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| json!([result["agent"], result["messages"], result["turns"], result["tool_messages"]]))
        .collect();
    assert_eq!(json!(counts), json!([["lead", 5, 2, 1], ["alpha", 7, 3, 2], ["beta", 7, 3, 2]]));
}

// M4-39, M4-40
#[test]
fn both_files_are_changed_in_the_copy_and_the_source_is_untouched() {
    let ran = two_modules();
    assert_eq!(ran.workspace_file("alpha_module.py").lines().nth(1), Some("VALUE = 42"));
    assert_eq!(ran.workspace_file("beta_module.py").lines().nth(1), Some("TIMEOUT = 30"));
    let source = std::fs::read_to_string(fixture("fork-two-modules/workspace/alpha_module.py")).expect("the source");
    assert_eq!(source.lines().nth(1), Some("VALUE = 1"));
}

// M4-13, M4-14, M4-15, M4-18, M4-10
#[test]
fn one_answer_carries_a_line_of_reply_and_figures_for_each_child() {
    let ran = with("lead.yaml", &lead("[{ agent: alpha, goal: a }, { agent: beta, goal: b }]")).json().expect_code(0);
    let answer = &ran.report()["merged"];
    assert_eq!(answer["ok"], true);
    assert_eq!(answer.get("error"), None);
    let text = answer["text"].as_str().expect("a text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[1].contains("alpha (ok)") && lines[1].contains("VALUE is 42"), "{text}");
    assert!(lines[2].contains("beta (ok)") && lines[2].contains("turns 3, messages 7"), "{text}");
    assert!(lines[1].contains("elapsed      240."), "fixed width: {text}");
    // It hangs on the very call that asked: the call's event is its cause, and there is one call and one answer.
    let calls = ran.events_of("tool_call");
    let call = calls.iter().find(|event| event["task_id"] == "root").expect("the lead's call");
    let results = ran.events_of("tool_result");
    let result = results.iter().find(|event| event["task_id"] == "root").expect("the lead's answer");
    assert_eq!(result["parent_event_id"], call["event_id"]);
}

// M4-33, M4-34
#[test]
fn a_faster_beta_still_comes_second() {
    let beta = std::fs::read_to_string(fixture("fork-two-modules/beta.yaml")).expect("beta").replace("80ms", "1ms");
    let ran = with("beta.yaml", &beta).json().expect_code(0);
    let agents: Vec<Value> =
        ran.report()["results"].as_array().expect("results").iter().map(|result| result["agent"].clone()).collect();
    assert_eq!(agents, ["lead", "alpha", "beta"]);
    let returns: Vec<Value> = ran.events_of("subagent_return").iter().map(|event| event["agent"].clone()).collect();
    assert_eq!(returns, ["beta", "alpha", "lead"], "beta really was faster");
}

// M4-19, M4-20
#[test]
fn one_unknown_name_refuses_the_whole_call_before_any_sandbox_exists() {
    let ran = with("lead.yaml", &lead("[{ agent: alpha, goal: a }, { agent: gamma, goal: b }]")).json().expect_code(0);
    let report = ran.report();
    let error = &report["merged"];
    assert_eq!(error["code"], "unknown_subagent");
    assert!(error["message"].as_str().expect("text").starts_with("unknown agent gamma"), "{error}");
    assert_eq!(error["details"]["tool"], "fork_subagents");
    assert_eq!(report["results"].as_array().expect("results").len(), 1, "the lead alone");
    assert_eq!(report["tasks_used"], 1);
    assert_eq!(ran.events_of("subagent_fork").len(), 1, "no other sandbox was made");
}

// M4-21, M4-22, M4-23, M4-24, M4-11, HOSTILE 28
#[test]
fn a_child_with_no_replies_fails_alone_and_its_parent_goes_on() {
    let ran = with("alpha.yaml", "agent: alpha\nturns: []\n").json().expect_code(3);
    let report = ran.report();
    assert_eq!(report["status"], "partial");
    let alpha = ran.result("root/1");
    assert_eq!(alpha["status"], "failed");
    assert_eq!(alpha["error"]["code"], "subagent_failed");
    assert_eq!(alpha["error"]["details"]["cause"], "exhausted");
    assert_eq!(alpha["error"]["details"]["agent"], "alpha");
    assert!(alpha["error"]["message"].as_str().expect("text").contains("script replies exhausted"));
    assert_eq!(ran.result("root/2")["status"], "ok");
    assert_eq!(ran.result("root")["status"], "ok");
    assert_eq!(report["merged"], json!({"ok": false, "alpha": "failed", "beta": "ok"}));
}

// M4-16, M4-17: forking is one more tool; the others work beside it in the same agent
#[test]
fn an_agent_that_forks_uses_its_other_tools_as_before() {
    let plan = "run: both\nagents:\n  lead: { script: lead.yaml, tools: [read_file], spawn: [leaf] }\n  leaf: { script: leaf.yaml }\nworkspace: ws\nroot: { agent: lead, goal: g }\n";
    let lead = "agent: lead\ntools: [read_file]\nspawn: [leaf]\nturns:\n  - do:\n      - { tool: fork_subagents, with: { tasks: [{ agent: leaf, goal: g }] }, as: forks }\n      - { tool: read_file, with: { path: a.txt }, as: file }\n      - return: { ok: \"${forks.ok}\", text: \"${file.text}\" }\n";
    let ran = Run::plan(plan)
        .file("lead.yaml", lead)
        .file("leaf.yaml", "agent: leaf\nturns:\n  - return: {}\n")
        .file("ws/a.txt", "still here")
        .json()
        .expect_code(0);
    assert_eq!(ran.report()["merged"], json!({"ok": true, "text": "still here"}));
    assert_eq!(ran.result("root")["tool_messages"], 2);
}

// M4-08, M4-37, M4-38, X-9
#[test]
fn the_parents_trace_holds_of_its_children_only_fork_and_return() {
    let ran = two_modules();
    let trace: Vec<String> = ran
        .events()
        .iter()
        .filter(|event| {
            let is_childs = event["parent_task_id"] == "root";
            let is_lifecycle = ["subagent_fork", "subagent_return"].iter().any(|kind| event["event_type"] == *kind);
            event["task_id"] == "root" || is_childs && is_lifecycle
        })
        .map(|event| format!("{} {}", event["agent"].as_str().unwrap(), event["event_type"].as_str().unwrap()))
        .collect();
    let mut of_children: Vec<&String> = trace.iter().filter(|line| !line.starts_with("lead")).collect();
    // Who returns first is a matter of a few units of fuel; arrival is not request order.
    of_children.sort();
    assert_eq!(
        of_children,
        ["alpha subagent_fork", "alpha subagent_return", "beta subagent_fork", "beta subagent_return"]
    );
    let all = ran.events();
    assert!(all.iter().any(|event| event["task_id"] == "root/1" && event["event_type"] == "tool_call"));
    assert!(!trace.iter().any(|line| line == "alpha tool_call"));
    // one writer: arrival numbers are whole and in order
    let seqs: Vec<u64> = all.iter().map(|event| event["seq"].as_u64().expect("a number")).collect();
    assert_eq!(seqs, (1..=all.len() as u64).collect::<Vec<_>>());
}

// M4-35, HOSTILE 38
#[test]
fn two_runs_are_the_same_bytes_with_one_and_two_workers() {
    let run = |workers: &str| {
        let ran = Run::fixture("fork-two-modules/plan.yaml")
            .with(["--virtual-time", "--workers", workers])
            .json()
            .expect_code(0);
        (ran.stdout.clone(), std::fs::read_to_string(ran.path("events.jsonl")).expect("events"))
    };
    let first = run("1");
    assert_eq!(run("1"), first);
    assert_eq!(run("2"), first);
}

// HOSTILE 39: the component is self-contained
#[test]
fn compiled_agents_run_as_their_sources_did_when_those_are_gone() {
    let from_sources = two_modules();
    let source = fixture("fork-two-modules");
    let mut plan = std::fs::read_to_string(source.join("plan.yaml")).expect("the plan");
    let mut run = Run::args(["run", "plan.yaml", "--virtual-time"]);
    for agent in ["lead", "alpha", "beta"] {
        let script = source.join(format!("{agent}.yaml")).display().to_string();
        let compiled = Run::args(["compile", &script, "-o", "agent.wasm"]).go().expect_code(0);
        let again = Run::args(["compile", &script, "-o", "agent.wasm"]).go().expect_code(0);
        let bytes = std::fs::read(compiled.path("agent.wasm")).expect("the component");
        assert_eq!(bytes, std::fs::read(again.path("agent.wasm")).expect("the component"), "the same bytes each time");
        assert!(bytes.len() < 16 * 1024, "{agent} has {} bytes", bytes.len());
        plan = plan.replace(&format!("script: {agent}.yaml"), &format!("component: {agent}.wasm"));
        run = run.file(&format!("{agent}.wasm"), bytes);
    }
    for module in ["alpha_module.py", "beta_module.py"] {
        let bytes = std::fs::read(source.join("workspace").join(module)).expect("the module");
        run = run.file(&format!("workspace/{module}"), bytes);
    }
    let compiled = run.file("plan.yaml", plan).json().expect_code(0);
    assert_eq!(compiled.report()["results"], from_sources.report()["results"]);
    assert_eq!(compiled.events(), from_sources.events());
}
