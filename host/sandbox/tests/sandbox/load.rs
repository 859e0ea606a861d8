//! Loading: anything at all may be offered, and nothing panics, stalls or bloats.

use crate::support::*;
use sandfork_model::port::Runtime;
use sandfork_sandbox::{LoadLimits, PoolLimits, Sandboxes, inspect};
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

fn with_function(table: &str, locals: &str, body: &str) -> Vec<u8> {
    let echo = std::fs::read_to_string(guests_dir().join("echo.wat")).unwrap();
    let text = echo.replacen("(core module $guest", &format!("(core module $guest {table} (func {locals} {body})"), 1);
    wat::parse_str(text).unwrap()
}

// A body over the cap is refused before it is compiled; without the cap one function could keep a processor for a minute.
#[tokio::test]
async fn a_function_over_its_cap_is_refused() {
    let body = "(drop (i32.add (i32.const 1) (i32.const 2)))".repeat(180_000);
    let message = refusal(with_function("", "", &body)).await;
    assert!(message.contains("function 0 has") && message.contains("1048576"), "{message}");
}

// What is slow to compile is refused by an estimate, before it is compiled. Without it each of these small bodies would keep a
// processor for a minute to an hour, or take gigabytes.
#[tokio::test]
async fn a_body_made_to_be_slow_to_compile_is_refused() {
    let locals = |n: usize| format!("(local {})", "i32 ".repeat(n));
    let bulk = "(memory.fill (local.get 0) (local.get 0) (local.get 0))";
    for (sin, table, locals, body) in [
        ("checks", "", String::new(), "(loop)".repeat(50_000)),
        ("locals through loops", "", locals(40_000), "(loop)".repeat(10_000)),
        ("locals through blocks", "", locals(2_000), "(if (i32.const 0) (then))".repeat(20_000)),
        ("bulk operations", "", locals(1), bulk.repeat(50_000)),
        ("nested loops", "(table 100 funcref)", String::new(), "(loop ".repeat(8_000) + &")".repeat(8_000)),
    ] {
        let message = refusal(with_function(table, &locals, &body)).await;
        assert!(message.contains("compiling it would take about"), "{sin}: {message}");
    }
}

// HOSTILE 24, the other side: a later patch of our version asks for nothing that is not here.
#[tokio::test]
async fn a_compatible_version_of_our_interface_is_accepted() {
    let bytes = guest_with("calls", "orchestrator@0.1.0", "orchestrator@0.1.7");
    let agent = host().load(bytes).await.unwrap_or_else(|refused| panic!("{}", refused.message));
    let port = Arc::new(FakePort::with_budget(1_000_000));
    assert_eq!(agent.run(String::new(), allowance(1_000_000), port, never()).await.end, returned("[1]"));
}

#[test]
fn an_inspection_tells_what_a_component_is_without_running_it() {
    let told = inspect(&guest("calls")).expect("valid");
    assert_eq!(told.imports, ["instance sandfork:agent/orchestrator@0.1.0"]);
    assert_eq!(told.exports, ["func run"]);
    assert_eq!((told.core_modules, told.memory_pages.as_slice()), (2, [2].as_slice()));
    assert_eq!((told.functions, told.manifest, told.refusal), (2, None, None));
    assert_eq!((told.size_bytes, told.digest.len()), (guest("calls").len(), 64));
}

#[test]
fn an_inspection_shows_what_would_be_refused_and_why() {
    let told = inspect(&guest("wasi_sockets")).expect("valid");
    assert_eq!(told.imports, ["instance wasi:sockets/tcp@0.2.0"]);
    assert!(told.refusal.is_some_and(|refused| refused.message.contains("wasi:sockets/tcp@0.2.0")));
    assert!(inspect(&guest("no_run")).expect("valid").refusal.is_some_and(|refused| refused.is_missing_export));
    assert!(inspect(&guest("threads")).is_err());
    assert!(inspect(b"(component)").is_err());
}

#[test]
fn an_inspection_reads_the_manifest_of_an_agent() {
    let section = |json: &str| {
        let text = std::fs::read_to_string(guests_dir().join("echo.wat")).unwrap();
        let end = text.trim_end().rfind(')').unwrap();
        let custom = format!("(@custom \"sandfork:manifest\" {json:?})");
        inspect(&wat::parse_str(format!("{}{custom})", &text[..end])).unwrap()).expect("valid")
    };
    let told = section("{\"tools\":[\"read_file\"]}");
    assert_eq!(told.manifest.expect("JSON")["tools"][0], "read_file");
    assert!(told.custom_sections.iter().any(|(name, _)| name == "sandfork:manifest"));
    assert_eq!(section("not json").manifest, None);
}

#[tokio::test]
async fn a_component_that_nobody_can_load_is_not_kept() {
    let host = small_host(1);
    for _ in 0..2 {
        assert!(host.load(guest("other_types")).await.is_err());
    }
    assert_eq!(host.components_compiled(), 2, "a refusal is found again, not remembered");
    for _ in 0..2 {
        assert!(host.load(guest("echo")).await.is_ok());
    }
    assert_eq!(host.components_compiled(), 3);
}

#[tokio::test]
async fn only_so_many_agents_are_kept() {
    let limits = LoadLimits { kept_agents: 1, ..LoadLimits::default() };
    let host = Sandboxes::new(PoolLimits { live_forks: 1 }, limits).expect("room");
    for name in ["echo", "spin", "echo", "echo"] {
        assert!(host.load(guest(name)).await.is_ok());
    }
    assert_eq!(host.components_compiled(), 3);
}
