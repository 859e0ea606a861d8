//! When two JSON values are the same: numbers compare as decimals (`1.0` is `1`, `1e2` is `100`), objects without regard to
//! key order, everything else as it stands. Never goes through a float.

use serde_json::{Number, Value};

/// Whether `a` and `b` are the same value.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => is_same_number(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        _ => false,
    }
}

fn is_same_number(a: &Number, b: &Number) -> bool {
    let (a, b) = (a.to_string(), b.to_string());
    a == b || matches!((Decimal::read(&a), Decimal::read(&b)), (Some(a), Some(b)) if a == b)
}

/// A number as sign, digits without leading or trailing zeros, and the power of ten of the last digit.
#[derive(PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// `None` where the exponent is beyond any use; such numbers are the same only if they are written the same.
    fn read(text: &str) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{part}");
        let digits = written.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits: String::new(), exponent: 0 });
        }
        let trailing = i64::try_from(written.len() - written.trim_end_matches('0').len()).ok()?;
        let exponent = exponent.checked_sub(i64::try_from(part.len()).ok()?)?.checked_add(trailing)?;
        Some(Self { is_negative, digits: digits.to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn values_that_mean_the_same_are_the_same() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0.1", "1E-1"),
            ("-0", "0.00"),
            ("0e999999999999999999", "0"),
            ("12300", "123e+2"),
            ("[1, 2.50]", "[1.0, 2.5]"),
            (r#"{"a": 1, "b": {"c": null}}"#, r#"{"b": {"c": null}, "a": 1.0}"#),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert!(is_same(&value(a), &value(b)), "{a} and {b}");
        }
    }

    #[test]
    fn values_that_differ_are_not_the_same() {
        for (a, b) in [
            ("1", "2"),
            ("1", "-1"),
            ("1", "10"),
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.10000000000000001"),
            ("1", "\"1\""),
            ("0", "false"),
            ("null", "{}"),
            ("[1]", "[1, 1]"),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 1}"#),
            (r#"{"a": null}"#, r#"{"b": null}"#),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert!(!is_same(&value(a), &value(b)), "{a} and {b}");
        }
    }
}
