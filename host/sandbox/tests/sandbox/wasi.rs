//! WASI with nothing behind it: a guest that was built for it runs, gets nothing, and pays for every call. Each sin is a body put
//! into `fixtures/wasi/denied.wat`; the table says what it must come to.

use crate::support::*;
use sandfork_model::port::{Agent, Allowance, End, Ended, Leash, LoadOptions, Runtime, Unloadable};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PLENTY: u64 = 200_000_000;
const DENIED: LoadOptions = LoadOptions { wasi_denied: true };
const TASK: &str = "\"a task\"";

/// What a body must come to.
enum Wanted {
    /// Returns its task; the notes are these.
    Returns(&'static [&'static str]),
    /// Ends so.
    Ends(End),
    /// Is told that this cannot be had.
    Told(&'static str),
}

use Wanted::{Ends, Returns, Told};

/// What `denied.wat` is with this body.
fn denied(body: &str) -> Arc<[u8]> {
    let path = guests_dir().join("../wasi/denied.wat");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("(;body;)"));
    wat::parse_str(text.replace("(;body;)", body)).unwrap_or_else(|error| panic!("{error}")).into()
}

async fn load(body: &str) -> Result<Arc<dyn Agent>, Unloadable> {
    host().load_with(denied(body), DENIED).await
}

async fn run_body(body: &str, allowance: Allowance, port: Arc<FakePort>) -> Ended {
    let agent = load(body).await.unwrap_or_else(|refused| panic!("{}", refused.message));
    agent.run(TASK.into(), allowance, port, never()).await
}

/// Name, body, fuel, what it comes to.
#[allow(clippy::too_many_lines, reason = "a table")]
fn table() -> Vec<(&'static str, String, u64, Wanted)> {
    let is_zero = |at: &str, what: &str| format!("(if ({at}) (then unreachable)) ;; {what}\n");
    let is = |at: &str, value: u64| format!("(if (i64.ne ({at}) (i64.const {value})) (then unreachable))\n");
    let byte = |at: u32, value: u32| {
        format!("(if (i32.ne (i32.load8_u (i32.const {at})) (i32.const {value})) (then unreachable))\n")
    };
    let forever = |body: &str| format!("(local.set $a (call $get-stdout)) (loop $again {body} (br $again))");
    // A line that is not ended, as long as one write may be.
    let write = "(call $write (local.get $a) (i32.const 0x4000) (i32.const 4096) (i32.const 0x200))";
    let refused = |call: &str| format!("{call}\n") + &byte(0x200, 1) + &byte(0x204, 1);
    let at_end_by_8 = |call: &str| format!("{call}\n") + &byte(0x200, 1) + &byte(0x208, 1);
    vec![
        ("nothing at all", String::new(), PLENTY, Returns(&[])),
        (
            "environment",
            "(call $get-environment (i32.const 0x200))".to_owned()
                + &is_zero("i32.load (i32.const 0x204)", "variables")
                + "(call $get-arguments (i32.const 0x200))"
                + &is_zero("i32.load (i32.const 0x204)", "arguments")
                + "(call $initial-cwd (i32.const 0x200))"
                + &is_zero("i32.load8_u (i32.const 0x200)", "directory"),
            PLENTY,
            Returns(&[]),
        ),
        (
            "terminals",
            ["stdin", "stdout", "stderr"]
                .map(|name| {
                    format!("(call $get-terminal-{name} (i32.const 0x200))")
                        + &is_zero("i32.load8_u (i32.const 0x200)", "terminal")
                })
                .concat(),
            PLENTY,
            Returns(&[]),
        ),
        (
            "files",
            "(call $get-directories (i32.const 0x200))".to_owned()
                + &is_zero("i32.load (i32.const 0x204)", "directories"),
            PLENTY,
            Returns(&[]),
        ),
        ("a file it never had", "(call $get-type (i32.const 1) (i32.const 0x200))".into(), PLENTY, Told("handle")),
        (
            "sockets",
            refused("(call $tcp (i32.const 0) (i32.const 0x200))")
                + &refused("(call $udp (i32.const 1) (i32.const 0x200))")
                + &refused("(call $resolve (call $network) (i32.const 0x100) (i32.const 6) (i32.const 0x200))"),
            PLENTY,
            Returns(&[]),
        ),
        (
            "clocks",
            is("call $now", 0)
                + &is("call $now", 0)
                + &is("call $resolution", 1)
                + "(i64.store (i32.const 0x200) (i64.const 7)) (call $wall-now (i32.const 0x200))"
                + &is("i64.load (i32.const 0x200)", 0)
                + "(call $wall-resolution (i32.const 0x200))"
                + &is("i64.load32_u (i32.const 0x208)", 1),
            PLENTY,
            Returns(&[]),
        ),
        // Without an answer at once a guest could sleep for 584 years.
        (
            "sleep",
            "(local.set $a (call $subscribe-duration (i64.const -1))) (call $block (local.get $a))
             (if (i32.eqz (call $ready (local.get $a))) (then unreachable))
             (i32.store (i32.const 0x300) (local.get $a))
             (i32.store (i32.const 0x304) (call $subscribe-instant (i64.const -1)))
             (call $poll (i32.const 0x300) (i32.const 2) (i32.const 0x200))"
                .to_owned()
                + &is("i64.load32_u (i32.const 0x204)", 2)
                + &is("i64.load (i32.load (i32.const 0x200))", 1 << 32),
            PLENTY,
            Returns(&[]),
        ),
        (
            "random numbers",
            is("call $random-u64", 0xe220_a839_7b1d_cdaf)
                + "(call $random-bytes (i64.const 65536) (i32.const 0x200))"
                + &is("i64.load32_u (i32.const 0x204)", 65_536)
                + &is("i64.load (i32.load (i32.const 0x200))", 0x6e78_9e6a_a1b9_65f4)
                + "(call $insecure-bytes (i64.const 3) (i32.const 0x200))"
                + &is("i64.load32_u (i32.const 0x204)", 3)
                + "(call $seed (i32.const 0x200)) (drop (call $insecure-u64))",
            PLENTY,
            Returns(&[]),
        ),
        (
            "input",
            "(local.set $a (call $get-stdin)) (call $block (call $in-subscribe (local.get $a)))".to_owned()
                + &refused("(call $read (local.get $a) (i64.const -1) (i32.const 0x200))")
                + &refused("(call $blocking-read (local.get $a) (i64.const 1) (i32.const 0x200))")
                + &at_end_by_8("(call $skip (local.get $a) (i64.const 1) (i32.const 0x200))")
                + &at_end_by_8("(call $blocking-skip (local.get $a) (i64.const -1) (i32.const 0x200))"),
            PLENTY,
            Returns(&[]),
        ),
        (
            "output",
            "(local.set $a (call $get-stdout)) (local.set $b (call $get-stderr))
             (call $check-write (local.get $a) (i32.const 0x200))"
                .to_owned()
                + &is("i64.load (i32.const 0x208)", 4_096)
                + "(call $write (local.get $a) (i32.const 0x100) (i32.const 15) (i32.const 0x200))"
                + &byte(0x200, 0)
                + "(call $flush (local.get $a) (i32.const 0x200)) (call $blocking-flush (local.get $b) (i32.const 0x200))
                   (call $blocking-write (local.get $b) (i32.const 0x107) (i32.const 3) (i32.const 0x200))
                   (call $blocking-write (local.get $b) (i32.const 0x106) (i32.const 1) (i32.const 0x200))
                   (call $block (call $out-subscribe (local.get $b)))"
                + &at_end_by_8(
                    "(call $splice (local.get $a) (call $get-stdin) (i64.const 1) (i32.const 0x200))
                     (call $blocking-splice (local.get $a) (call $get-stdin) (i64.const -1) (i32.const 0x200))",
                ),
            PLENTY,
            Returns(&["a line", "the", "the rest"]),
        ),
        (
            "zeroes",
            "(local.set $a (call $get-stdout)) (call $write-zeroes (local.get $a) (i64.const 2) (i32.const 0x200))
             (call $blocking-write-zeroes (local.get $a) (i64.const 1) (i32.const 0x200))"
                .into(),
            PLENTY,
            Returns(&["\0\0\0"]),
        ),
        ("exit", "(call $exit (i32.const 0))".into(), PLENTY, Ends(End::Trapped("exit instead of a return from `run`".into()))),
        // Without a price on every call these would never end.
        ("a flood of looks at the clock", forever("(drop (call $now))"), 1_000_000, Ends(End::OutOfFuel)),
        (
            "a wait without end",
            forever("(local.set $b (call $subscribe-duration (i64.const 1))) (call $block (local.get $b))
                     (call $drop-pollable (local.get $b))"),
            1_000_000,
            Ends(End::OutOfFuel),
        ),
        ("a flood of output", forever(write), 10_000_000, Ends(End::OutOfFuel)),
        (
            "a flood of empty output",
            forever("(call $write (local.get $a) (i32.const 0) (i32.const 0) (i32.const 0x200))"),
            1_000_000,
            Ends(End::OutOfFuel),
        ),
        (
            "a flood of randomness",
            forever("(call $random-bytes (i64.const 0) (i32.const 0x200))"),
            1_000_000,
            Ends(End::OutOfFuel),
        ),
        (
            "a flood of refusals",
            forever("(call $tcp (i32.const 0) (i32.const 0x200))"),
            1_000_000,
            Ends(End::OutOfFuel),
        ),
        // Without limits on what is asked for at once each of these would make the host reserve what was asked for.
        ("4 GiB of random bytes", "(call $random-bytes (i64.const 0x100000000) (i32.const 0x200))".into(), PLENTY, Ends(End::OutOfFuel)),
        (
            "4 GiB of random bytes, paid",
            "(call $insecure-bytes (i64.const 0x100000000) (i32.const 0x200))".into(),
            1_000_000_000,
            Told("4294967296 random bytes"),
        ),
        ("all random bytes", "(call $random-bytes (i64.const -1) (i32.const 0x200))".into(), u64::MAX / 2, Told("65536")),
        (
            "more output than may be",
            "(call $write (call $get-stdout) (i32.const 0) (i32.const 4097) (i32.const 0x200))".into(),
            PLENTY,
            Told("4097 bytes of output"),
        ),
        (
            "endless zeroes",
            "(call $write-zeroes (call $get-stdout) (i64.const -1) (i32.const 0x200))".into(),
            u64::MAX / 2,
            Told("bytes of output"),
        ),
        ("a poll of nothing", "(call $poll (i32.const 0) (i32.const 0) (i32.const 0x200))".into(), PLENTY, Told("never end")),
        (
            "a poll of too much",
            "(local.set $a (call $subscribe-instant (i64.const 0))) (local.set $b (i32.const 0x4000))
             (loop $fill (i32.store (local.get $b) (local.get $a)) (local.set $b (i32.add (local.get $b) (i32.const 4)))
               (br_if $fill (i32.lt_u (local.get $b) (i32.const 0x8000))))
             (call $poll (i32.const 0x4000) (i32.const 1001) (i32.const 0x200))"
                .into(),
            PLENTY,
            Told("handle limit"),
        ),
        ("things to wait for without end", forever("(drop (call $subscribe-instant (i64.const 0)))"), PLENTY, Told("")),
        ("networks without end", forever("(drop (call $network))"), PLENTY, Told("")),
        ("streams without end", forever("(drop (call $get-stderr))"), PLENTY, Told("")),
    ]
}

// HOSTILE 24 and 12, for components that a plan lets in with WASI denied.
#[tokio::test]
async fn every_guest_with_wasi_denied_gets_nothing_and_comes_to_its_exact_end() {
    for (name, body, fuel, wanted) in table() {
        let port = Arc::new(FakePort::with_budget(fuel));
        let ended = run_body(&body, allowance(fuel), Arc::clone(&port)).await;
        match wanted {
            Returns(notes) => {
                assert_eq!(ended.end, returned(TASK), "{name}");
                let calls: Vec<Call> = notes.iter().map(|text| Call::Note((*text).into())).collect();
                assert_eq!(port.calls(), calls, "{name}");
            }
            Ends(end) => assert_eq!(ended.end, end, "{name}"),
            Told(word) => match &ended.end {
                End::BadCall(why) | End::Trapped(why) => assert!(why.contains(word), "{name}: {why}"),
                other => panic!("{name}: {other:?}"),
            },
        }
        assert!(ended.fuel_used <= fuel, "{name} used more than its tank: {}", ended.fuel_used);
        if matches!(ended.end, End::OutOfFuel) {
            assert_eq!(ended.fuel_used, fuel, "{name}: the whole tank and no more");
        }
        let again = run_body(&body, allowance(fuel), Arc::new(FakePort::with_budget(fuel))).await;
        assert_eq!(ended, again, "{name}: the same at every run");
    }
}

#[tokio::test]
async fn a_call_of_wasi_costs_what_a_call_costs() {
    let used =
        async |body: &str| run_body(body, allowance(PLENTY), Arc::new(FakePort::with_budget(PLENTY))).await.fuel_used;
    let (none, one, two) =
        (used("").await, used("(drop (call $now))").await, used("(drop (call $now)) (drop (call $now))").await);
    assert!((1_000..1_010).contains(&(one - none)), "{none} {one}");
    assert_eq!(two - one, one - none);
    let bytes = async |count: u32| used(&format!("(call $random-bytes (i64.const {count}) (i32.const 0x200))")).await;
    assert!(bytes(1_025).await - bytes(1_024).await >= 128, "a begun KiB more");
}

// HOSTILE 10: the leash holds inside WASI calls. A guest that does nothing but call would not let others run by itself.
#[tokio::test]
async fn a_flood_of_wasi_calls_lets_others_run_and_hears_a_stop() {
    let agent = load("(loop $again (drop (call $now)) (br $again))").await.expect("loads");
    let polled = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&polled);
    let stop = std::future::poll_fn(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        100.. => std::task::Poll::Ready(()),
        _ => std::task::Poll::Pending,
    });
    let fuel = 100_000_000;
    let port = Arc::new(FakePort::with_budget(fuel));
    let ended = agent.run(TASK.into(), allowance(fuel), port, Box::pin(stop)).await;
    assert_eq!(ended.end, End::Stopped);
    assert!((500_000..5_000_000).contains(&ended.fuel_used), "a slice each time: {}", ended.fuel_used);
}

#[tokio::test]
async fn a_virtual_deadline_binds_in_wasi_calls_too() {
    let leash = Leash { fuel_left: 1_000_000, fuel_to_deadline: Some(400_000) };
    let bound = Allowance { leash, ..allowance(0) };
    let ended = run_body("(loop $l (drop (call $now)) (br $l))", bound, Arc::new(FakePort::with_budget(0))).await;
    assert_eq!((ended.end, ended.fuel_used), (End::DeadlineFuel, 400_000));
}

// HOSTILE 24: closed unless the entry says so, whoever loaded the same bytes before.
#[tokio::test]
async fn without_the_mark_the_same_bytes_are_refused_and_the_import_is_named() {
    for _ in 0..2 {
        assert!(load("").await.is_ok());
        let Err(refused) = host().load(denied("")).await else { panic!("loaded") };
        assert!(refused.message.contains("wasi:io/error@0.2.0"), "{}", refused.message);
        assert!(refused.hint.as_deref().is_some_and(|hint| hint.contains("wasi: denied")), "{:?}", refused.hint);
    }
}

#[tokio::test]
async fn what_was_not_emptied_is_refused_by_name_also_with_the_mark() {
    for (import, words) in [
        (r#"(import "wasi:http/types@0.2.0" (instance))"#, "wasi:http/types@0.2.0"),
        (r#"(import "wasi:cli/environment@0.3.0" (instance))"#, "wasi:cli/environment@0.3.0"),
        (r#"(import "acme:spy/wire" (instance))"#, "acme:spy/wire"),
        (
            r#"(import "wasi:random/random@0.2.0" (instance (export "get-random-u64" (func (result u32)))))"#,
            "get-random-u64",
        ),
        (r#"(import "wasi:cli/exit@0.2.0" (instance (export "abort" (func))))"#, "abort"),
        (r#"(import "sandfork:agent/orchestrator@1.0.0" (instance))"#, "version 1.0.0"),
    ] {
        let Err(refused) = host()
            .load_with(guest_with("echo", "(core module $guest", &format!("{import} (core module $guest")), DENIED)
            .await
        else {
            panic!("{words} was loaded")
        };
        assert!(refused.message.contains(words), "{}", refused.message);
    }
}

#[test]
fn an_inspection_says_that_the_mark_would_let_it_in() {
    let told = sandfork_sandbox::inspect(&denied("")).expect("valid");
    assert!(told.refusal.is_some() && told.loads_with_wasi_denied);
    assert_eq!(sandfork_sandbox::inspect_with(&denied(""), DENIED).expect("valid").refusal, None);
    let plain = sandfork_sandbox::inspect(&guest("echo")).expect("valid");
    assert!(plain.refusal.is_none() && plain.loads_with_wasi_denied);
    assert!(!sandfork_sandbox::inspect(&guest("unknown_import")).expect("valid").loads_with_wasi_denied);
}
