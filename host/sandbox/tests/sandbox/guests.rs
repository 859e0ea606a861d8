//! The table of hostile guests: guest → limit → exact end. A guest without a row, or a row without a guest, fails.

use crate::support::*;
use sandfork_model::port::{Allowance, End, RawError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a guest must come to.
enum Wanted {
    /// Not loaded; the message has all of these.
    Refused(&'static [&'static str]),
    /// Not loaded, because there is no `run` of our type.
    NoRun(&'static [&'static str]),
    /// Ends so, with the fuel of the row.
    Ends(End),
    /// Ends so, with this memory limit on record.
    MetMemory(End),
    /// Breaks the calling convention, whatever the engine calls it.
    BadCall,
    /// Has suites of its own, because it needs a stop or a second sandbox.
    Elsewhere,
}

use Wanted::{BadCall, Elsewhere, Ends, MetMemory, NoRun, Refused};

/// Enough for every guest that ends by itself.
const PLENTY: u64 = 200_000_000;
const OFFERED: &str = "sandfork:agent/orchestrator@0.1.0";

fn trapped(word: &str) -> End {
    End::Trapped(word.into())
}

/// Guest, fuel, what it comes to.
fn table() -> Vec<(&'static str, u64, Wanted)> {
    let failure =
        RawError { code: "no_flour".into(), message: "the bag is empty".into(), details: "{\"left\":0}".into() };
    vec![
        ("echo", PLENTY, Ends(returned("\"a task\""))),
        ("calls", PLENTY, Ends(returned("[1]"))),
        ("returns_error", PLENTY, Ends(End::Failed(failure))),
        ("counter", PLENTY, Ends(returned("3"))),
        ("two_components", PLENTY, Ends(returned("\"a task\""))),
        ("secret_keeper", PLENTY, Ends(returned("^"))),
        ("secret_seeker", PLENTY, Ends(returned("0"))),
        ("waits", PLENTY, Elsewhere),
        // HOSTILE 10. Without fuel these would never end.
        ("spin", 1_000_000, Ends(End::OutOfFuel)),
        ("start_spins", 1_000_000, Ends(End::OutOfFuel)),
        ("bulk", 1_000_000, Ends(End::OutOfFuel)),
        ("post_return_spins", 1_000_000, Ends(End::OutOfFuel)),
        ("adapter_flood", 100_000, Ends(End::OutOfFuel)),
        // HOSTILE 12. Without prices on calls and bytes a note would cost the seven instructions around it.
        ("note_empty_flood", 10_000_000, Ends(End::OutOfFuel)),
        ("note_mib_flood", 10_000_000, Ends(End::OutOfFuel)),
        ("note_over_cap", PLENTY, BadCall),
        ("spawn_flood", PLENTY, BadCall),
        // HOSTILE 13. Without our limiter eight memories below the cap each would pass it together, and the refusal would
        // be a bare trap.
        ("memory_grow", PLENTY, MetMemory(trapped("unreachable"))),
        ("memory_huge", PLENTY, MetMemory(trapped("memory minimum size of 8000 pages exceeds memory limits"))),
        ("eight_memories", PLENTY, MetMemory(trapped("memory minimum size of 200 pages exceeds memory limits"))),
        ("adapter_memories", PLENTY, MetMemory(trapped("memory minimum size of 32 pages exceeds memory limits"))),
        ("adapter_utf16", 0, Refused(&["not UTF-8"])),
        ("nine_memories", PLENTY, Refused(&["9 Wasm linear memories", "maximum of 8"])),
        ("table_grow", PLENTY, MetMemory(trapped("unreachable"))),
        ("table_huge", PLENTY, Refused(&["100000000", "20000"])),
        // HOSTILE 14. Without room for the host on the fiber the second one would abort the process.
        ("recursion", PLENTY, Ends(trapped("stack overflow"))),
        ("recursion_then_call", PLENTY, Ends(trapped("stack overflow"))),
        // HOSTILE 15
        ("divide", PLENTY, Ends(trapped("integer divide by zero"))),
        // HOSTILE 36
        ("output_empty", PLENTY, Ends(returned(""))),
        ("output_one", PLENTY, Ends(returned("x"))),
        ("output_past_the_end", PLENTY, BadCall),
        ("output_at_cap", PLENTY, Elsewhere),
        ("output_over_cap", PLENTY, Ends(End::OutputTooLarge { bytes: (1 << 20) + 1 })),
        ("output_5_mib", PLENTY, BadCall),
        ("output_4_gib", PLENTY, BadCall),
        ("output_not_utf8", PLENTY, BadCall),
        ("output_unaligned", PLENTY, BadCall),
        ("output_lone_surrogate", PLENTY, BadCall),
        ("result_bad_pointer", PLENTY, BadCall),
        ("result_unaligned", PLENTY, BadCall),
        ("result_bad_discriminant", PLENTY, BadCall),
        ("note_bad_pointer", PLENTY, BadCall),
        ("note_4_gib", PLENTY, BadCall),
        ("note_not_utf8", PLENTY, BadCall),
        ("answer_bad_pointer", PLENTY, BadCall),
        // HOSTILE 37
        ("realloc_traps", PLENTY, Ends(trapped("unreachable"))),
        ("realloc_spins", 1_000_000, Ends(End::OutOfFuel)),
        ("realloc_out_of_range", PLENTY, BadCall),
        ("realloc_at_the_end", PLENTY, BadCall),
        ("realloc_unaligned", PLENTY, BadCall),
        ("handles", PLENTY, BadCall),
        // HOSTILE 24
        ("wasi_environment", 0, Refused(&["wasi:cli/environment@0.2.0", OFFERED])),
        ("wasi_sockets", 0, Refused(&["wasi:sockets/tcp@0.2.0", OFFERED])),
        ("unknown_import", 0, Refused(&["acme:spy/wire", OFFERED])),
        ("function_import", 0, Refused(&["func `system`", OFFERED])),
        ("module_import", 0, Refused(&["core module `code`", OFFERED])),
        ("newer_interface", 0, Refused(&["version 0.2.0", OFFERED])),
        ("other_types", 0, Refused(&["`note`", "u32"])),
        ("extra_function", 0, Refused(&["`shell`", OFFERED])),
        ("resource_import", 0, Refused(&["`file`", "resource"])),
        // HOSTILE 28
        ("no_run", 0, NoRun(&["`run`", "nothing"])),
        ("no_run_but_main", 0, NoRun(&["`run`", "`main`"])),
        ("ill_typed_run", 0, NoRun(&["`run`", "u32"])),
        // HOSTILE 34
        ("threads", 0, Refused(&["shared memories"])),
        ("memory64", 0, Refused(&["memory64"])),
        ("multi_memory", 0, Refused(&["multiple memories"])),
        ("gc_types", 0, Refused(&["gc feature"])),
        ("function_references", 0, Refused(&["function references"])),
        ("exceptions", 0, Refused(&["exceptions"])),
        ("tail_call", 0, Refused(&["tail calls"])),
        ("relaxed_simd", 0, Refused(&["relaxed SIMD"])),
        ("wide_arithmetic", 0, Refused(&["wide arithmetic"])),
        ("custom_page_sizes", 0, Refused(&["custom page sizes"])),
        ("stack_switching", 0, Refused(&["stack switching"])),
        ("async_export", 0, Refused(&["component model async"])),
        ("streams", 0, Refused(&["component model async"])),
        ("futures", 0, Refused(&["component model async"])),
        ("error_context", 0, Refused(&["error-context"])),
        ("unfolding", 0, Refused(&["unfolds to more than 1000 instances"])),
        ("component_argument", 0, Refused(&["takes a component `x`"])),
        ("nesting", 0, Refused(&["nest deeper than 8"])),
        ("sixty_five_instances", 0, Refused(&["65 core module instances", "maximum of 64"])),
    ]
}

#[tokio::test]
async fn every_hostile_guest_comes_to_its_exact_end() {
    for (guest, fuel, wanted) in table() {
        let (message, is_missing_export) = match (load(guest).await, &wanted) {
            (Err(refused), Refused(_) | NoRun(_)) => (refused.message, refused.is_missing_export),
            (Err(refused), _) => panic!("{guest} was not loaded: {}", refused.message),
            (Ok(_), Refused(_) | NoRun(_)) => panic!("{guest} was loaded"),
            (Ok(_), Elsewhere) => continue,
            (Ok(_), _) => (String::new(), false),
        };
        match wanted {
            Refused(words) | NoRun(words) => {
                for word in words {
                    assert!(message.contains(word), "{guest}: `{word}` is not in: {message}");
                }
                assert_eq!(is_missing_export, matches!(wanted, NoRun(_)), "{guest}");
            }
            Ends(end) => {
                let ended = run(guest, fuel).await;
                assert_eq!((ended.end, ended.memory_refused), (end, None), "{guest}");
                assert!(ended.fuel_used <= fuel, "{guest} used more than its tank: {}", ended.fuel_used);
            }
            MetMemory(end) => {
                let ended = run(guest, fuel).await;
                assert_eq!((ended.end, ended.memory_refused), (end, Some("memory")), "{guest}");
                assert!(ended.peak_memory_bytes <= 64 << 20, "{guest} held {}", ended.peak_memory_bytes);
            }
            BadCall => {
                let ended = run(guest, fuel).await;
                assert!(matches!(ended.end, End::BadCall(_)), "{guest}: {:?}", ended.end);
            }
            Elsewhere => {}
        }
    }
}

#[test]
fn every_guest_in_the_directory_has_a_row_and_every_row_a_guest() {
    let files: BTreeSet<String> = std::fs::read_dir(guests_dir())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let rows: BTreeSet<String> = table().into_iter().map(|(guest, _, _)| guest.to_owned()).collect();
    assert_eq!(files, rows);
}

#[test]
fn every_guest_says_its_sin_and_its_end() {
    for entry in std::fs::read_dir(guests_dir()).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(";; Sin: ") && text.contains("\n;; End: "), "{}", path.display());
    }
}

// HOSTILE 36: exactly the cap passes, one byte more does not (`output_over_cap`).
#[tokio::test]
async fn an_output_of_exactly_its_cap_is_returned() {
    let ended = run("output_at_cap", PLENTY).await;
    match ended.end {
        End::Returned(text) => assert_eq!(text.len(), 1 << 20),
        other => panic!("{other:?}"),
    }
}

// Without the cap on errors an agent could return what it may not return by failing.
#[tokio::test]
async fn a_returned_error_has_the_same_cap_as_an_output() {
    let allowance = Allowance { output_bytes: 33, ..allowance(PLENTY) };
    let ended = run_with("returns_error", allowance, Arc::new(FakePort::with_budget(PLENTY))).await;
    assert_eq!(ended.end, End::OutputTooLarge { bytes: 34 });
}

// HOSTILE 13: other forks are unaffected, and the run's own total is kept to.
#[tokio::test]
async fn a_run_full_of_memory_refuses_growth_and_gets_everything_back() {
    let hungry = Allowance { memory_total_bytes: 1 << 20, ..allowance(PLENTY) };
    let in_use = Arc::clone(&hungry.memory_in_use);
    let ended = run_with("memory_grow", hungry, Arc::new(FakePort::with_budget(PLENTY))).await;
    assert_eq!(ended.memory_refused, Some("memory_total"));
    assert_eq!(ended.peak_memory_bytes, 1 << 20);
    assert_eq!(in_use.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(run("echo", PLENTY).await.end, returned("\"a task\""));
}

// Each costs three units: without our limit the engine's own, a thousand times larger, would be met.
#[tokio::test]
async fn a_guest_holds_at_most_a_thousand_handles() {
    let ended = run("handles", PLENTY).await;
    assert!((3_000..3_100).contains(&ended.fuel_used), "{ended:?}");
}
