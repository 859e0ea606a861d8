//! Reads the arguments of one call, closed by default: an unknown key is an error, so that a slip is never a silent default.

use sandfork_model::AgentError;
use serde_json::{Map, Value, json};

/// What is wrong with the arguments of a call: a sentence that names the key and what was expected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misread(pub(crate) String);

impl Misread {
    /// The error a guest gets.
    pub(crate) fn to_error(&self, tool: &str) -> AgentError {
        AgentError {
            code: "invalid_arguments".into(),
            message: format!("`{tool}`: {}", self.0),
            details: json!({ "tool": tool }),
        }
    }
}

/// The arguments of one call, already known to hold no unknown key.
pub(crate) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// Refuses anything but an object with keys out of `known`.
    pub(crate) fn read(arguments: &'a Value, known: &[&str]) -> Result<Self, Misread> {
        let Some(map) = arguments.as_object() else {
            return Err(Misread(format!("the arguments must be an object, found {}", kind(arguments))));
        };
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                let shown: String = key.chars().take(64).collect();
                Err(Misread(format!("unknown argument `{}`; known: {}", shown.escape_debug(), known.join(", "))))
            }
            None => Ok(Self(map)),
        }
    }

    /// A string that must be there.
    pub(crate) fn text(&self, key: &str) -> Result<&'a str, Misread> {
        self.optional_text(key)?.ok_or_else(|| Misread(format!("argument `{key}` is missing; it expects a string")))
    }

    /// A string that may be absent.
    pub(crate) fn optional_text(&self, key: &str) -> Result<Option<&'a str>, Misread> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Misread(format!("argument `{key}` expects a string, found {}", kind(other)))),
        }
    }

    /// A whole number of at most `most` that may be absent.
    pub(crate) fn optional_number(&self, key: &str, most: u64) -> Result<Option<u64>, Misread> {
        match self.0.get(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) if number <= most => Ok(Some(number)),
                _ => Err(Misread(format!(
                    "argument `{key}` expects a whole number from 0 to {most}, found {}",
                    match value {
                        Value::Number(number) => number.to_string().chars().take(40).collect(),
                        other => kind(other).to_owned(),
                    }
                ))),
            },
        }
    }

    /// A truth value that may be absent.
    pub(crate) fn optional_bool(&self, key: &str) -> Result<Option<bool>, Misread> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(Misread(format!("argument `{key}` expects true or false, found {}", kind(other)))),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_do_not_fit_are_refused_by_name() {
        for (arguments, names) in [
            (json!([]), "must be an object, found a list"),
            (json!({"path": "a", "pth": "b"}), "unknown argument `pth`; known: path, n, b"),
            (json!({}), "`path` is missing"),
            (json!({"path": 1}), "`path` expects a string, found a number"),
            (json!({"path": null}), "`path` expects a string, found null"),
            (json!({"path": "a", "n": -1}), "`n` expects a whole number from 0 to 9, found -1"),
            (json!({"path": "a", "n": 10}), "from 0 to 9, found 10"),
            (json!({"path": "a", "n": 1.5}), "found 1.5"),
            (json!({"path": "a", "n": "1"}), "found a string"),
            (json!({"path": "a", "b": 1}), "`b` expects true or false, found a number"),
        ] {
            let read = Arguments::read(&arguments, &["path", "n", "b"]).and_then(|read| {
                read.text("path")?;
                read.optional_number("n", 9)?;
                read.optional_bool("b")
            });
            let message = read.expect_err("misfit").0;
            assert!(message.contains(names), "{arguments} said {message}");
        }
    }

    #[test]
    fn arguments_that_fit_are_read() {
        let arguments = json!({"path": "a", "n": 9, "b": true});
        let read = Arguments::read(&arguments, &["path", "n", "b", "more"]).expect("fits");
        assert_eq!(read.text("path"), Ok("a"));
        assert_eq!(read.optional_number("n", 9), Ok(Some(9)));
        assert_eq!(read.optional_bool("b"), Ok(Some(true)));
        assert_eq!(read.optional_text("more"), Ok(None));
    }
}
