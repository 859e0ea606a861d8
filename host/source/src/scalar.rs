//! What an unquoted YAML scalar is. The core schema, read cautiously: a number is what JSON calls one, and everything
//! that YAML readers disagree about (`0x10`, `+1`, `007`, `1_000`, `.inf`, `yes`, `on`) stays text, as written.

use crate::node::NodeValue;

/// What an unquoted text means: nothing, true or false, a number, or text.
#[must_use]
pub fn resolve(text: &str) -> NodeValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        number if is_json_number(number) => NodeValue::Number(number.into()),
        text => NodeValue::Text(text.into()),
    }
}

/// Whether `text` is a number by the grammar of JSON.
pub(crate) fn is_json_number(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix('-').unwrap_or(text);
    let integer = digits(rest);
    if integer == 0 || (integer > 1 && rest.starts_with('0')) {
        return false;
    }
    rest = rest.get(integer..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(exponent);
        if count == 0 {
            return false;
        }
        rest = exponent.get(count..).unwrap_or_default();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_scalar_is_a_number_only_where_json_says_so() {
        for text in ["0", "-0", "1", "-1", "1.50", "1e5", "1E+5", "1.5e-10", "10", "12345678901234567890123"] {
            assert_eq!(resolve(text), NodeValue::Number(text.into()), "{text}");
        }
        for text in [
            "0x10",
            "0o7",
            "+1",
            "1_000",
            "007",
            "-01",
            ".5",
            "1.",
            "1e",
            "1e+",
            ".inf",
            "-.inf",
            ".nan",
            "yes",
            "no",
            "on",
            "off",
            "1.2.3",
            "10s",
            "-",
            "--1",
            "1:30",
            "2024-01-01",
            "NaN",
            "Infinity",
            "tRuE",
            "nULL",
        ] {
            assert_eq!(resolve(text), NodeValue::Text(text.into()), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(resolve(text), NodeValue::Null, "{text}");
        }
        assert_eq!(resolve("true"), NodeValue::Bool(true));
        assert_eq!(resolve("FALSE"), NodeValue::Bool(false));
    }
}
