//! What an ingest says to deliveries in every order, and that none of it depends on the order.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

use proptest::prelude::*;
use sandfork_causal::{Answer, Clash, Envelope, Ingest, Limits, Missing, Needs, Refused, State, TaskNeeds, WaitingFor};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

fn line(task: &str, seq_no: u64, kind: &str, parent: Option<&str>) -> String {
    json!({
        "event_id": format!("evt-{task}-{seq_no}"), "run_id": "r", "task_id": task, "agent_id": format!("agent-{task}"),
        "seq_no": seq_no, "parent_event_id": parent, "idempotency_key": format!("{task}:{kind}:{seq_no}"),
        "event_type": kind, "attrs": { "status": "ok" }, "artifact_refs": [],
    })
    .to_string()
}

fn ids(answer: &Answer) -> Vec<String> {
    match answer {
        Answer::Applied(applied) | Answer::Duplicate(applied) => {
            applied.events.iter().map(|event| event.event_id.clone()).collect()
        }
        other => panic!("nothing was applied: {other:?}"),
    }
}

fn ingest() -> Ingest {
    Ingest::default()
}

// GV-17, GV-20: the envelope of the document, 8 before 7
#[test]
fn eight_before_seven_waits_and_both_are_applied_in_order() {
    let event = |id: &str, seq: u64, parent: &str| {
        json!({
            "event_id": id, "run_id": "incident-20260908", "task_id": "inspect-payment-logs", "agent_id": "worker-log-02",
            "seq_no": seq, "parent_event_id": parent, "idempotency_key": format!("inspect-payment-logs:completed:v{seq}"),
            "event_type": "TASK_COMPLETED", "status": "completed", "artifact_refs": ["artifact://payment-log-analysis/v3"],
        })
        .to_string()
    };
    let mut ingest = ingest();
    let (run, task, agent) = ("incident-20260908", "inspect-payment-logs", "worker-log-02");
    ingest.start_after(run, task, agent, 6).expect("there is room");
    let held = ingest.deliver_line(&event("evt-9383", 8, "evt-9382"));
    assert_eq!(held, Answer::Held { waiting_for: WaitingFor::Sequence { from: 7, to: 7 } });
    let gap = Missing::Sequence { run_id: run.into(), task_id: task.into(), agent_id: agent.into(), from: 7, to: 7 };
    assert_eq!(ingest.missing(), [gap]);
    // Seven came, and its own cause has not: both wait, and the cause is what to fetch.
    let seven = event("evt-9382", 7, "evt-9310");
    let waits = ingest.deliver_line(&seven);
    assert_eq!(waits, Answer::Held { waiting_for: WaitingFor::Cause { event_id: "evt-9310".into() } });
    assert_eq!(ingest.missing(), [Missing::Event { run_id: run.into(), event_id: "evt-9310".into() }]);
    let cause = json!({
        "event_id": "evt-9310", "run_id": run, "task_id": "root", "agent_id": "lead", "seq_no": 1,
        "idempotency_key": "root:dispatched:1", "event_type": "dispatched",
    });
    let applied = ingest.deliver_line(&cause.to_string());
    assert_eq!(ids(&applied), ["evt-9310", "evt-9382", "evt-9383"]);
    assert_eq!(ingest.confirmed(run, task, agent), 8);
    // GV-47: what was applied before the checkpoint, or since, is acknowledged only.
    assert_eq!(ids(&ingest.deliver_line(&seven)), [""; 0]);
    assert_eq!(ids(&ingest.deliver_line(&event("evt-9001", 3, "evt-1"))), [""; 0]);
    assert_eq!((ingest.held(), ingest.missing()), (0, vec![]));
}

// GV-19, GV-25, GV-47
#[test]
fn a_copy_under_its_id_or_its_key_is_acknowledged_and_does_nothing() {
    let mut ingest = ingest();
    let first = line("a", 1, "done", None);
    assert_eq!(ids(&ingest.deliver_line(&first)), ["evt-a-1"]);
    assert!(ids(&ingest.deliver_line(&first)).is_empty());
    // Published once more under a new id and place: the place is passed, so that the thread goes on.
    let again = first.replace("evt-a-1", "evt-again").replace("\"seq_no\":1", "\"seq_no\":2");
    assert!(ids(&ingest.deliver_line(&again)).is_empty());
    assert_eq!(ids(&ingest.deliver_line(&line("a", 3, "more", Some("evt-again")))), ["evt-a-3"]);
    let counts = ingest.counts();
    assert_eq!((counts.delivered, counts.applied, counts.duplicates, counts.conflicts), (4, 2, 2, 0));
}

// GV-19
#[test]
fn another_content_under_a_known_id_key_or_place_is_rejected_and_counted() {
    let mut ingest = ingest();
    ingest.deliver_line(&line("a", 1, "done", None));
    let changed = line("a", 1, "done", None).replace("ok", "failed");
    assert_eq!(ingest.deliver_line(&changed), Answer::Conflict(Clash::EventId));
    let same_key = changed.replace("evt-a-1", "evt-other").replace("\"seq_no\":1", "\"seq_no\":2");
    assert_eq!(ingest.deliver_line(&same_key), Answer::Conflict(Clash::IdempotencyKey));
    let same_place = changed.replace("evt-a-1", "evt-other").replace("a:done:1", "a:other:1");
    assert_eq!(ingest.deliver_line(&same_place), Answer::Conflict(Clash::Place));
    assert_eq!((ingest.counts().applied, ingest.counts().conflicts), (1, 3));
    // Arrival and time are no content.
    let late = line("a", 1, "done", None).replace("{\"event_id\"", "{\"ts\":99.5,\"seq\":4711,\"event_id\"");
    assert!(ids(&ingest.deliver_line(&late)).is_empty());
}

// GV-23, GV-24: B says it was done before A, and nothing follows from that
#[test]
fn time_stamps_and_numbers_of_other_threads_order_nothing() {
    let at = |line: String, ts: &str| line.replace("{\"event_id\"", &format!("{{\"ts\":\"{ts}\",\"event_id\""));
    let (a, b) = (at(line("A", 1, "done", None), "10:00:03"), at(line("B", 1, "done", None), "10:00:02"));
    for order in [[&a, &b], [&b, &a]] {
        let mut ingest = ingest();
        for delivery in order {
            assert_eq!(ids(&ingest.deliver_line(delivery)).len(), 1, "applied as it comes");
        }
    }
}

fn join_of(all: &[&str], optional: &[&str]) -> Needs {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let needs = TaskNeeds { all: names(all), optional: names(optional) };
    Needs::new(BTreeMap::from([("join".to_owned(), needs)])).expect("no circle")
}

// GV-21, GV-22, GV-25
#[test]
fn a_join_fires_once_when_all_it_needs_holds_and_its_events_wait_until_then() {
    let mut ingest = Ingest::new(Limits::default(), join_of(&["A", "B"], &["C"]));
    let ends: Vec<String> = ["A", "B", "C"].map(|task| line(task, 1, "subagent_return", None)).into();
    let waits = ingest.deliver_line(&line("join", 1, "subagent_fork", Some("evt-A-1")));
    assert_eq!(waits, Answer::Held { waiting_for: WaitingFor::Cause { event_id: "evt-A-1".into() } });
    ingest.deliver_line(&ends[0]);
    assert_eq!(ingest.waiting()[0].1, WaitingFor::Tasks { task_ids: vec!["B".into(), "C".into()] });
    // An optional one may end as it likes; a needed one may not.
    let failed = ends[2].replace("ok", "timeout");
    assert_eq!(ids(&ingest.deliver_line(&failed)), ["evt-C-1"]);
    let Answer::Applied(applied) = ingest.deliver_line(&ends[1]) else { panic!("B ends") };
    assert_eq!(applied.joins, [("r".to_owned(), "join".to_owned())]);
    assert_eq!(applied.events.len(), 2, "B's end, and the join's start");
    for end in ends.iter().take(2) {
        let Answer::Duplicate(applied) = ingest.deliver_line(end) else { panic!("a duplicate") };
        assert!(applied.joins.is_empty(), "nothing fires twice");
    }
}

// GV-21
#[test]
fn a_need_that_ended_badly_keeps_its_join_waiting() {
    let mut ingest = Ingest::new(Limits::default(), join_of(&["A"], &[]));
    ingest.deliver_line(&line("A", 1, "subagent_return", None).replace("ok", "failed"));
    let waits = ingest.deliver_line(&line("join", 1, "subagent_fork", None));
    assert_eq!(waits, Answer::Held { waiting_for: WaitingFor::Tasks { task_ids: vec!["A".into()] } });
}

#[test]
fn a_flood_meets_a_bound_that_names_itself_and_what_fits_still_goes_through() {
    let limits = Limits { threads: 2, held_events: 3, held_bytes: 1 << 20, known_events: 6 };
    let mut ingest = Ingest::new(limits, Needs::default());
    for seq_no in 3..6 {
        assert!(matches!(ingest.deliver_line(&line("a", seq_no, "x", None)), Answer::Held { .. }));
    }
    let full = |answer: Answer| match answer {
        Answer::Refused(Refused::Full(full)) => full.what,
        other => panic!("not refused: {other:?}"),
    };
    assert_eq!(full(ingest.deliver_line(&line("a", 9, "x", None))), "places for held events");
    ingest.deliver_line(&line("b", 1, "x", None));
    assert_eq!(full(ingest.deliver_line(&line("c", 1, "x", None))), "threads");
    // What is next needs no place to wait in.
    assert_eq!(ids(&ingest.deliver_line(&line("a", 1, "x", None))), ["evt-a-1"]);
    assert_eq!(ids(&ingest.deliver_line(&line("a", 2, "x", None))).len(), 4);
    assert_eq!(full(ingest.deliver_line(&line("a", 6, "x", None))), "known events");
    let mut small = Ingest::new(Limits { held_bytes: 10, ..Limits::default() }, Needs::default());
    assert_eq!(full(small.deliver_line(&line("a", 2, "x", None))), "bytes of held events");
    assert_eq!(ids(&small.deliver_line(&line("a", 1, "x", None))), ["evt-a-1"]);
}

#[test]
fn what_is_no_event_is_refused_with_the_reason_and_leaves_no_trace() {
    let good = line("a", 1, "x", None);
    let bad = [
        ("".to_owned(), "no JSON"),
        ("[]".to_owned(), "an object"),
        (good.replace("\"seq_no\":1", "\"seq_no\":0"), "seq_no"),
        (good.replace("\"seq_no\":1", "\"seq_no\":-1"), "seq_no"),
        (good.replace("evt-a-1", &"x".repeat(257)), "event_id"),
        (good.replace("\"x\"", "7"), "event_type"),
        (good.replace("\"artifact_refs\":[]", "\"artifact_refs\":[7]"), "artifact_refs"),
        (line("a", 1, "x", Some("evt-a-1")), "its cause"),
    ];
    let mut ingest = ingest();
    for (line, why) in bad {
        match ingest.deliver_line(&line) {
            Answer::Refused(Refused::Malformed(error)) => assert!(error.to_string().contains(why), "{why}: {error}"),
            other => panic!("{line}: {other:?}"),
        }
    }
    assert_eq!((ingest.held(), ingest.counts().refused), (0, 8));
    assert_eq!(ids(&ingest.deliver_line(&good)), ["evt-a-1"]);
}

/// A valid log: threads whose events each follow from one before it in the log, their own thread's or another's; some are
/// published once more, under an id and a place of their own.
fn valid_log(steps: &[(usize, usize, bool, bool)]) -> Vec<String> {
    let mut log: Vec<(String, String)> = Vec::new();
    let mut places: HashMap<usize, u64> = HashMap::new();
    for (thread, cause, is_artifact, is_again) in steps {
        let task = format!("t{thread}");
        let seq_no = places.entry(*thread).or_default();
        *seq_no += 1;
        let parent = (!log.is_empty()).then(|| log[cause % log.len()].0.clone());
        let text = line(&task, *seq_no, if *is_artifact { "artifact_put" } else { "note" }, parent.as_deref())
            .replace("\"status\":\"ok\"", &format!("\"name\":\"n{cause}\",\"version\":{seq_no}"));
        let (id, place) = (format!("evt-{task}-{seq_no}"), format!("\"seq_no\":{seq_no}"));
        log.push((id.clone(), text.clone()));
        if *is_again {
            *seq_no += 1;
            let copy = format!("{id}-again");
            let text = text.replace(&format!("\"{id}\""), &format!("\"{copy}\""));
            log.push((copy, text.replace(&place, &format!("\"seq_no\":{seq_no}"))));
        }
    }
    for thread in places.keys() {
        let task = format!("t{thread}");
        log.push((String::new(), line(&task, places[thread] + 1, "subagent_return", None)));
    }
    log.into_iter().map(|(_, text)| text).collect()
}

/// Delivers all; the final state, how often each effect happened, and each join.
fn ingested(deliveries: &[String]) -> (State, HashMap<String, u32>, HashMap<String, u32>, Ingest) {
    let needs = BTreeMap::from([("t0".to_owned(), TaskNeeds { all: vec![], optional: vec!["t9".into()] })]);
    let mut ingest = Ingest::new(Limits::default(), Needs::new(needs).expect("no circle"));
    let (mut state, mut effects, mut joins) = (State::default(), HashMap::new(), HashMap::new());
    for delivery in deliveries {
        let (Answer::Applied(applied) | Answer::Duplicate(applied)) = ingest.deliver_line(delivery) else { continue };
        for event in &applied.events {
            *effects.entry(event.idempotency_key.clone()).or_default() += 1;
            state.apply(event);
        }
        for (run, join) in &applied.joins {
            *joins.entry(join.clone()).or_default() += 1;
            state.fire(run, join);
        }
    }
    (state, effects, joins, ingest)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    // GV-19..25, GV-47: whatever the order, the copies and the delay
    #[test]
    fn shuffled_copied_and_delayed_deliveries_end_in_the_state_of_the_log_in_order(
        steps in prop::collection::vec((1_usize..5, 0_usize..64, any::<bool>(), any::<bool>()), 1..30),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..80),
        delayed in any::<prop::sample::Index>(),
    ) {
        let log = valid_log(&steps);
        let (expected, once, _, _) = ingested(&log);
        let copies = log.iter().filter(|line| line.contains("-again\",\"run_id")).count();
        prop_assert_eq!(once.len(), log.len() - copies);
        // Any events any number of times, one of them last of all, and every one of them at some time.
        let last = delayed.get(&log).clone();
        let mut shuffled: Vec<String> = order.iter().map(|index| index.get(&log).clone()).collect();
        shuffled.extend(log.iter().rev().cloned());
        shuffled.retain(|line| *line != last);
        shuffled.extend(log.iter().cloned());
        let (state, effects, _, ingest) = ingested(&shuffled);
        prop_assert_eq!(state, expected);
        prop_assert!(effects.values().all(|times| *times == 1), "an effect happened twice");
        prop_assert_eq!(effects.len(), once.len());
        prop_assert_eq!((ingest.held(), ingest.missing()), (0, vec![]));
        let counts = ingest.counts();
        prop_assert_eq!(counts.delivered, u64::try_from(shuffled.len()).expect("few"));
        prop_assert_eq!((counts.conflicts, counts.refused), (0, 0));
    }

    // GV-22: a join among shuffled ends
    #[test]
    fn a_join_fires_once_in_every_order(order in Just(vec![0, 1, 2, 3, 0, 1, 2, 3]).prop_shuffle()) {
        let lines = [
            line("t0", 1, "subagent_fork", None),
            line("t9", 1, "subagent_fork", None),
            line("t9", 2, "subagent_return", None),
            line("t0", 2, "subagent_return", Some("evt-t9-2")),
        ];
        let deliveries: Vec<String> = order.iter().map(|at| lines[*at].clone()).collect();
        let (state, effects, joins, _) = ingested(&deliveries);
        prop_assert_eq!(joins.get("t0"), Some(&1));
        prop_assert_eq!(effects.len(), 4);
        prop_assert!(state.task("r", "t0").expect("there").is_join_fired);
    }

    #[test]
    fn garbage_never_panics_and_never_outgrows_the_bounds(
        lines in prop::collection::vec(
            prop_oneof![
                any::<String>(),
                (0_u64..5, 0_u64..5, any::<u64>(), 0_u64..5, any::<bool>()).prop_map(|(id, task, seq, parent, is_small)| {
                    json!({
                        "event_id": format!("e{id}{seq}"), "run_id": "r", "task_id": format!("t{task}"), "agent_id": "a",
                        "seq_no": if is_small { seq % 7 } else { seq }, "parent_event_id": format!("e{parent}{}", seq % 7),
                        "idempotency_key": format!("k{id}{}", seq % 9), "event_type": "subagent_return", "attrs": {"n": seq % 2},
                    })
                    .to_string()
                }),
            ],
            0..120,
        ),
    ) {
        let limits = Limits { threads: 4, held_events: 8, held_bytes: 4096, known_events: 32 };
        let mut ingest = Ingest::new(limits, Needs::default());
        for line in &lines {
            ingest.deliver_line(line);
            prop_assert!(ingest.held() <= 8);
        }
        let counts = ingest.counts();
        prop_assert!(counts.applied <= 32);
        prop_assert_eq!(counts.delivered, u64::try_from(lines.len()).expect("few"));
    }

    #[test]
    fn reading_any_text_as_an_envelope_gives_an_answer(text in any::<String>()) {
        let _ = Envelope::read(&text);
    }
}
