//! `wasi: denied`, through the binary: an ordinary WASI component runs where its entry says so, and gets nothing.

use crate::harness::{Run, fixture, settled};

/// A component that imports every reachable function of WASI and does `body`.
pub(crate) fn denied(body: &str) -> Vec<u8> {
    denied_with(body, "", "")
}

/// The same, with another part of its text replaced; the part must be there.
pub(crate) fn denied_with(body: &str, from: &str, to: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(fixture("wasi/denied.wat")).expect("a guest");
    assert!(text.contains(from), "there is no `{from}`");
    wat::parse_str(text.replace("(;body;)", body).replacen(from, to, 1))
        .unwrap_or_else(|error| panic!("{body}: {error}"))
}

fn plan(mark: &str, body: &str) -> Run {
    let plan = format!("run: t\nagents:\n  a: {{ component: a.wasm{mark} }}\nroot: {{ agent: a, goal: g }}\n");
    Run::plan(&plan).file("a.wasm", denied(body))
}

const PRINTS: &str = "(call $write (call $get-stdout) (i32.const 0x100) (i32.const 15) (i32.const 0x200))";

#[test]
fn what_a_marked_component_prints_becomes_notes_and_it_returns_as_any_agent() {
    let ran = settled(|| plan(", wasi: denied", PRINTS), 0);
    assert_eq!(ran.result("root")["notes"], 2, "a line, and what was left at the end");
    let bytes: Vec<_> = ran.events_of("note").iter().map(|event| event["attrs"]["bytes"].clone()).collect();
    assert_eq!(bytes, [6, 8]);
}

// HOSTILE 24
#[test]
fn without_the_mark_it_is_refused_and_told_of_the_mark() {
    let ran = settled(|| plan("", PRINTS), 1);
    let error = ran.result("root")["error"].clone();
    assert_eq!(error["details"]["cause"], "agent_invalid");
    assert!(error["message"].as_str().expect("text").contains("wasi:io/error@0.2.0"), "{error}");
    assert!(error["details"]["hint"].as_str().expect("text").contains("wasi: denied"), "{error}");
}

// HOSTILE 12: what is printed is as dear as what is noted, and has the same limit.
#[test]
fn a_flood_of_output_meets_the_limit_of_notes() {
    let body = "(local.set $a (call $get-stderr)) (loop $l (call $write (local.get $a) (i32.const 0x4000) (i32.const 4096) \
                (i32.const 0x200)) (br $l))";
    let ran = settled(|| plan(", wasi: denied", body), 1);
    let result = ran.result("root");
    assert_eq!(
        (&result["status"], &result["error"]["details"]["dimension"]),
        (&"out_of_budget".into(), &"note_bytes".into())
    );
}

#[test]
fn check_and_inspect_tell_who_may_run_it() {
    plan(", wasi: denied", "").with(["--cache", "off"]).json().expect_code(0);
    for (mark, code) in [(", wasi: denied", 0), ("", 2)] {
        let plan = format!("run: t\nagents:\n  a: {{ component: a.wasm{mark} }}\nroot: {{ agent: a, goal: g }}\n");
        let checked = Run::args(["check", "plan.yaml"]).file("plan.yaml", plan).file("a.wasm", denied("")).go();
        let checked = checked.expect_code(code);
        assert_eq!(checked.stderr.contains("wasi: denied"), code == 2, "{}", checked.stderr);
    }
    let shown = Run::args(["inspect", "a.wasm"]).file("a.wasm", denied("")).go().expect_code(0);
    assert!(shown.stdout.contains("only by an entry with `wasi: denied`"), "{}", shown.stdout);
    let told = Run::args(["inspect", "a.wasm", "--json"]).file("a.wasm", denied("")).go().expect_code(0).report();
    assert_eq!((&told["loadable"], &told["loadable_with_wasi_denied"]), (&false.into(), &true.into()));
}
