//! Stopping, halting, panicking: whatever the guest is doing, with one thread, without a clock.

use crate::support::*;
use sandfork_model::port::{Agent, BoxFuture, End, Halt, RawError, Stop};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

fn stop_on(signal: oneshot::Receiver<()>) -> Stop {
    Box::pin(async move {
        let _ = signal.await;
    })
}

// HOSTILE 10. Without fuel yields the spinning guest would keep the only thread and the stop would never be seen.
#[tokio::test(flavor = "current_thread")]
async fn a_stop_lands_while_the_guest_spins_on_the_only_thread() {
    for name in ["spin", "start_spins", "note_empty_flood"] {
        let agent = load(name).await.expect("loads");
        let (stop, signal) = oneshot::channel();
        let fuel = u64::MAX >> 11;
        let port = Arc::new(FakePort::with_budget(fuel));
        let fork = tokio::spawn(agent.run(String::new(), allowance(fuel), port, stop_on(signal)));
        // Let it run a while: every turn here is one in which the guest gave the thread back.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        stop.send(()).expect("still running");
        let ended = fork.await.expect("no panic");
        assert_eq!(ended.end, End::Stopped, "{name}");
        assert!(ended.fuel_used > 100_000, "{name} hardly ran: {}", ended.fuel_used);
    }
}

// HOSTILE 11
#[tokio::test(start_paused = true)]
async fn a_stop_lands_while_a_tool_never_answers() {
    let never_answers: Answer = Box::new(|_| Box::pin(std::future::pending()));
    let fuel = 1_000_000;
    let port = Arc::new(FakePort::with_budget(fuel).answering(never_answers));
    let agent = load("waits").await.expect("loads");
    let deadline: Stop = Box::pin(tokio::time::sleep(std::time::Duration::from_millis(200)));
    let started = tokio::time::Instant::now();
    let ended = agent.run(String::new(), allowance(fuel), Arc::clone(&port) as _, deadline).await;
    assert_eq!(ended.end, End::Stopped);
    assert_eq!(started.elapsed().as_millis(), 200);
    assert_eq!(port.count(), 1);
    assert!((1_000..2_000).contains(&ended.fuel_used), "the call's price is charged: {}", ended.fuel_used);
}

// A cancel during start-up lands: without the race around instantiation the start function would run first.
#[tokio::test]
async fn a_fork_stopped_before_it_began_runs_nothing() {
    let port = Arc::new(FakePort::with_budget(1_000_000));
    let agent = load("calls").await.expect("loads");
    let ended = agent.run(String::new(), allowance(1_000_000), Arc::clone(&port) as _, Box::pin(async {})).await;
    assert_eq!((ended.end, ended.fuel_used, ended.peak_memory_bytes), (End::Stopped, 0, 0));
    assert_eq!(port.count(), 0);
}

#[tokio::test]
async fn a_dropped_fork_frees_its_slot_and_its_memory() {
    let host = small_host(1);
    let agent = sandfork_model::port::Runtime::load(&host, guest("waits")).await.expect("loads");
    let never_answers: Answer = Box::new(|_| Box::pin(std::future::pending()));
    let port = Arc::new(FakePort::with_budget(1_000_000).answering(never_answers));
    let allowance = allowance(1_000_000);
    let in_use = Arc::clone(&allowance.memory_in_use);
    let mut fork = agent.run(String::new(), allowance, Arc::clone(&port) as _, never());
    let poll_once = std::future::poll_fn(|context| std::task::Poll::Ready(fork.as_mut().poll(context)));
    assert!(poll_once.await.is_pending());
    assert_eq!((host.sandboxes_live(), in_use.load(Ordering::SeqCst)), (1, 2 * 65_536));
    drop(fork);
    assert_eq!((host.sandboxes_live(), in_use.load(Ordering::SeqCst)), (0, 0));
}

#[tokio::test]
async fn a_halt_ends_the_guest_without_an_answer() {
    let halts: Answer = Box::new(|_| Box::pin(async { Err(Halt) }));
    let port = Arc::new(FakePort::with_budget(1_000_000).answering(halts));
    let ended = run_with("calls", allowance(1_000_000), Arc::clone(&port)).await;
    assert_eq!(ended.end, End::Halted);
    assert_eq!(port.count(), 2, "the note and the tool; the spawn after it never came");
    assert!(ended.fuel_used > 2_000);
}

// HOSTILE 32. Without the guard the panic would unwind through the orchestrator's task and take the run with it.
#[tokio::test]
async fn a_panicking_tool_fails_its_fork_and_nothing_else() {
    let host = small_host(1);
    let agent = sandfork_model::port::Runtime::load(&host, guest("calls")).await.expect("loads");
    let panics: Answer = Box::new(|_| -> BoxFuture<'static, Result<Result<String, RawError>, Halt>> {
        Box::pin(async { panic!("a bug in a tool") })
    });
    let port = Arc::new(FakePort::with_budget(1_000_000).answering(panics));
    let allowance_ = allowance(1_000_000);
    let in_use = Arc::clone(&allowance_.memory_in_use);
    let ended = agent.run(String::new(), allowance_, port, never()).await;
    assert_eq!(ended.end, End::Panicked("a bug in a tool".into()));
    assert!(ended.fuel_used > 2_000, "charged up to the call: {}", ended.fuel_used);
    assert_eq!((host.sandboxes_live(), in_use.load(Ordering::SeqCst)), (0, 0));
    // The only slot of the pool is usable again.
    let ended = again(&agent).await;
    assert_eq!(ended, returned("[1]"));
}

async fn again(agent: &Arc<dyn Agent>) -> End {
    let port = Arc::new(FakePort::with_budget(1_000_000));
    agent.run(String::new(), allowance(1_000_000), port, never()).await.end
}
