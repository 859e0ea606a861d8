//! The run's own log behind its order: what races is put right, what cannot be is a fault.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test stops at what it did not expect")]

use proptest::prelude::*;
use sandfork_causal::{CausalSink, Ingest, OwnLog, State, Violation};
use sandfork_model::{Event, EventBody, EventId, EventSink, MessageFacts, RunId, TaskRef};
use std::io;
use std::sync::{Arc, Mutex};

/// A run and a task of the same name: their threads are two.
fn log() -> Vec<Event> {
    let run = RunId { name: "root".into(), id: "root-1".into() };
    let (own, root) = (Arc::new(TaskRef::orchestrator(&run)), Arc::new(TaskRef::top(&run, "root", "lead", 0)));
    let child = Arc::new(root.child("alpha", 0, None));
    let mut places = [0; 3];
    let mut event = |whose: usize, cause: Option<(&str, u64)>, body: EventBody| {
        places[whose] += 1;
        Event {
            task: Arc::clone([&own, &root, &child][whose]),
            seq_no: places[whose],
            cause: cause.map(|(thread, seq_no)| EventId { task_id: thread.into(), seq_no }),
            // Times say nothing: they run backwards here.
            at_ns: 1_000 - places[whose],
            body,
            artifact_refs: Vec::new(),
            standing: None,
        }
    };
    let start = || EventBody::SubagentFork { fuel: 1, tools: 0, queued_ns: 0 };
    let end = || EventBody::SubagentReturn {
        status: "ok",
        code: None,
        fuel_used: 1,
        elapsed_ns: 1,
        output_bytes: 2,
        message: MessageFacts::default(),
    };
    vec![
        event(0, None, EventBody::RunStarted { tasks: 1 }),
        event(1, Some(("@run", 1)), start()),
        event(1, Some(("root", 1)), EventBody::Note { bytes: 1 }),
        event(2, Some(("root", 2)), start()),
        event(2, Some(("root/1", 1)), end()),
        event(1, Some(("root/1", 2)), EventBody::BudgetReturned { fuel: 1, turns: 1 }),
        event(1, Some(("root", 1)), end()),
        event(0, Some(("root", 4)), EventBody::RunFinished { status: "completed", tasks_used: 2 }),
    ]
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<(u64, Event)>>>);

impl EventSink for Kept {
    fn write(&mut self, seq: u64, event: &Event) -> io::Result<()> {
        self.0.lock().expect("no panic").push((seq, event.clone()));
        Ok(())
    }
}

fn through_a_sink(events: &[Event]) -> (Vec<(u64, Event)>, io::Result<()>, u64) {
    let kept = Kept::default();
    let (mut sink, counted) = CausalSink::new(vec![Box::new(kept.clone())]);
    let written = events.iter().try_for_each(|event| sink.write(9, event)).and_then(|()| sink.close());
    let kept = kept.0.lock().expect("no panic").clone();
    (kept, written, counted.get().map_or(0, |counts| counts.held))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // GV-20, GV-21, GV-23: `seq` is given where an event is applied, so that no line stands before what it follows from
    #[test]
    fn whatever_raced_for_the_queue_the_log_is_written_in_causal_order(order in Just(log()).prop_shuffle()) {
        let (kept, written, held) = through_a_sink(&order);
        prop_assert!(written.is_ok());
        prop_assert_eq!(kept.len(), log().len());
        prop_assert_eq!(held == 0, order == log() || held == 0);
        let mut seen = Vec::new();
        for (place, (seq, event)) in kept.iter().enumerate() {
            prop_assert_eq!(*seq, u64::try_from(place + 1).expect("few"));
            let before = EventId { task_id: Arc::clone(event.thread()), seq_no: event.seq_no - 1 };
            prop_assert!(event.seq_no == 1 || seen.contains(&before.to_string()));
            prop_assert!(event.cause.as_ref().is_none_or(|cause| seen.contains(&cause.to_string())));
            seen.push(event.id().to_string());
        }
    }
}

#[test]
fn what_the_log_says_can_be_ingested_elsewhere_in_any_order() {
    let lines: Vec<String> = (1..).zip(log()).map(|(seq, event)| event.to_json(seq).to_string()).collect();
    let ingested = |lines: Vec<&String>| {
        let (mut ingest, mut state) = (Ingest::default(), State::default());
        for line in lines {
            if let sandfork_causal::Answer::Applied(applied) = ingest.deliver_line(line) {
                applied.events.iter().for_each(|event| state.apply(event));
            }
        }
        assert_eq!((ingest.held(), ingest.counts().conflicts, ingest.counts().refused), (0, 0, 0));
        state
    };
    let state = ingested(lines.iter().collect());
    assert_eq!(ingested(lines.iter().rev().collect()), state);
    assert_eq!(state.task("root-1", "root/1").map(|task| task.status()), Some("ok"));
    assert_eq!(
        state.task("root-1", "root").map(|task| task.threads.len()),
        Some(2),
        "the run's thread, and its task's"
    );
}

#[test]
fn an_event_written_twice_or_lost_is_a_fault_that_names_it() {
    let log = log();
    let mut own = OwnLog::default();
    assert_eq!(own.offer(&log[0]), Ok(true));
    assert_eq!(own.offer(&log[0]), Err(Violation::Twice(log[0].id())));
    let without_the_note: Vec<Event> =
        log.iter().filter(|event| event.seq_no != 2 || event.task.depth > 0).cloned().collect();
    let (_, written, _) = through_a_sink(&without_the_note[..2]);
    assert!(written.is_ok(), "a log may be short");
    let without_the_note: Vec<Event> =
        log.iter().filter(|event| event.id().to_string() != "evt-root-2").cloned().collect();
    let (kept, written, _) = through_a_sink(&without_the_note);
    let fault = written.expect_err("a fault").to_string();
    assert!(fault.contains("evt-root-2") && fault.contains("never was"), "{fault}");
    assert_eq!(kept.len(), 2, "nothing is written that follows from what is not there");
}

// What the end of a run cuts off is no fault: nobody waits for late answers in real time.
#[test]
fn late_answers_that_the_end_cuts_off_are_let_go() {
    let mut events = log();
    let mut late = events[4].clone();
    late.body = EventBody::LateResultDropped { tool: "slow".into(), late_ns: 1 };
    late.seq_no = 9;
    events.push(late);
    let (kept, written, _) = through_a_sink(&events);
    assert!(written.is_ok());
    assert_eq!(kept.len(), 8);
}
