//! The incident of document 003 from its plan file: three workers in parallel, artifacts that stay what they were, the
//! envelope and the message of a task's end, and a timeout that is not an empty answer.

use crate::harness::{Ran, Run};
use sandfork::KeptArtifacts;
use serde_json::{Value, json};

fn incident() -> Ran {
    let run = Run::fixture("incident/plan.yaml").with(["--virtual-time", "--transcript", "threads"]);
    run.json().expect_code(3)
}

fn kept(ran: &Ran) -> KeptArtifacts {
    let run = ran.path("state/runs/incident-20260908");
    KeptArtifacts::read(&run.join("artifacts")).expect("an index")
}

fn text(ran: &Ran, reference: &str) -> String {
    let kept = kept(ran);
    let entry = kept.entries().iter().find(|entry| entry.reference.to_string() == reference);
    kept.text(entry.unwrap_or_else(|| panic!("no {reference}"))).expect("whole")
}

fn end_of(ran: &Ran, task: &str) -> Value {
    let ends = ran.events_of("subagent_return");
    ends.into_iter().find(|event| event["task_id"] == task).unwrap_or_else(|| panic!("{task} never ended"))
}

// GV-06, GV-12, GV-17, GV-18
#[test]
fn the_end_of_a_task_is_an_envelope_with_its_key_and_fixed_versions() {
    let ran = incident();
    let logs = ran.result("inspect-payment-logs");
    let end = end_of(&ran, "inspect-payment-logs");
    assert_eq!(end["run_id"], "incident-20260908");
    assert_eq!(end["idempotency_key"], "inspect-payment-logs:completed:v3");
    assert_eq!(end["artifact_refs"], logs["artifact_refs"]);
    assert!(end["artifact_refs"][0].as_str().expect("a reference").ends_with(".search_logs/v3"), "{end}");
    let cause = end["parent_event_id"].as_str().expect("a cause");
    let fork = ran.events_of("subagent_fork").into_iter().find(|event| event["event_id"] == cause).expect("its start");
    assert_eq!((&fork["task_id"], &fork["agent_id"]), (&end["task_id"], &end["agent_id"]));
    assert!(end["seq_no"].as_u64() > fork["seq_no"].as_u64(), "one thread, in order");

    // The message of GV-12, in the result; in the log its sizes and digest.
    assert_eq!(logs["summary"], "First error PAY-5031 at 10:00:02; the checkout span took 5000 ms.");
    assert_eq!(logs["evidence_refs"], json!(["trace://log-query/8841"]));
    assert_eq!(logs["unresolved"], json!(["why the pool ran dry"]));
    assert_eq!((&end["attrs"]["evidence_refs"], &end["attrs"]["unresolved"]), (&json!(1), &json!(1)));
    let summary = logs["summary"].as_str().expect("text");
    assert_eq!(end["attrs"]["summary_bytes"], summary.len());
    assert_eq!(end["attrs"]["summary_sha256"], sandfork::model::sha256_hex(summary.as_bytes()));
    assert!(!end.to_string().contains("PAY-5031"), "metadata, never text");
}

// GV-17, GV-18: no two events of a run can be taken for one
#[test]
fn every_event_of_the_run_has_an_id_and_a_key_of_its_own() {
    let events = incident().events();
    for field in ["event_id", "idempotency_key"] {
        let mut seen: Vec<&str> = events.iter().map(|event| event[field].as_str().expect("text")).collect();
        seen.sort_unstable();
        let all = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), all, "{field}");
    }
    for event in &events {
        for field in ["run_id", "task_id", "agent_id", "seq_no", "parent_event_id", "event_type", "artifact_refs"] {
            assert!(event.get(field).is_some(), "{field} is missing in {event}");
        }
    }
}

// GV-14: what was accepted as v3 is v3, although v4 was written before it was read
#[test]
fn a_reviewer_that_accepts_the_third_version_never_sees_the_fourth() {
    let ran = incident();
    let (third, fourth) = ("artifact://payment-log-analysis/v3", "artifact://payment-log-analysis/v4");
    assert_eq!(ran.result("write-analysis")["output"]["analysis:ref"], third);
    assert_eq!(ran.result("revise-analysis")["output"]["next:ref"], fourth);
    let events = ran.events();
    let at = |wanted: &dyn Fn(&Value) -> bool| events.iter().position(wanted).expect("it happened");
    let written = at(&|event| event["event_type"] == "artifact_put" && event["artifact_refs"] == json!([fourth]));
    let read = at(&|event| {
        let is_read = event["event_type"] == "tool_result" && event["artifact_refs"] == json!([third]);
        is_read && event["task_id"] == "write-analysis.review"
    });
    assert!(written < read, "the fourth version was there when the third was read");
    let review = ran.result("write-analysis.review");
    assert_eq!(review["output"]["verdict"], "PASS");
    assert_eq!(review["output"]["comments"], text(&ran, third), "the reviewer read the bytes of the third");
    assert!(text(&ran, fourth).contains("Later:") && !text(&ran, third).contains("Later:"));
    let put = |version: u64| {
        let puts = ran.events_of("artifact_put").into_iter();
        let mut puts = puts.filter(|event| event["attrs"]["name"] == "payment-log-analysis");
        puts.find(|event| event["attrs"]["version"] == version).expect("told")["attrs"]["sha256"].clone()
    };
    assert_eq!(put(3), ran.result("write-analysis")["output"]["analysis:sha256"]);
    assert_ne!(put(3), put(4));
}

// GV-46: a worker that times out leaves what it had written, and the last event of its thread
#[test]
fn a_timeout_keeps_the_artifacts_that_were_written_before_it() {
    let ran = incident();
    assert_eq!(ran.result("inspect-releases")["status"], "timeout");
    assert!(text(&ran, "artifact://release-record/v2").contains("Unknown is not none"));
    let thread: Vec<Value> = ran.events().into_iter().filter(|event| event["task_id"] == "inspect-releases").collect();
    for (event, seq_no) in thread.iter().zip(1..) {
        assert_eq!(event["seq_no"], seq_no, "its thread has no gap");
    }
    assert_eq!(thread.last().expect("a last event")["event_type"], "subagent_return");
    assert_eq!(end_of(&ran, "inspect-releases")["idempotency_key"], "inspect-releases:timeout:v1");
}

// GV-08, GV-59: A's guess reaches nobody; C's timeout is not read as "no release record"
#[test]
fn neither_a_guess_nor_a_missing_answer_becomes_a_finding() {
    let ran = incident();
    for task in
        ["inspect-payment-logs", "inspect-releases", "write-analysis", "revise-analysis", "write-analysis.review"]
    {
        let thread = std::fs::read_to_string(ran.path(&format!("threads/{task}.json"))).expect("a transcript");
        assert!(!thread.contains("GUESS") && !thread.contains("aybe the connection pool"), "{task}");
    }
    let analysis = text(&ran, "artifact://payment-log-analysis/v3");
    assert!(analysis.contains("asked, not answered yet"), "{analysis}");
    let all: String = kept(&ran).entries().iter().map(|entry| text(&ran, &entry.reference.to_string())).collect();
    assert!(!all.contains("no release") && !all.contains("connection pool"), "{all}");
    assert!(ran.report()["merged"].get("release:record").is_none());
}

// GV-04, GV-11: what was read is named in what was made of it
#[test]
fn an_analysis_names_what_it_was_made_of() {
    let ran = incident();
    let kept = kept(&ran);
    let entry = kept.entries().iter().find(|entry| entry.reference.to_string() == "artifact://payment-log-analysis/v1");
    let entry = entry.expect("the first version");
    assert_eq!(entry.inputs, ["artifact://error-rate/v1", "artifact://release-record/v2"]);
    assert_eq!((entry.task_id.as_str(), entry.agent.as_str()), ("write-analysis", "analyst"));
    let by = entry.by_event.clone().expect("an event");
    let call = ran.events_of("tool_call").into_iter().find(|event| event["event_id"] == json!(by)).expect("the call");
    assert_eq!((&call["task_id"], &call["attrs"]["tool"]), (&json!("write-analysis"), &json!("artifact_put")));
}

// GV-13, GV-16: the commands that read a kept run, and nothing of one run in the next
#[test]
fn a_kept_run_lists_and_prints_its_artifacts() {
    let ran = incident();
    let show = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sandfork"));
        command.arg("artifacts").args(args).args(["--state-dir", "state"]).current_dir(ran.home());
        command.output().expect("the binary starts")
    };
    let listed = show(&["incident-20260908"]);
    let words = String::from_utf8(listed.stdout).expect("text");
    assert_eq!(words.lines().count(), kept(&ran).entries().len());
    assert!(
        words.contains("payment-log-analysis/v4") && words.contains("large_result by inspect-payment-logs (logs)"),
        "{words}"
    );
    let document: Value = serde_json::from_slice(&show(&["incident-20260908", "--json"]).stdout).expect("a document");
    assert_eq!(document["schema"], "sandfork.artifacts.v1");
    for name in ["payment-log-analysis/v3", "artifact://payment-log-analysis/v3"] {
        let printed = show(&["state/runs/incident-20260908", name]);
        assert_eq!(String::from_utf8_lossy(&printed.stdout), text(&ran, "artifact://payment-log-analysis/v3"));
    }
    for args in [["incident-20260908", "payment-log-analysis/v5"], ["nobody", "a/v1"], ["..", "a/v1"]] {
        let refused = show(&args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(!refused.stderr.is_empty());
    }
    // A file that was changed is an error, never other bytes.
    let kept = kept(&ran);
    let third = kept.entries().iter().find(|entry| entry.reference.name == "error-rate").expect("there");
    std::fs::write(ran.path("state/runs/incident-20260908/artifacts").join(&third.sha256), "none").expect("written");
    let damaged = show(&["incident-20260908", "error-rate/v1"]);
    assert_eq!((damaged.status.code(), damaged.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&damaged.stderr).contains("changed or removed"));
    let document: Value =
        serde_json::from_slice(&show(&["incident-20260908", "error-rate/v1", "--json"]).stdout).expect("a document");
    assert_eq!(document["error"]["code"], "artifact_damaged");
}
