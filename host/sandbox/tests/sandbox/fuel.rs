//! Fuel: the same at every run, charged before the port hears of a call, never more than the tank.

use crate::support::*;
use sandfork_model::port::{Allowance, End, Leash, RawError};
use std::sync::Arc;

// HOSTILE 10
#[tokio::test]
async fn a_spinning_guest_uses_exactly_its_tank_every_time() {
    for _ in 0..3 {
        let ended = run("spin", 1_000_000).await;
        assert_eq!((ended.end, ended.fuel_used), (End::OutOfFuel, 1_000_000));
    }
}

// HOSTILE 38 for one fork: wherever it yields, whatever the runtime does.
#[tokio::test]
async fn the_same_fork_uses_the_same_fuel_every_time() {
    let first = run("calls", 1_000_000).await;
    for _ in 0..20 {
        assert_eq!(run("calls", 1_000_000).await, first);
    }
}

// HOSTILE 15. Fuel burnt since the last check before a hardware trap reads as unspent: without the surcharge a parent could
// burn a slice for nothing as often as it likes.
#[tokio::test]
async fn a_hardware_trap_is_charged_at_least_what_was_burnt_and_at_most_the_tank() {
    let burnt = 7_000_000; // a million turns of seven instructions
    let ended = run("divide", 100_000_000).await;
    assert!((burnt..=burnt + 20_000).contains(&ended.fuel_used), "{}", ended.fuel_used);
    let tight = run("divide", burnt + 100).await;
    assert_eq!(tight.end, End::Trapped("integer divide by zero".into()));
    assert_eq!(tight.fuel_used, burnt + 100, "never more than the tank");
}

#[tokio::test]
async fn a_call_is_paid_before_the_port_hears_of_it() {
    let port = Arc::new(FakePort::with_budget(u64::MAX));
    let ended = run_with("calls", allowance(900), Arc::clone(&port)).await;
    assert_eq!((ended.end, ended.fuel_used), (End::OutOfFuel, 900));
    assert_eq!(port.count(), 0, "short of the price the port is not called");
}

#[tokio::test]
async fn the_meter_rises_with_every_call_and_includes_its_price() {
    let port = Arc::new(FakePort::with_budget(1_000_000));
    let ended = run_with("calls", allowance(1_000_000), Arc::clone(&port)).await;
    let meters = port.meters.lock().unwrap().clone();
    assert_eq!(meters.len(), 3);
    // A call is 1 000, a request 10 000, a begun KiB 128; the rest are the guest's own instructions.
    assert!(meters[0] >= 1_128 && meters[0] < 1_200, "{meters:?}");
    assert!(meters[1] >= meters[0] + 1_128 && meters[1] < meters[0] + 1_200, "{meters:?}");
    assert!(meters[2] >= meters[1] + 128 + 11_128 && meters[2] < meters[1] + 11_400, "{meters:?}");
    assert!(ended.fuel_used >= meters[2] + 128, "the last answer has a price too");
}

// Without the price of answers a guest could have the host copy megabytes for the price of asking.
#[tokio::test]
async fn an_answer_is_paid_by_its_size() {
    let used = async |fuel: u64, bytes: usize| {
        let answer: Answer = Box::new(move |_| Box::pin(async move { Ok(Ok("x".repeat(bytes))) }));
        let port = Arc::new(FakePort::with_budget(fuel).answering(answer));
        let ended = run_with("realloc_at_the_end", allowance(fuel), port).await;
        (ended.fuel_used, ended.end == End::OutOfFuel)
    };
    let (one_kib, _) = used(1_000_000, 1_024).await;
    let (two_kib, _) = used(1_000_000, 1_025).await;
    assert_eq!(two_kib - one_kib, 128);
    assert_eq!(used(5_000, 1 << 20).await, (5_000, true), "an answer that cannot be paid is not written");
}

#[tokio::test]
async fn an_error_answer_is_paid_by_its_size_too() {
    let answer: Answer = Box::new(|_| {
        let error = RawError { code: "c".repeat(400), message: "m".repeat(400), details: "d".repeat(400) };
        Box::pin(async move { Ok(Err(error)) })
    });
    let port = Arc::new(FakePort::with_budget(1_000_000).answering(answer));
    let ended = run_with("realloc_at_the_end", allowance(1_000_000), port).await;
    let plain = run("realloc_at_the_end", 1_000_000).await;
    assert_eq!(ended.fuel_used, plain.fuel_used + 128, "1 200 bytes are two begun KiB, `[1]` is one");
}

#[tokio::test]
async fn a_virtual_deadline_ends_a_fork_where_it_binds() {
    for (fuel_left, to_deadline, end, used) in [
        (1_000, Some(400), End::DeadlineFuel, 400),
        (400, Some(1_000), End::OutOfFuel, 400),
        (0, None, End::OutOfFuel, 0),
        (1_000, Some(0), End::DeadlineFuel, 0),
    ] {
        let leash = Leash { fuel_left, fuel_to_deadline: to_deadline };
        let ended = run_with("spin", Allowance { leash, ..allowance(0) }, Arc::new(FakePort::with_budget(0))).await;
        assert_eq!((ended.end, ended.fuel_used), (end, used), "{leash:?}");
    }
}

// The deadline moves with every answer (virtual time passes in calls): the newest leash counts, not the first.
#[tokio::test]
async fn the_newest_leash_counts() {
    let mut port = FakePort::with_budget(0);
    port.next = Box::new(|meter| Leash { fuel_left: 1_000_000 - meter.fuel_used, fuel_to_deadline: Some(5_000) });
    let port = Arc::new(port);
    let ended = run_with("note_empty_flood", allowance(1_000_000), Arc::clone(&port)).await;
    // Each leash of 5 000 carries many calls of 1 000 until the budget of a million binds.
    assert_eq!((ended.end, ended.fuel_used), (End::OutOfFuel, 1_000_000));
    let mut port = FakePort::with_budget(0);
    port.next = Box::new(|_| Leash { fuel_left: 1_000_000, fuel_to_deadline: Some(500) });
    let ended = run_with("note_empty_flood", allowance(1_000_000), Arc::new(port)).await;
    assert_eq!(ended.end, End::DeadlineFuel);
}

// Fuel counts what the guest does, not how it was compiled: the same code costs the same in the engine for scripts and in the
// one for language guests.
#[tokio::test]
async fn both_engines_charge_the_same() {
    for (name, from, to) in [
        ("calls", "(core module $memory", "(core module $memory (table 100 funcref)"),
        ("divide", "(core module $guest", "(core module $guest (table 100 funcref)"),
    ] {
        let wide = sandfork_model::port::Runtime::load(host(), guest_with(name, from, to)).await.expect("loads");
        let port = Arc::new(FakePort::with_budget(100_000_000));
        let wide = wide.run("\"a task\"".into(), allowance(100_000_000), port, never()).await;
        let tight = run(name, 100_000_000).await;
        assert_eq!((wide.end, wide.fuel_used), (tight.end, tight.fuel_used), "{name}");
    }
}

#[tokio::test]
async fn what_crosses_reaches_the_port_as_it_was_said() {
    let port = Arc::new(FakePort::with_budget(1_000_000));
    run_with("calls", allowance(1_000_000), Arc::clone(&port)).await;
    let request = sandfork_model::port::RawRequest {
        agent: "child".into(),
        goal: "goal".into(),
        context: "[1]".into(),
        options: "{}".into(),
    };
    let said = vec![
        Call::Note("a note".into()),
        Call::Tool("hammer".into(), "{}".into()),
        Call::Spawn(vec![request], "{}".into()),
    ];
    assert_eq!(port.calls(), said);
}
