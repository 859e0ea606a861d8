//! The report and the event log, held against their published schemas with documents this room really writes.

#![allow(clippy::expect_used, reason = "a test stops at what it did not expect")]
use sandfork_model::{
    AgentError, Conflict, Counts, Event, EventBody, EventId, EventSink, Measures, MessageFacts, OnFailure, Outcome,
    RunId, RunRecord, RunStatus, Status, TaskRef, Tasks, Usage,
};
use sandfork_report::{EngineFacts, EventLines, ProgressLines, RunFacts, report, schema, summary};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn run() -> RunId {
    RunId { name: "demo".into(), id: "demo-1".into() }
}

fn ok(task: TaskRef, output: Value) -> Outcome {
    Outcome {
        task: Arc::new(task),
        status: Status::Ok,
        output: Some(output),
        error: None,
        counts: Counts { turns: 3, messages: 7, elapsed_ns: 240_000_000, fuel_used: 1_234_567, ..Counts::default() },
        on_failure: OnFailure::Propagate,
        is_added: false,
        is_loser: false,
    }
}

fn refused(task: TaskRef) -> Outcome {
    Outcome {
        task: Arc::new(task),
        status: Status::Refused,
        output: None,
        error: Some(AgentError {
            code: "task_budget_exceeded".into(),
            message: "beta was not started: the run has used its 1 task".into(),
            details: json!({ "asked": 1, "left": 0, "limit": 1, "node": "demo", "dimension": "tasks" }),
        }),
        counts: Counts::default(),
        on_failure: OnFailure::Skip,
        is_added: false,
        is_loser: false,
    }
}

fn record() -> RunRecord {
    RunRecord {
        status: RunStatus::Partial,
        is_interrupted: false,
        tasks_used: 1,
        max_depth_reached: Some(0),
        elapsed_ns: 1_000_000_000,
        outcomes: vec![
            ok(
                TaskRef::top(&run(), "alpha", "alpha", 0),
                json!({ "reply": "done", "artifact_refs": ["artifact://a/v1"], "evidence_refs": ["x", 1] }),
            ),
            refused(TaskRef::top(&run(), "beta", "beta", 1)),
        ],
        merged: json!({ "fact:population": "14M", "fact:area": 2 }),
        conflicts: vec![Conflict {
            key: "fact:population".into(),
            kept: json!("14M"),
            rejected: json!("13M"),
            kept_task_id: "alpha".into(),
            rejected_task_id: "beta".into(),
        }],
        events: BTreeMap::from([("run_started", 1), ("run_finished", 1), ("spawn_refused", 1)]),
        measures: Measures {
            tasks: Tasks { own: 2, own_ok: 1, counted: 2, counted_ok: 1, blocked: 0 },
            ..Measures::default()
        },
        metrics: json!({ "context": { "forks": 1, "layers": { "rules": { "bytes": 4, "tokens": 1 } } } }),
        usage: Usage { model_calls: 3, tool_calls: 2, is_ledger_whole: true, ..Usage::default() },
    }
}

fn document() -> Value {
    let engine = EngineFacts {
        versions: vec![("sandfork".into(), "0.1.0".into()), ("wasmtime".into(), "48.0.8".into())],
        price_table_digest: "0".repeat(64),
    };
    report(&record(), &RunFacts { run_id: "demo-1", goal: "compare", workspace: None, engine: &engine })
}

fn check(schema: &str, document: &Value) {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let wrong: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{document:#}");
}

fn bodies() -> Vec<EventBody> {
    vec![
        EventBody::RunStarted { tasks: 2 },
        EventBody::SubagentFork { fuel: 10, tools: 2, queued_ns: 0 },
        EventBody::ToolCall { tool: "read_file".into(), argument_bytes: 20 },
        EventBody::ToolResult { tool: "read_file".into(), is_ok: true, result_bytes: 20, code: None },
        EventBody::ModelCall { turn: 1, is_ok: true, input_tokens: 1, output_tokens: 2 },
        EventBody::Note { bytes: 5 },
        EventBody::BudgetReserved { fuel: 1, turns: 1 },
        EventBody::BudgetReturned { fuel: 1, turns: 1 },
        EventBody::WaterLevel { dimension: "fuel", percent: 60 },
        EventBody::Fused { reason: "fuel".into() },
        EventBody::LoopDetected { tool: "read_file".into() },
        EventBody::Truncated { what: "tool_result", bytes: 10, limit: 5 },
        EventBody::MergeConflict { key: "k".into(), kept_task_id: "a".into(), rejected_task_id: "b".into() },
        EventBody::ArtifactPut { name: "a".into(), version: 1, bytes: 3, sha256: "0".repeat(64) },
        EventBody::Cancelled { reason: "parent" },
        EventBody::LateResultDropped { tool: "slow".into(), late_ns: 5 },
        EventBody::Planned { tasks: 3, replan: 1 },
        EventBody::Reviewed { task_id: "draft".into(), attempt: 1, verdict: "PASS" },
        EventBody::SpawnRefused { agent: "beta".into(), task_id: "root/2".into(), code: "unknown_subagent" },
        EventBody::DepthLimit { agent: "beta".into(), task_id: "root/3".into(), depth: 3, max_depth: 2 },
        EventBody::SubagentReturn {
            status: "failed",
            code: Some("subagent_failed".into()),
            fuel_used: 1,
            elapsed_ns: 2_000_000,
            output_bytes: 0,
            message: MessageFacts::default(),
        },
        EventBody::RunFinished { status: "failed", tasks_used: 1 },
    ]
}

fn events() -> Vec<Event> {
    let task = Arc::new(TaskRef::top(&run(), "root", "lead", 0));
    let event = |(n, body): (usize, EventBody)| Event {
        task: Arc::clone(&task),
        seq_no: n as u64 + 1,
        cause: (n > 0).then(|| EventId { task_id: "root".into(), seq_no: n as u64 }),
        at_ns: 1_500_000,
        body,
        artifact_refs: Vec::new(),
        standing: None,
    };
    bodies().into_iter().enumerate().map(event).collect()
}

#[test]
fn a_report_meets_its_schema() {
    check(schema::REPORT, &document());
}

#[test]
fn a_report_keeps_the_field_order_of_the_design() {
    let document = document();
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&document),
        "schema run_id status tasks_used max_depth_reached elapsed_ms workspace engine context results merged \
         conflicts events usage metrics"
    );
    assert_eq!(
        keys(&document["results"][0]),
        "task_id parent_task_id agent depth status ok output error summary artifact_refs evidence_refs unresolved \
         turns messages tool_messages tool_calls host_calls fuel_used peak_memory_bytes queued_ms elapsed_ms notes"
    );
}

// OR-14
#[test]
fn the_orchestrators_context_is_two_lines_without_a_value() {
    assert_eq!(document()["context"], json!(["goal: compare", "merged: fact:population, fact:area"]));
}

#[test]
fn times_are_milliseconds_with_a_fraction() {
    assert!(document().to_string().contains("\"elapsed_ms\":1000.0,"));
}

// M4-07, GV-12
#[test]
fn a_result_carries_what_the_fork_says_it_did_and_refers_to() {
    let document = document();
    let alpha = &document["results"][0];
    assert_eq!(alpha["summary"], "done");
    assert_eq!(alpha["artifact_refs"], json!(["artifact://a/v1"]));
    assert_eq!(alpha["evidence_refs"], json!([]), "a list that is not all text counts as none");
    assert_eq!(document["results"][1]["summary"], Value::Null);
}

// OR-36
#[test]
fn a_conflict_names_both_values_and_both_tasks() {
    assert_eq!(
        document()["conflicts"],
        json!([{ "key": "fact:population", "kept": "14M", "rejected": "13M",
                 "kept_task_id": "alpha", "rejected_task_id": "beta" }])
    );
}

// GV-17, OR-41
#[test]
fn every_type_of_event_meets_the_schema() {
    let mut log = Vec::new();
    let mut lines = EventLines::new(&mut log);
    for (seq, event) in events().iter().enumerate() {
        lines.write(seq as u64, event).expect("written");
    }
    lines.flush().expect("written");
    let text = String::from_utf8(log).expect("UTF-8");
    assert_eq!(text.lines().count(), bodies().len());
    for line in text.lines() {
        check(schema::EVENT, &serde_json::from_str(line).expect("one document a line"));
    }
}

#[test]
fn the_event_schema_knows_exactly_the_types_of_the_model() {
    let schema: Value = serde_json::from_str(schema::EVENT).expect("JSON");
    let known = schema["properties"]["event_type"]["enum"].as_array().expect("a list");
    let mut known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
    let bodies = bodies();
    let mut written: Vec<&str> = bodies.iter().map(EventBody::event_type).collect();
    known.sort_unstable();
    written.sort_unstable();
    assert_eq!(known, written);
}

#[test]
fn progress_tells_starts_ends_plans_reviews_and_refusals_and_nothing_else() {
    let mut text = Vec::new();
    let mut lines = ProgressLines::new(&mut text);
    for (seq, event) in events().iter().enumerate() {
        lines.write(seq as u64, event).expect("written");
    }
    assert_eq!(
        String::from_utf8(text).expect("UTF-8"),
        "[   0.001 s] root (lead) started\n\
         [   0.001 s] planned 3 tasks (replan 1)\n\
         [   0.001 s] draft reviewed: PASS (attempt 1)\n\
         [   0.001 s] root/2 (beta) refused (unknown_subagent)\n\
         [   0.001 s] root/3 (beta) refused (delegation_depth_exceeded: depth 3, limit 2)\n\
         [   0.001 s] root (lead) failed after 2 ms (subagent_failed)\n"
    );
}

#[test]
fn the_summary_lists_forks_and_says_what_to_do() {
    assert_eq!(
        summary(&record(), "demo-1", Some("runs/demo-1/workspace")),
        "run demo-1: partial in 1000 ms, 1 fork\n\
         \n\
         \x20 task   agent  status   turns  tools       fuel    time\n\
         \x20 alpha  alpha  ok           3      0  1 234 567  240 ms\n\
         \x20 beta   beta   refused      0      0          0    0 µs\n\
         \n\
         beta: beta was not started: the run has used its 1 task [task_budget_exceeded]\n\
         1 of 2 did not end ok: --json has every detail, --transcript DIR shows what each fork saw\n\
         conflict: `fact:population` was kept from alpha; beta says otherwise\n\
         result: {\"fact:population\":\"14M\",\"fact:area\":2}\n\
         workspace: runs/demo-1/workspace\n"
    );
}

// GV-46
#[test]
fn attempts_that_were_done_again_are_told_apart_from_what_counts() {
    let mut record = record();
    record.status = RunStatus::Completed;
    record.measures.tasks = Tasks { own: 1, own_ok: 1, counted: 1, counted_ok: 1, blocked: 0 };
    let text = summary(&record, "demo-1", None);
    assert!(text.contains("1 of 2 did not end ok (1 of them done again"), "{text}");
}

#[test]
fn a_result_stands_on_one_line_and_nothing_is_said_where_there_is_none() {
    let mut record = record();
    record.merged = json!({ "text": "x\u{1b}[31m\n".repeat(1_000) });
    let text = summary(&record, "demo-1", None);
    let line = text.lines().find(|line| line.starts_with("result: ")).expect("a line");
    assert!(line.chars().count() < 500 && !line.contains('\u{1b}') && line.ends_with('…'), "{line}");
    for nothing in [Value::Null, json!({})] {
        record.merged = nothing;
        assert!(!summary(&record, "demo-1", None).contains("result:"));
    }
}

#[test]
fn a_run_without_failures_asks_for_nothing() {
    let mut record = record();
    record.outcomes.truncate(1);
    record.conflicts.clear();
    let text = summary(&record, "demo-1", None);
    assert!(!text.contains("hint") && !text.contains("did not end ok"), "{text}");
}
