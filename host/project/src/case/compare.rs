//! How what a case got differs from what it expects: value by value, each with its path, so that one wrong leaf of a large
//! output is one line.

use super::expect::{Expect, Got};
use serde_json::{Number, Value, json};

/// Differences that are told; a wholly different output is not told leaf by leaf.
const MOST: usize = 20;

/// One value that is not as expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, as in `output.items[2].price`.
    pub path: String,
    /// What should be there; `None` for nothing.
    pub expected: Option<Value>,
    /// What is there; `None` for nothing.
    pub got: Option<Value>,
}

/// Everything that is not as expected, in the order of the block; at most a readable number of differences.
#[must_use]
pub fn differences(expect: &Expect, got: &Got) -> Vec<Difference> {
    let mut found = Vec::new();
    let status = (Value::from(expect.status.as_str()), Value::from(got.status.as_str()));
    compare("status", Some(&status.0), Some(&status.1), &mut found);
    if let Some(output) = &expect.output {
        compare("output", Some(output), got.output.as_ref(), &mut found);
    }
    if let Some(error) = &expect.error {
        for (key, wanted) in error {
            let path = format!("error.{key}");
            let there = got.error.as_ref().and_then(|error| error.get(key));
            match wanted.as_object().filter(|_| key == "details") {
                None => compare(&path, Some(wanted), there, &mut found),
                Some(details) => {
                    for (key, wanted) in details {
                        let there = there.and_then(|details| details.get(key));
                        compare(&member(&path, key), Some(wanted), there, &mut found);
                    }
                }
            }
        }
    } else if expect.status == "ok"
        && let Some(error) = &got.error
    {
        // Nobody expected an error: whoever reads this wants to know which one it was.
        compare("error", None, Some(error), &mut found);
    }
    for (path, wanted, there) in [("notes", expect.notes, got.notes), ("tool_calls", expect.tool_calls, got.tool_calls)]
    {
        if let Some(wanted) = wanted {
            compare(path, Some(&json!(wanted)), Some(&json!(there)), &mut found);
        }
    }
    found.truncate(MOST);
    found
}

fn compare(path: &str, expected: Option<&Value>, got: Option<&Value>, found: &mut Vec<Difference>) {
    if found.len() >= MOST {
        return;
    }
    match (expected, got) {
        (Some(Value::Object(wanted)), Some(Value::Object(there))) => {
            for (key, value) in wanted {
                compare(&member(path, key), Some(value), there.get(key), found);
            }
            for (key, value) in there.iter().filter(|(key, _)| !wanted.contains_key(*key)) {
                compare(&member(path, key), None, Some(value), found);
            }
        }
        (Some(Value::Array(wanted)), Some(Value::Array(there))) => {
            for index in 0..wanted.len().max(there.len()) {
                compare(&format!("{path}[{index}]"), wanted.get(index), there.get(index), found);
            }
        }
        (Some(Value::Number(wanted)), Some(Value::Number(there))) if is_same(wanted, there) => {}
        (expected, got) if expected == got => {}
        (expected, got) => {
            found.push(Difference { path: path.to_owned(), expected: expected.cloned(), got: got.cloned() });
        }
    }
}

fn member(path: &str, key: &str) -> String {
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_word { format!("{path}.{key}") } else { format!("{path}[{key:?}]") }
}

/// `1`, `1.0` and `1e0` are one number: languages write the same value differently.
fn is_same(one: &Number, other: &Number) -> bool {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one == other,
        // Beyond whole numbers a guest's own arithmetic is binary, so nothing finer can be told apart.
        _ => one == other || one.as_f64().is_some_and(|one| Some(one) == other.as_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expect(output: Value) -> Expect {
        Expect { status: "ok".into(), output: Some(output), ..Expect::default() }
    }

    fn ok(output: Value) -> Got {
        Got { status: "ok".into(), output: Some(output), notes: 1, tool_calls: 2, ..Got::default() }
    }

    #[test]
    fn each_wrong_leaf_is_named_with_what_was_expected_and_what_is_there() {
        let found = differences(
            &expect(json!({ "a": [1, { "b": "x" }], "gone": 1, "odd key": 2 })),
            &ok(json!({ "a": [1, { "b": "y" }, 3], "odd key": 3, "more": null })),
        );
        let told: Vec<_> = found.iter().map(|d| (d.path.as_str(), d.expected.clone(), d.got.clone())).collect();
        assert_eq!(
            told,
            [
                ("output.a[1].b", Some(json!("x")), Some(json!("y"))),
                ("output.a[2]", None, Some(json!(3))),
                ("output.gone", Some(json!(1)), None),
                ("output[\"odd key\"]", Some(json!(2)), Some(json!(3))),
                ("output.more", None, Some(Value::Null)),
            ]
        );
    }

    #[test]
    fn what_is_not_written_is_not_looked_at() {
        assert_eq!(differences(&Expect { status: "ok".into(), ..Expect::default() }, &ok(json!(1))), []);
        let counted = Expect { notes: Some(1), tool_calls: Some(3), ..expect(json!(1)) };
        let found = differences(&counted, &ok(json!(1)));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "tool_calls");
    }

    #[test]
    fn of_an_errors_details_only_the_written_keys_count() {
        let error = json!({ "code": "subagent_failed", "message": "m", "details": { "cause": "trap", "at": 7 } });
        let got = Got { status: "failed".into(), error: Some(error), ..Got::default() };
        let expect = |details: Value| Expect {
            status: "failed".into(),
            error: json!({ "code": "subagent_failed", "details": details }).as_object().cloned(),
            ..Expect::default()
        };
        assert_eq!(differences(&expect(json!({ "cause": "trap" })), &got), []);
        let found = differences(&expect(json!({ "cause": "panic" })), &got);
        assert_eq!(found.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["error.details.cause"]);
    }

    #[test]
    fn an_error_that_nobody_expected_is_shown() {
        let got = Got { status: "failed".into(), error: Some(json!({ "code": "x" })), ..Got::default() };
        let found = differences(&Expect { status: "ok".into(), ..Expect::default() }, &got);
        assert_eq!(found.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["status", "error"]);
    }

    #[test]
    fn one_number_is_one_number_however_it_is_written() {
        let number = |text: &str| serde_json::from_str::<Value>(text).expect("a number");
        for (one, other, same) in [
            ("1", "1.0", true),
            ("1e2", "100", true),
            ("1", "2", false),
            ("0.1", "0.10", true),
            ("9007199254740993", "9007199254740992", false),
        ] {
            let found = differences(&expect(number(one)), &ok(number(other)));
            assert_eq!(found.is_empty(), same, "{one} {other}");
        }
    }

    #[test]
    fn a_wholly_different_output_is_told_in_a_readable_number_of_lines() {
        let wanted: Vec<u32> = (0..1000).collect();
        let found = differences(&expect(json!(wanted)), &ok(json!(vec![5000; 1000])));
        assert_eq!(found.len(), MOST);
    }
}
