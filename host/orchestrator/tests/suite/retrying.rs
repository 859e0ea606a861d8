//! A second attempt: which ends it can help, what it is told, what it changes, what it costs; and that nothing else runs
//! again.

use crate::dependencies::{code, crew, outcome, waiting};
use crate::fake::{Fake, Finished, task};
use sandfork_model::{Cap, Dimension, RequestOptions, RetryChange, RetrySpec, RunStatus, Status, TaskSpec};
use serde_json::{Value, json};
use std::time::Duration;

fn retried(mut spec: TaskSpec, times: u32, changes: Vec<RetryChange>) -> TaskSpec {
    spec.retry = RetrySpec { times, changes };
    spec
}

/// One task for an agent that stores something and then does not answer, and at its second attempt says what it was told.
fn sleepy(times: u32, changes: Vec<RetryChange>) -> Fake {
    let mut one = retried(task("a", "sleepy", RequestOptions::default()), times, changes);
    one.options.timeout = Some(Duration::from_millis(20));
    let put = json!(["tool", "artifact_put", {"name": "notes", "text": "so far"}]);
    let steps =
        json!([["when", "/checkpoint", ["return_task", "/checkpoint"]], put, ["note", "n"], ["tool", "wait", {}]]);
    Fake::tasks(vec![one]).agent("sleepy", &[], steps).granted("artifact_put")
}

fn ids(finished: &Finished) -> Vec<String> {
    finished.statuses().into_iter().map(|(id, _)| id).collect()
}

// GV-46
#[test]
fn after_a_timeout_what_was_stored_and_the_last_event_reach_the_next_attempt() {
    let finished = sleepy(1, Vec::new()).run();
    assert_eq!(ids(&finished), ["a", "a.2"]);
    assert_eq!(finished.record.status, RunStatus::Completed);
    let events = finished.events.iter().filter(|event| event["task_id"] == "a");
    let is_before_the_end =
        |event: &&Value| !["subagent_return", "late_result_dropped"].contains(&event["event_type"].as_str().unwrap());
    let last = events.filter(is_before_the_end).map(|event| event["seq_no"].as_u64().unwrap()).max().unwrap();
    let told = json!({
        "task_id": "a", "status": "timeout", "code": "timeout", "artifact_refs": ["artifact://notes/v1"],
        "last_seq_no": last, "change": "again",
    });
    assert_eq!(outcome(&finished, "a").output, Some(told));
    assert!(last >= 5, "start, call, answer, artifact, note, call: {last}");
    assert_eq!(finished.record.usage.spent.get(Dimension::Retries), 1);
}

// GV-46: work that was handed on is the worker's too
#[test]
fn what_a_child_stored_is_part_of_the_checkpoint() {
    let put = json!(["tool", "artifact_put", {"name": "notes", "text": "so far"}]);
    let lead = json!([
        ["when", "/checkpoint", ["return_task", "/checkpoint"]], ["spawn", [{"agent": "child"}]], ["fail", "no_luck"],
    ]);
    let one = retried(task("a", "lead", RequestOptions::default()), 1, Vec::new());
    let fake = Fake::tasks(vec![one]).agent("lead", &["child"], lead).agent("child", &[], json!([put]));
    let finished = fake.granted("artifact_put").run();
    assert_eq!(outcome(&finished, "a").output.as_ref().unwrap()["artifact_refs"], json!(["artifact://notes/v1"]));
}

// GV-46
#[test]
fn a_retry_shrinks_the_budget_or_changes_the_tier_or_the_goal() {
    let tell = |pointer: &str| json!([["when", "/checkpoint", ["return_task", pointer]], ["fail", "no_luck"]]);
    let with = |pointer: &str, changes: Vec<RetryChange>, options: RequestOptions| {
        let one = retried(task("a", "worker", options), 1, changes);
        let fake = Fake::tasks(vec![one]).agent("worker", &[], tell(pointer)).limits(|limits| {
            limits.policy.tiers.insert("small".into(), 20);
        });
        let finished = fake.run();
        assert_eq!(finished.record.tasks_used, 2);
        outcome(&finished, "a").output.clone().unwrap()
    };
    let mut options = RequestOptions::default();
    options.budget.steps = Some(Cap::Finite(10));
    assert_eq!(with("/budget/steps", vec![RetryChange::Shrink], options.clone()), 5);
    assert_eq!(with("/budget/steps", vec![RetryChange::Again], options.clone()), 10);
    options.budget_min.steps = Some(Cap::Finite(8));
    assert_eq!(with("/budget/steps", vec![RetryChange::Shrink], options.clone()), 8, "at least what is of use");
    assert_eq!(with("/budget/steps", vec![RetryChange::Shrink], RequestOptions::default()), 32, "of the default");
    assert_eq!(with("/budget/tier", vec![RetryChange::Tier("small".into())], options.clone()), "small");
    assert_eq!(with("/goal", vec![RetryChange::Goal("Less.".into())], options), "Less.");
}

// GV-46
#[test]
fn changes_follow_each_other_and_the_last_one_stays() {
    let one = retried(task("a", "bad", RequestOptions::default()), 4, vec![RetryChange::Again, RetryChange::Shrink]);
    let finished = crew(vec![one]).run();
    let fuel = |event: &&Value| event["event_type"] == "subagent_fork";
    let granted: Vec<u64> =
        finished.events.iter().filter(fuel).map(|event| event["attrs"]["fuel"].as_u64().unwrap()).collect();
    assert_eq!(granted, [64, 64, 32, 16, 8].map(|steps| steps * 10_000_000));
    assert_eq!(ids(&finished), ["a", "a.2", "a.3", "a.4", "a.5"]);
    assert_eq!(outcome(&finished, "a").error.as_ref().unwrap().details["attempts"], 5);
    assert_eq!(finished.record.status, RunStatus::Failed);
    assert_eq!(finished.record.usage.spent.get(Dimension::Retries), 4);
}

// GV-46, GV-09: what the gate refused, what lacks input, what was stopped would end the same way
#[test]
fn only_ends_that_a_second_attempt_can_help_are_tried_again() {
    let attempts = |agent: &str, steps: Value, changes: Vec<RetryChange>| {
        let mut one = retried(task("a", agent, RequestOptions::default()), 2, changes);
        one.options.timeout = Some(Duration::from_millis(20));
        one.options.budget.steps = Some(Cap::Finite(1));
        let fake = Fake::tasks(vec![one]).agent("worker", &[], steps).granted("no_such_tool");
        fake.run().statuses().len()
    };
    let ends = |steps: Value| attempts("worker", steps, Vec::new());
    assert_eq!(ends(json!([["fail", "no_luck"]])), 3);
    assert_eq!(ends(json!([["trap"]])), 3);
    assert_eq!(ends(json!([["tool", "wait", {}]])), 3);
    assert_eq!(ends(json!([["fail", "blocked", {"missing": ["x"]}]])), 1);
    assert_eq!(ends(json!([["fail", "needs_split"]])), 1);
    assert_eq!(ends(json!("no steps")), 1, "an agent that cannot be loaded");
    assert_eq!(attempts("nobody", json!([]), Vec::new()), 1, "an agent that nobody knows");
    let hungry = || json!([["tool", "model", {}], ["tool", "model", {}]]);
    assert_eq!(ends(hungry()), 1, "what was not enough is not enough again");
    assert_eq!(attempts("worker", hungry(), vec![RetryChange::Shrink]), 1);
    assert_eq!(attempts("worker", hungry(), vec![RetryChange::Goal("Less.".into())]), 3);
    assert_eq!(ends(json!([["return", {}]])), 1);
}

// GV-27, GV-46
#[test]
fn a_retry_is_paid_from_the_runs_retries_and_their_end_is_told() {
    let finished = sleepy(3, Vec::new()).limits(|limits| limits.budget.retries = Some(Cap::Finite(0))).run();
    assert_eq!(ids(&finished), ["a"]);
    let ended = outcome(&finished, "a");
    assert_eq!(
        (ended.status, &ended.error.as_ref().unwrap().details["retry"]),
        (Status::Timeout, &json!("the run has no retries left"))
    );
}

// GV-46
#[test]
fn a_retry_that_the_gate_refuses_leaves_the_end_that_it_was_to_make_good() {
    let finished = sleepy(3, Vec::new()).limits(|limits| limits.max_tasks = Cap::Finite(1)).run();
    let ended = outcome(&finished, "a");
    assert_eq!(ended.status, Status::Timeout);
    let details = &ended.error.as_ref().unwrap().details;
    assert_eq!((&details["retry"], &details["attempts"]), (&json!("refused: task_budget_exceeded"), &Value::Null));
    assert_eq!(finished.statuses()[1], ("a.2".into(), "refused"));
}

// GV-46: the run's own deadline is nobody's fault and nobody's second chance
#[test]
fn a_run_that_is_over_tries_nothing_again() {
    let fake = sleepy(3, Vec::new()).limits(|limits| limits.deadline = Duration::from_millis(10));
    assert_eq!(ids(&fake.run()), ["a"]);
}

// GV-22, GV-50: a retry runs one task again, and who waits for it waits on
#[test]
fn a_retry_never_runs_the_tree_again() {
    let flaky = json!([["when", "/checkpoint", ["return", {"second": true}]], ["tool", "wait", {"ms": 5}], ["trap"]]);
    let tasks = vec![
        waiting("base", "fast", &[], &[]),
        retried(waiting("flaky", "flaky", &["base"], &[]), 1, Vec::new()),
        waiting("other", "slow", &["base"], &[]),
        waiting("join", "told", &["flaky", "other"], &[]),
    ];
    let finished = crew(tasks).agent("flaky", &[], flaky).run();
    assert_eq!(finished.statuses(), ["base", "flaky", "flaky.2", "other", "join"].map(|id| (id.to_owned(), "ok")));
    assert_eq!(finished.record.tasks_used, 5);
    assert_eq!(finished.record.status, RunStatus::Completed, "what was done again counts as it ended");
    let handed = outcome(&finished, "join").output.clone().unwrap();
    assert_eq!((&handed["flaky"]["status"], &handed["flaky"]["task_id"]), (&json!("ok"), &json!("flaky")));
}

// GV-46, GV-60: a reviewed task keeps its comments over a retry
#[test]
fn an_attempt_after_a_failed_rework_still_has_the_comments() {
    let mut one = retried(task("a", "worker", RequestOptions::default()), 1, Vec::new());
    one.review = Some(sandfork_model::ReviewSpec { agent: "reviewer".into(), max_returns: 1 });
    let worker = json!([
        ["when", "/checkpoint", ["when", "/context/review/comments", ["return", {"final": true}]]],
        ["when", "/context/review", ["trap"]],
        ["return", {"draft": true}],
    ]);
    let reviewer = json!([
        ["when", "/context/output/final", ["return", {"verdict": "PASS"}]], ["return", {"verdict": "REVISE", "comments": "c"}],
    ]);
    let finished = Fake::tasks(vec![one]).agent("worker", &[], worker).agent("reviewer", &[], reviewer).run();
    assert_eq!(outcome(&finished, "a").output, Some(json!({"final": true})), "{:?}", finished.statuses());
    assert_eq!(finished.record.usage.spent.get(Dimension::Retries), 2);
}

/// `base` stores `report` v1, `fix` stores v2 while the join and an unrelated branch are at work.
fn reworked(join: Value, retries: u64) -> Finished {
    let store =
        |ms: u64| json!([["tool", "wait", {"ms": ms}], ["tool", "artifact_put", {"name": "report", "text": "t"}]]);
    let maker = |ms: u64, version: u64| {
        let mut steps = store(ms);
        let refs = json!([format!("artifact://report/v{version}")]);
        steps.as_array_mut().unwrap().push(json!(["return", {"summary": "a report", "artifact_refs": refs}]));
        steps
    };
    let tasks = vec![
        waiting("base", "base", &[], &[]),
        waiting("fix", "fix", &["base"], &[]),
        waiting("other", "slow", &[], &[]),
        waiting("join", "join", &["base", "other"], &[]),
        waiting("end", "told", &["join"], &[]),
    ];
    let fake = crew(tasks).agent("base", &[], maker(5, 1)).agent("fix", &[], maker(40, 2)).agent("join", &[], join);
    fake.granted("artifact_put").limits(|limits| limits.budget.retries = Some(Cap::Finite(retries))).run()
}

// GV-48, GV-50, GV-14
#[test]
fn a_newer_version_of_what_a_join_was_handed_runs_that_join_again_and_no_other_branch() {
    let tell = json!(["return_task", "/dependencies"]);
    // Once at work when the newer version comes, once over already.
    for ms in [30, 5] {
        let finished = reworked(json!([["tool", "wait", {"ms": ms}], tell]), 5);
        assert_eq!(finished.record.status, RunStatus::Completed, "{:?}", finished.statuses());
        let forks =
            |id: &str| ids(&finished).into_iter().filter(|of| *of == id || of.starts_with(&format!("{id}."))).count();
        assert_eq!(["base", "fix", "other", "join"].map(forks), [1, 1, 1, 2], "after {ms} ms: {:?}", ids(&finished));
        let handed = outcome(&finished, "join").output.clone().unwrap();
        assert_eq!(handed["base"]["artifact_refs"], json!(["artifact://report/v2"]));
        assert_eq!(handed["other"]["artifact_refs"], json!(["artifact://other/v1"]));
        let (runs_of_end, version) = if ms == 30 { (1, 1) } else { (2, 2) };
        assert_eq!(forks("end"), runs_of_end, "what rests on the join follows it");
        let handed = outcome(&finished, "end").output.clone().unwrap();
        assert_eq!(handed["join"]["artifact_refs"], json!([format!("artifact://join/v{version}")]));
        assert_eq!(finished.record.usage.spent.get(Dimension::Retries), u64::try_from(runs_of_end).unwrap());
    }
}

// GV-48: closed by default
#[test]
fn a_join_on_an_older_version_that_cannot_run_again_does_not_stand() {
    let finished = reworked(json!([["tool", "wait", {"ms": 5}], ["return_task", "/dependencies"]]), 0);
    let join = outcome(&finished, "join");
    assert_eq!((join.status, code(join), &join.output), (Status::Failed, "artifact_mismatch", &None));
    assert_eq!(code(outcome(&finished, "end")), "dependency_failed");
    assert_eq!(outcome(&finished, "other").status, Status::Ok);
    assert_eq!(finished.record.status, RunStatus::Failed);
}

// GV-48: however many newer versions come, and whoever has retries to spare
#[test]
fn a_join_is_done_again_twice_at_most_however_many_versions_come() {
    let names: Vec<String> = (1..=6).map(|version| format!("w{version}")).collect();
    let mut tasks = vec![waiting("join", "join", &["w1"], &[])];
    let maker = |version: u64| {
        json!([
            ["tool", "wait", {"ms": version * 20}],
            ["tool", "artifact_put", {"name": "report", "text": "t"}],
            ["return", {"summary": "a report", "artifact_refs": [format!("artifact://report/v{version}")]}]
        ])
    };
    tasks.extend(names.iter().map(|name| waiting(name, name, &[], &[])));
    let mut fake = crew(tasks).agent("join", &[], json!([["tool", "wait", {"ms": 1}], ["return", {"summary": "s"}]]));
    for (name, version) in names.iter().zip(1..) {
        fake = fake.agent(name, &[], maker(version));
    }
    let finished = fake.granted("artifact_put").limits(|limits| limits.budget.retries = Some(Cap::Finite(50))).run();
    let forks = ids(&finished).into_iter().filter(|id| id.starts_with("join")).count();
    assert_eq!(forks, 3, "{:?}", ids(&finished));
    assert_eq!(code(outcome(&finished, "join")), "artifact_mismatch");
    assert_eq!(finished.record.usage.spent.get(Dimension::Retries), 2);
    assert!(finished.record.usage.is_ledger_whole);
}

// GV-48: a chain that writes one report further is no circle of corrections
#[test]
fn a_task_that_makes_the_next_version_itself_does_not_outdate_what_it_rests_on() {
    let maker = |version: u64| {
        json!([
            ["tool", "artifact_put", {"name": "report", "text": "t"}],
            ["return", {"artifact_refs": [format!("artifact://report/v{version}")]}],
        ])
    };
    let tasks = vec![
        waiting("draft", "one", &[], &[]),
        waiting("read", "fast", &["draft"], &[]),
        waiting("edit", "two", &["draft", "read"], &[]),
        waiting("final", "three", &["edit"], &[]),
    ];
    let fake = crew(tasks).agent("one", &[], maker(1)).agent("two", &[], maker(2)).agent("three", &[], maker(3));
    assert_eq!(ids(&fake.granted("artifact_put").run()), ["draft", "read", "edit", "final"]);
}

// GV-48: what an output only claims is no version, and to pass a reference on is not to make one
#[test]
fn a_version_that_was_never_stored_outdates_nobody_and_a_reader_that_passes_it_on_is_still_a_reader() {
    let claims = json!([["tool", "wait", {"ms": 40}], ["return", {"artifact_refs": ["artifact://base/v9"]}]]);
    let passes = json!([["tool", "wait", {"ms": 5}], ["return_task", "/dependencies/base"]]);
    let tasks = |fixer: &str| {
        vec![
            waiting("base", "fast", &[], &[]),
            waiting("fix", fixer, &["base"], &[]),
            waiting("join", "passes", &["base"], &[]),
        ]
    };
    let run = |fixer: &str| {
        let put = json!([["tool", "wait", {"ms": 40}], ["tool", "artifact_put", {"name": "base", "text": "t"}],
                         ["return", {"artifact_refs": ["artifact://base/v2"]}]]);
        crew(tasks(fixer))
            .agent("claims", &[], claims.clone())
            .agent("passes", &[], passes.clone())
            .agent("writes", &[], put)
            .granted("artifact_put")
            .run()
    };
    assert_eq!(ids(&run("claims")), ["base", "fix", "join"]);
    let finished = run("writes");
    assert_eq!(ids(&finished), ["base", "fix", "join", "join.2"]);
    assert_eq!(outcome(&finished, "join").output.as_ref().unwrap()["artifact_refs"], json!(["artifact://base/v2"]));
}
