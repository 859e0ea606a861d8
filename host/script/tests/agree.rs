//! Random scripts run both ways, compiled and interpreted, and agree in outcome, calls and notes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod fake;
mod plain;
mod random;

use fake::{Answers, Asked, Ended, Failure, ok_outcome};
use proptest::prelude::*;
use random::Choices;
use serde_json::Value;

/// Answers that depend on nothing but how many there have been.
#[derive(Clone)]
struct Prepared {
    answers: Vec<Result<String, Failure>>,
    given: usize,
}

impl Answers for Prepared {
    fn tool(&mut self, name: &str, _: &Value) -> Result<String, Failure> {
        self.given += 1;
        // The model fails rarely, or most runs would end at once.
        match &self.answers[self.given % self.answers.len()] {
            Err(failure) if name == "model" && !self.given.is_multiple_of(7) => {
                Ok(format!("{{\"was\":{}}}", failure.code.len()))
            }
            answer => answer.clone(),
        }
    }

    fn spawn(&mut self, requests: &[Asked], _: &Value) -> Vec<Ended> {
        requests
            .iter()
            .enumerate()
            .map(|(at, request)| match self.tool("agent", &Value::Null) {
                Ok(output) => ok_outcome(at, &request.agent, &output),
                Err(failure) => Ended {
                    status: "failed".into(),
                    output: None,
                    error: Some(failure),
                    ..ok_outcome(at, &request.agent, "")
                },
            })
            .collect()
    }
}

fn agree(bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut choices = Choices::new(bytes);
    let answers = (0..5).map(|_| random::answer(&mut choices)).collect();
    let prepared = Prepared { answers, given: 0 };
    let task = random::task(&mut choices);
    let script = random::script(&mut choices);
    let compiled = match sandfork_script::compile("s.json", script.as_bytes()) {
        Ok(compiled) => compiled.component,
        Err(problems) => {
            let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
            return Err(TestCaseError::fail(format!("{}\n{script}", problems.join("\n"))));
        }
    };
    let ran = fake::run(&compiled, &task, prepared.clone());
    let (ended, calls) = plain::run(&script, &task, prepared);
    prop_assert_eq!(&ran.calls, &calls, "{}", script);
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
    match ended {
        Ok(output) => prop_assert_eq!(ran.outcome, Ok(json(&output)), "{}", script),
        Err((code, message, details)) => {
            prop_assert_eq!(ran.outcome, Err(Some((code, message, json(&details)))), "{}", script);
        }
    }
    Ok(())
}

/// Cases of each of the four tests below, which run side by side; more with `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(250);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 1000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn short_scripts_agree(bytes in proptest::collection::vec(any::<u8>(), 60..300)) {
        agree(&bytes)?;
    }

    #[test]
    fn middling_scripts_agree(bytes in proptest::collection::vec(any::<u8>(), 300..600)) {
        agree(&bytes)?;
    }

    #[test]
    fn long_scripts_agree(bytes in proptest::collection::vec(any::<u8>(), 600..1000)) {
        agree(&bytes)?;
    }

    #[test]
    fn very_long_scripts_agree(bytes in proptest::collection::vec(any::<u8>(), 1000..3000)) {
        agree(&bytes)?;
    }
}

#[test]
fn the_random_scripts_use_all_of_the_language_and_mostly_run_far() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
    let mut runner =
        TestRunner::new_with_rng(ProptestConfig::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut ends = std::collections::BTreeMap::<String, usize>::new();
    let mut words = std::collections::BTreeMap::<&str, usize>::new();
    let (mut calls, mut busy) = (0, 0);
    for _ in 0..1000 {
        let bytes = proptest::collection::vec(any::<u8>(), 100..1500).new_tree(&mut runner).unwrap().current();
        let mut choices = Choices::new(&bytes);
        let answers = (0..5).map(|_| random::answer(&mut choices)).collect();
        let task = random::task(&mut choices);
        let script = random::script(&mut choices);
        let (ended, made) = plain::run(&script, &task, Prepared { answers, given: 0 });
        *ends.entry(ended.map_or_else(|(code, _, _)| code, |_| "ok".into())).or_default() += 1;
        calls += made.len();
        busy += usize::from(made.len() >= 10);
        for word in [
            "tool",
            "with",
            "as",
            "spawn",
            "options",
            "note",
            "if",
            "else",
            "for_each",
            "index",
            "repeat",
            "until",
            "turns",
            "do",
            "fail",
            "return",
            "think",
            "say",
            "ok",
            "error",
            "present",
            "equal",
            "contains",
            "less",
            "greater_equal",
            "not",
            "all",
            "any",
            "timeout",
            "context",
        ] {
            *words.entry(word).or_default() += usize::from(script.contains(&format!("\"{word}\":")));
        }
    }
    println!("{calls} calls, {busy} busy, {ends:?}, {words:?}");
    assert!(words.values().all(|n| *n >= 20), "{words:?}");
    assert!(ends["ok"] >= 100 && ends["reference_absent"] >= 50 && ends["reference_type"] >= 20, "{ends:?}");
    assert!(busy >= 200, "only {busy} scripts make ten calls");
}
