//! The contract of documents 002 and 003 from plan files: shortages, homogeneous forks, task packets, reviews.

use crate::harness::{Ran, Run};
use serde_json::{Value, json};

fn run(plan: &str, code: i32) -> Ran {
    Run::fixture(plan).with(["--virtual-time", "--transcript", "threads"]).json().expect_code(code)
}

fn thread(ran: &Ran, task: &str) -> Value {
    let file = ran.path("threads").join(format!("{}.json", task.replace('/', "__")));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).expect("a document")
}

fn results(ran: &Ran) -> Vec<Value> {
    ran.report()["results"].as_array().expect("results").clone()
}

// GV-27, GV-28, GV-31, GV-32, HOSTILE 17
#[test]
fn four_children_of_thirty_thousand_do_not_fit_a_hundred_thousand() {
    let ran = run("overcommit/plan.yaml", 3);
    assert_eq!(ran.report()["merged"]["statuses"], json!(["ok", "ok", "ok", "refused"]));
    let refused = ran.result("root/4");
    assert_eq!(refused["error"]["code"], "budget_exceeded");
    assert_eq!(refused["error"]["details"]["dimension"], "input_tokens");
    assert_eq!(refused["error"]["details"]["asked"], 30_000);
    assert_eq!(ran.report()["usage"]["ledger_whole"], true);
}

// GV-29, GV-30: queue, shrink, another tier
#[test]
fn a_shortage_is_queued_shrunk_or_moved_to_another_tier_where_the_plan_says_so() {
    for plan in ["queue", "shrink", "tier"] {
        let ran = run(&format!("overcommit/{plan}.yaml"), 0);
        assert_eq!(ran.report()["merged"]["statuses"], json!(["ok", "ok", "ok", "ok"]), "{plan}");
        assert_eq!(ran.report()["usage"]["ledger_whole"], true);
        let elapsed = ran.report()["elapsed_ms"].as_f64().expect("a number");
        assert_eq!(plan == "queue", elapsed > 160.0, "{plan}: only the queued child runs after the others ({elapsed})");
    }
}

// HF-01, HF-02, HF-03, HF-06, HF-07, HF-08
#[test]
fn a_homogeneous_fork_differs_from_its_parent_in_exactly_four_things() {
    let ran = run("shopping/plan.yaml", 3);
    let (root, child) = (thread(&ran, "root"), thread(&ran, "root/1"));
    let tools = |thread: &Value| thread["task"]["tools"].clone();
    assert_eq!(tools(&root), tools(&child), "the same tool list, the dispatch tool included");
    let names: Vec<Value> = tools(&root).as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect();
    assert!(names.contains(&json!("fork_subagents")));
    let dispatchable = names.iter().filter(|name| !["budget", "sleep"].contains(&name.as_str().expect("a name")));
    assert_eq!(dispatchable.count(), 13, "{names:?}");
    // 1: the model tier.
    assert_eq!((&root["task"]["budget"]["tier"], &child["task"]["budget"]["tier"]), (&Value::Null, &json!("fast")));
    // 2: the thread's id, seeded.
    let events = ran.events_of("subagent_fork");
    let id = |task: &str| events.iter().find(|e| e["task_id"] == task).expect("a fork")["agent_id"].clone();
    let child_id = id("root/1").as_str().expect("text").to_owned();
    assert_ne!(json!(child_id), id("root"));
    let hex = child_id.strip_prefix("sub-").and_then(|rest| rest.strip_suffix("-d1")).expect("sub-{8 hex}-d1");
    assert!(hex.len() == 8 && hex.chars().all(|c| c.is_ascii_hexdigit()), "{child_id}");
    // 3: the workspace is its parent's; 4: what it may execute at its depth. The role is the same.
    let identity = |thread: &Value| thread["messages"][0]["content"].as_str().expect("text").to_owned();
    assert!(identity(&root).contains("Role: Finds offers") && identity(&child).contains("Role: Finds offers"));
    assert_eq!(ran.result("root/1")["output"]["compare"], "tool_denied_at_depth");
}

// HF-04, HF-05, HF-10..16, HF-17, HF-18, HF-19, HF-21, HF-24, HF-30
#[test]
fn five_platforms_are_covered_from_three_demands_with_one_search_each() {
    let ran = run("shopping/plan.yaml", 3);
    let results = results(&ran);
    assert_eq!(results.len(), 6);
    let agents: Vec<&Value> = results.iter().skip(1).map(|result| &result["task_id"]).collect();
    assert_eq!(agents, ["root/1", "root/2", "root/3", "root/4", "root/5"]);
    let answer = thread(&ran, "root")["messages"].as_array().expect("messages").clone();
    let forks = answer.iter().find(|message| message["tool"] == "fork_subagents").expect("the answer");
    let forks: Value = serde_json::from_str(forks["content"].as_str().expect("text")).expect("JSON");
    let added: Vec<&Value> =
        forks["outcomes"].as_array().expect("outcomes").iter().map(|o| &o["info"]["added"]).collect();
    assert_eq!(added, [false, false, false, true, true], "two demands were added, behind the others");
    // One search each; the second is refused, at every child.
    for task in ["root/1", "root/2", "root/3", "root/4"] {
        assert_eq!(ran.result(task)["output"]["again"], "tool_calls_exceeded", "{task}");
    }
    // HF-15: one that explodes leaves the others as they are; the main loop goes on and decides.
    assert_eq!(ran.result("root/5")["error"]["details"]["code"], "unreachable");
    assert_eq!(ran.report()["merged"], json!({"found": false, "best": "dune", "searches": 5}));
    // HF-17: `max_depth: 1` is document 002's one level; HF-27: five slots, so nobody queued.
    assert_eq!(ran.report()["max_depth_reached"], 1);
    assert!(results.iter().all(|result| result["queued_ms"] == 0.0));
}

// HF-27: the semaphore queues, it does not refuse
#[test]
fn with_fewer_slots_the_children_queue() {
    let ran = Run::fixture("shopping/plan.yaml").with(["--virtual-time", "--limit", "max_concurrency=2"]).json();
    let ran = ran.expect_code(3);
    assert_eq!(results(&ran).len(), 6);
    assert!(results(&ran).iter().any(|result| result["queued_ms"].as_f64().expect("a number") > 0.0));
    assert_eq!(results(&ran).iter().filter(|result| result["status"] == "ok").count(), 5);
}

// HF-28, HF-29, HF-31
#[test]
fn five_children_with_three_searches_each_are_read_as_fifteen() {
    let ran = run("shopping/uncapped.yaml", 0);
    assert_eq!(ran.report()["merged"], json!({"searches": 15}));
}

// HF-22, X-11: a step is a turn, never a host call
#[test]
fn the_iteration_limit_counts_turns() {
    let script = "agent: chatty\ntools: [peek]\nturns:\n  - do: [{ repeat: 20, do: [{ tool: peek }] }]\n  - say: two\n  - say: three\n  - return: {}\n";
    let plan = "run: chatty\nagents:\n  chatty: { script: chatty.yaml, tools: [peek] }\ntools: { peek: { script: [{ result: {} }] } }\nlimits: { steps: 3 }\nroot: { agent: chatty, goal: g }\n";
    let ran = Run::plan(plan).file("chatty.yaml", script).arg("--virtual-time").json().expect_code(1);
    let result = ran.result("root");
    assert_eq!((&result["status"], &result["error"]["code"]), (&json!("out_of_budget"), &json!("iteration_limit")));
    assert_eq!((&result["turns"], &result["tool_calls"]), (&json!(3), &json!(20)));
}

// GV-05, GV-06, GV-07, GV-10
#[test]
fn the_task_packet_has_its_fields_and_only_its_tools() {
    let ran = run("incident/plan.yaml", 3);
    let task = thread(&ran, "inspect-payment-logs")["task"].clone();
    assert_eq!(task["run_id"], "incident-20260908");
    assert_eq!(task["acceptance_criteria"].as_array().expect("a list").len(), 2);
    assert_eq!(task["context_refs"], json!(["artifact://release-record/v2"]));
    let tools: Vec<Value> = task["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(tools, ["read_trace", "search_logs", "budget", "sleep"]);
    let budget = &task["budget"];
    let figures = [&budget["input_tokens"], &budget["output_tokens"], &budget["steps"], &budget["timeout_ms"]];
    assert_eq!(json!(figures), json!([12_000, 2_000, 8, 45_000]));
    assert_eq!(task["output_schema"]["required"], json!(["summary", "evidence_refs"]));
}

// GV-01, GV-03, GV-08, GV-59
#[test]
fn a_workers_guess_stays_its_own_and_a_timeout_is_not_an_empty_record() {
    let ran = run("incident/plan.yaml", 3);
    assert!(thread(&ran, "inspect-metrics")["notes"].to_string().contains("GUESS"));
    for other in ["inspect-payment-logs", "inspect-releases"] {
        let text = thread(&ran, other).to_string();
        assert!(!text.contains("GUESS") && !text.contains("connection pool"), "{other}");
    }
    let releases = ran.result("inspect-releases");
    assert_eq!(releases["status"], "timeout");
    assert_eq!(releases["output"], Value::Null);
    assert!(ran.report()["merged"].get("release:record").is_none(), "no record was read, and none is claimed");
    assert_eq!(ran.report()["status"], "partial");
}

// GV-12, GV-36, GV-60
#[test]
fn a_reviewer_accepts_the_analysis_on_its_evidence() {
    let ran = run("incident/plan.yaml", 3);
    let logs = ran.result("inspect-payment-logs");
    assert_eq!(logs["status"], "ok");
    assert_eq!(logs["evidence_refs"], json!(["trace://log-query/8841"]));
    assert_eq!(logs["unresolved"], json!(["why the pool ran dry"]));
    assert_eq!(ran.result("inspect-payment-logs.review")["output"]["verdict"], "PASS");
}

// GV-07, GV-51: the layers are measured
#[test]
fn the_layers_of_the_packet_are_weighed_in_the_report() {
    let ran = run("incident/plan.yaml", 3);
    let context = ran.report()["metrics"]["context"].clone();
    let layers = context["layers"].as_object().expect("layers");
    let names: Vec<&String> = layers.keys().collect();
    assert_eq!(names, ["rules", "role", "packet", "dependencies", "tools", "budget", "shared"]);
    for (name, layer) in layers {
        let (bytes, tokens) = (layer["bytes"].as_u64().expect("bytes"), layer["tokens"].as_u64().expect("tokens"));
        assert_eq!(tokens, bytes.div_ceil(4), "{name}");
        assert_eq!(bytes == 0, name == "shared", "{name}: this plan shares nothing");
    }
}

// GV-33: each dimension can be limited, and the limit is met by name
#[test]
fn every_dimension_that_a_script_can_spend_has_a_limit_that_ends_it() {
    let script = "agent: busy\ntools: [peek]\nturns:\n  - say: \"0123456789\"\n    do:\n      - note: \"0123456789\"\n      - { tool: peek }\n      - note: \"0123456789\"\n      - { tool: peek }\n  - say: \"0123456789\"\n    return: { text: \"0123456789\" }\n";
    for (dimension, limit) in [
        ("host_calls", "host_calls: 3"),
        ("note_bytes", "note_bytes: 15"),
        ("result_bytes", "result_bytes: 30"),
        ("output_bytes", "output_bytes: 10"),
        ("input_tokens", "input_tokens: 400"),
        ("output_tokens", "output_tokens: 4"),
        ("turns", "steps: 1"),
    ] {
        let plan = format!(
            "run: busy\nagents:\n  busy: {{ script: busy.yaml, tools: [peek], budget: {{ {limit} }} }}\ntools: {{ peek: {{ script: [{{ result: {{ seen: 0123456789 }} }}] }} }}\ngoal: g\ntasks: [{{ id: t, agent: busy, goal: g }}]\n"
        );
        let ran = Run::plan(&plan).file("busy.yaml", script).arg("--virtual-time").json().expect_code(1);
        let result = ran.result("t");
        assert_eq!(result["status"], "out_of_budget", "{dimension}: {result:#}");
        assert_eq!(result["error"]["details"]["dimension"], dimension, "{result:#}");
        assert_eq!(ran.report()["usage"]["ledger_whole"], true);
    }
}

// GV-04, GV-11, GV-13, GV-14: content travels as an artifact; its reference does not change what it leads to
#[test]
fn an_artifact_is_stored_read_by_parts_and_told_in_the_log_by_its_digest() {
    let script = "agent: writer\ntools: [artifact_put, artifact_get]\nturns:\n  - do:\n      - { tool: artifact_put, with: { name: report, text: \"one\\ntwo\\nthree\" }, as: first }\n      - { tool: artifact_put, with: { name: report, text: \"other\" }, as: second }\n      - { tool: artifact_get, with: { ref: \"${first.ref}\", line: 2, lines: 1 }, as: part }\n      - return: { summary: \"Two lines.\", artifact_refs: [\"${first.ref}\"], part: \"${part.text}\", newer: \"${second.ref}\" }\n";
    let plan = "run: writer\nagents:\n  writer: { script: writer.yaml, tools: [artifact_put, artifact_get] }\nroot: { agent: writer, goal: g }\n";
    let ran = Run::plan(plan).file("writer.yaml", script).arg("--virtual-time").json().expect_code(0);
    let result = ran.result("root");
    assert_eq!(result["output"]["part"], "two\n");
    assert_eq!(result["output"]["newer"], "artifact://report/v2");
    assert_eq!(result["artifact_refs"], json!(["artifact://report/v1"]));
    let stored = ran.events_of("artifact_put");
    let versions: Vec<&Value> = stored.iter().map(|event| &event["attrs"]["version"]).collect();
    assert_eq!(versions, [1, 2]);
    assert_eq!(stored[0]["attrs"]["sha256"].as_str().expect("a digest").len(), 64);
    let events = std::fs::read_to_string(ran.path("events.jsonl")).expect("events");
    assert!(!events.contains("three"), "no text in the log");
}
