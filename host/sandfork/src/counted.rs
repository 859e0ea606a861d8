//! JSON from a file that anybody may have written: its values are counted before any of them is kept, since a tree of small
//! ones takes a hundred times the room of its text. Knows nothing of what they mean.

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// The document, if it has at most `most` values.
///
/// # Errors
/// What is no JSON, or too much of it.
pub(crate) fn parse(text: &[u8], most: u64) -> serde_json::Result<Value> {
    let mut left = most;
    let mut reader = serde_json::Deserializer::from_slice(text);
    Count { left: &mut left, most }.deserialize(&mut reader)?;
    reader.end()?;
    serde_json::from_slice(text)
}

/// Walks over one value and all that is in it.
struct Count<'a> {
    left: &'a mut u64,
    most: u64,
}

impl<'de> DeserializeSeed<'de> for Count<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        *self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| D::Error::custom(format_args!("it holds more than {} values", self.most)))?;
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Count<'_> {
    type Value = ();

    fn expecting(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
        words.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { left, most } = self;
        while list.next_element_seed(Count { left: &mut *left, most })?.is_some() {}
        Ok(())
    }

    // A number of any length comes as a map, too.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { left, most } = self;
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Count { left: &mut *left, most })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // HOSTILE 35: a file that would grow a hundredfold in memory
    #[test]
    fn a_document_of_too_many_values_is_refused_before_it_is_kept() {
        let text = br#"{"a": [1, "x", null, {"b": true, "c": -1.5e400}]}"#;
        let whole: Value = serde_json::from_slice(text).expect("JSON");
        assert_eq!(parse(text, 100).expect("small"), whole);
        for most in 0..8 {
            let error = parse(text, most).expect_err("too much").to_string();
            assert!(error.contains(&format!("more than {most} values")), "{error}");
        }
        assert_eq!(parse(b"[]", 1).expect("one value"), json!([]));
        for bad in ["", "[", "{} x", "{\"a\"}", "[1,]", "nul"] {
            assert!(parse(bad.as_bytes(), 100).is_err(), "{bad}");
        }
        assert!(parse("[".repeat(100_000).as_bytes(), u64::MAX).is_err(), "nesting is bounded, too");
    }
}
