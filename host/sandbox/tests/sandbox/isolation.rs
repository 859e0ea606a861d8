//! One sandbox sees nothing of another, at once or after it.

use crate::support::*;
use sandfork_model::port::{End, Runtime};
use std::sync::Arc;

// HOSTILE 22
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forks_of_one_agent_at_once_count_from_one_each() {
    let agent = load("counter").await.expect("loads");
    let forks: Vec<_> = (0..50)
        .map(|_| {
            let port = Arc::new(FakePort::with_budget(1_000_000));
            tokio::spawn(agent.run(String::new(), allowance(1_000_000), port, never()))
        })
        .collect();
    for fork in forks {
        assert_eq!(fork.await.expect("no panic").end, returned("3"));
    }
}

// HOSTILE 23. The pool has one slot, so the seeker gets exactly what the keeper left; without zeroing between forks it would
// find it. With both kinds of slot affinity: after another component, and after the very same one. A table that may grow is
// what makes a component a language guest: so both engines are looked at.
#[tokio::test]
async fn a_slot_keeps_nothing_of_the_fork_before() {
    for (table, in_engine) in [("(table $t 8 8 funcref)", "scripts"), ("(table $t 8 funcref)", "language guests")] {
        let host = small_host(1);
        let secret = "(table $t 8 8 funcref)";
        let keeper = host.load(guest_with("secret_keeper", secret, table)).await.expect("loads");
        let seeker = host.load(guest_with("secret_seeker", secret, table)).await.expect("loads");
        let (k, s) = ((&keeper, "^"), (&seeker, "0"));
        for (agent, end) in [k, s, k, k, s, s, k, s] {
            let port = Arc::new(FakePort::with_budget(100_000_000));
            let ended = agent.run("[1,2,3]".into(), allowance(100_000_000), port, never()).await;
            assert_eq!(ended.end, returned(end), "in the engine for {in_engine}");
        }
        assert_eq!((host.sandboxes_created(), host.sandboxes_live()), (8, 0));
    }
}

// The pool is never seen full: without the gate the engine would fail in the middle of an instantiation.
#[tokio::test]
async fn a_fork_beyond_the_capacity_is_a_broken_host_not_a_broken_agent() {
    let host = small_host(1);
    assert_eq!(host.live_capacity(), 1);
    let waits = host.load(guest("waits")).await.expect("loads");
    let never_answers: Answer = Box::new(|_| Box::pin(std::future::pending()));
    let port = Arc::new(FakePort::with_budget(1_000_000).answering(never_answers));
    let mut first = waits.run(String::new(), allowance(1_000_000), port, never());
    let poll_once = std::future::poll_fn(|context| std::task::Poll::Ready(first.as_mut().poll(context)));
    assert!(poll_once.await.is_pending());
    let port = Arc::new(FakePort::with_budget(1_000_000));
    let second = waits.run(String::new(), allowance(1_000_000), port, never()).await;
    assert!(matches!(second.end, End::Broken(_)), "{:?}", second.end);
    assert_eq!((host.sandboxes_live(), host.sandboxes_created()), (1, 1));
}
