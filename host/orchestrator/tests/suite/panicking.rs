//! The tool `panic`: an agent's last words.

use crate::fake::Fake;
use serde_json::{Value, json};

fn panicking(arguments: Value) -> Fake {
    Fake::root("lead")
        .agent("lead", &["leaf"], json!([["spawn", [{"agent": "leaf", "goal": "g"}]], ["return_last"]]))
        .agent("leaf", &[], json!([["note", "before"], ["tool", "panic", arguments], ["note", "after"]]))
}

// HOSTILE 28
#[test]
fn a_guest_that_panics_ends_as_failed_with_its_own_words_and_counts_no_tool_call() {
    let finished = panicking(json!({"message": "index 7 of 3", "location": "src/lib.rs:12:5"})).run();
    let leaf = &finished.record.outcomes[1];
    let error = leaf.error.as_ref().unwrap();
    assert_eq!((leaf.status.name(), error.code.as_str()), ("failed", "subagent_failed"));
    let told = json!({"cause": "panic", "agent": "leaf", "message": "index 7 of 3", "location": "src/lib.rs:12:5"});
    assert_eq!(error.details, told);
    assert_eq!(error.message, "agent leaf failed: it panicked at src/lib.rs:12:5: index 7 of 3");
    assert_eq!((leaf.counts.tool_calls, leaf.counts.tool_messages, leaf.counts.messages), (0, 0, 2));
    assert_eq!((leaf.counts.notes, leaf.counts.host_calls), (1, 2), "nothing after it happened");
    assert_eq!((finished.count("tool_call"), finished.count("tool_result")), (0, 0));
    assert_eq!(finished.record.merged["told"], json!([["leaf", "failed", "subagent_failed"]]), "its parent goes on");
}

#[test]
fn whatever_a_panic_says_of_itself_is_bounded_and_enough() {
    for (arguments, message, location) in [
        (json!({}), json!("it did not say why"), json!(null)),
        (json!("no object"), json!("it did not say why"), json!(null)),
        (json!({"message": 7, "location": []}), json!("it did not say why"), json!(null)),
        (json!({"message": "x".repeat(100_000)}), json!(format!("{}…", "x".repeat(4 << 10))), json!(null)),
        (json!({"message": "m", "location": "é".repeat(1_000)}), json!("m"), json!(format!("{}…", "é".repeat(256)))),
    ] {
        let finished = panicking(arguments).run();
        let details = finished.record.outcomes[1].error.clone().unwrap().details;
        assert_eq!((&details["message"], &details["location"]), (&message, &location));
    }
}

// HOSTILE 32: who is to blame must be seen from the details, for the cause is the same word.
#[test]
fn a_panic_of_the_host_is_told_from_a_panic_of_the_agent() {
    let finished = Fake::root("lead").agent("lead", &[], json!([["host_panic"]])).run();
    let error = finished.record.outcomes[0].error.clone().unwrap();
    assert_eq!(error.details, json!({"cause": "panic", "agent": "lead", "host": true}));
    assert!(!error.message.contains("secret"), "{}", error.message);
}
