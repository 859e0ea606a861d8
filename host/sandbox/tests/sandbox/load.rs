//! Loading: anything at all may be offered, and nothing panics, stalls or bloats.

use crate::support::*;
use sandfork_model::port::Runtime;
use std::sync::Arc;

async fn refusal(bytes: impl Into<Arc<[u8]>>) -> String {
    match host().load(bytes.into()).await {
        Ok(_) => panic!("loaded"),
        Err(refused) => refused.message,
    }
}

// HOSTILE 34
#[tokio::test]
async fn what_is_no_component_is_called_what_it_is() {
    for (bytes, words) in [
        (Vec::new(), "empty: 0 bytes"),
        (wat::parse_str("(module)").unwrap(), "core wasm module"),
        (b"(component)".to_vec(), "WebAssembly text"),
        (b"\n ;; a comment\n(component)".to_vec(), "WebAssembly text"),
        (b"\x7fELF\x02\x01\x01".to_vec(), "precompiled"),
        (b"#!/bin/sh\n".to_vec(), "starts with 23 21 2f"),
        (b"\0asm\x0d\0\x02\0".to_vec(), "starts with 00 61 73 6d"),
        (b"\0as".to_vec(), "starts with 00 61 73"),
        (vec![0; 1 << 20], "starts with 00 00 00 00 00 00 00 00"),
        (vec![0; 100 << 20], "104857600 bytes"),
    ] {
        let message = refusal(bytes).await;
        assert!(message.contains(words), "`{words}` is not in: {message}");
    }
}

// HOSTILE 34. A cut that takes nothing but the names at its end leaves a whole component; every other one is refused.
#[tokio::test]
async fn every_truncation_of_a_component_is_refused() {
    let whole = guest("calls");
    let names = whole.windows(14).position(|window| window == b"component-name").expect("wat writes names");
    for end in 0..whole.len() {
        match host().load(whole[..end].into()).await {
            Ok(_) => assert!(end < names && names - end <= 4, "cut at {end} of {} and loaded", whole.len()),
            Err(refused) => assert!(!refused.message.contains("broke the loader"), "cut at {end}: {}", refused.message),
        }
    }
}

// HOSTILE 34. Seeded, so that a failure can be repeated. Those that still load must run to an end, too.
#[tokio::test]
async fn three_thousand_mutations_are_refused_or_run_to_an_end() {
    let whole = guest("calls");
    let mut seed = 0x5a4d_f0c4_u64;
    let mut next = move |below: usize| {
        // A 64-bit linear congruence; the high bits are random enough for flipping bytes.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut loaded = 0;
    for round in 0..3_000 {
        let mut bytes = whole.to_vec();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            bytes[at] = u8::try_from(next(256)).unwrap();
        }
        match host().load(bytes.into()).await {
            Err(refused) => {
                assert!(!refused.message.contains("broke the loader"), "round {round}: {}", refused.message)
            }
            Ok(agent) => {
                loaded += 1;
                let port = Arc::new(FakePort::with_budget(1_000_000));
                let ended = agent.run(String::new(), allowance(1_000_000), port, never()).await;
                assert!(ended.fuel_used <= 1_000_000, "round {round}: {ended:?}");
            }
        }
    }
    assert!(loaded > 0, "no mutation was harmless enough to be run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_bytes_are_compiled_once_however_many_ask() {
    let host = Arc::new(small_host(1));
    let bytes = guest("echo");
    let loads: Vec<_> = (0..20)
        .map(|_| {
            let (host, bytes) = (Arc::clone(&host), Arc::clone(&bytes));
            tokio::spawn(async move { host.load(bytes).await.is_ok() })
        })
        .collect();
    for load in loads {
        assert!(load.await.unwrap());
    }
    assert_eq!(host.components_compiled(), 1);
}

fn with_function(locals: &str, body: &str) -> Vec<u8> {
    let echo = std::fs::read_to_string(guests_dir().join("echo.wat")).unwrap();
    let text = echo.replacen("(core module $guest", &format!("(core module $guest (func {locals} {body})"), 1);
    wat::parse_str(text).unwrap()
}

// A body over the cap is refused before it is compiled; without the cap one function could keep a processor for a minute.
#[tokio::test]
async fn a_function_over_its_cap_is_refused() {
    let body = "(drop (i32.add (i32.const 1) (i32.const 2)))".repeat(180_000);
    let message = refusal(with_function("", &body)).await;
    assert!(message.contains("function 0 has") && message.contains("1048576"), "{message}");
}

// Every local may have to be carried through every branch: a small body, and gigabytes in the compiler.
#[tokio::test]
async fn a_function_with_too_many_locals_for_its_branches_is_refused() {
    let body = "(loop)".repeat(10_000);
    let message = refusal(with_function(&format!("(local {})", "i32 ".repeat(40_000)), &body)).await;
    assert!(message.contains("too many locals for its branches"), "{message}");
}
