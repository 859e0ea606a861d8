//! Cutting a result to its limit, visibly: what is answered says that it was cut, how large it was, where the whole of it is
//! and what to do (GV-13, HF-19).

use crate::port::length;
use crate::whole::Whole;
use sandfork_model::BYTES_PER_TOKEN;
use serde_json::{Map, Value};

/// Tokens over the limit that the frame around the head may take (HF-19).
const FRAME_TOKENS: u64 = 50;
/// Bytes of the small members of a result that stay in the message.
const REST_BYTES: u64 = 1024;

/// A limit that a result is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Over {
    /// The limit, in bytes.
    pub(crate) limit: u64,
    /// Bytes that the cut result may have.
    room: u64,
}

impl Over {
    /// Whether a result of so many bytes is over its limit in bytes, or over its limit in estimated tokens.
    pub(crate) fn of(bytes: u64, limit_bytes: u64, limit_tokens: Option<u64>) -> Option<Self> {
        let tokens_bytes = limit_tokens.map(|tokens| tokens.saturating_mul(BYTES_PER_TOKEN));
        let limit = tokens_bytes.map_or(limit_bytes, |tokens| tokens.min(limit_bytes));
        // By tokens the frame comes on top, within its tolerance; by bytes everything must fit.
        let room = tokens_bytes.map_or(limit, |tokens| tokens.saturating_add(FRAME_TOKENS * BYTES_PER_TOKEN));
        (bytes > limit).then_some(Self { limit, room: room.min(limit_bytes) })
    }

    /// Bytes that may stay in the message beside the head.
    pub(crate) fn rest_bytes(self) -> usize {
        usize::try_from((self.room / 4).min(REST_BYTES)).unwrap_or_default()
    }

    /// What is answered instead: `{truncated, ref?, bytes, lines, limit, of?, rest?, head, hint}`. `reference` leads to the
    /// whole, if it was kept; `may_read` says whether whoever is answered may follow it.
    pub(crate) fn cut(self, whole: &Whole, reference: Option<&str>, may_read: bool) -> Value {
        let hint = match (reference, may_read) {
            (Some(_), true) => "已截断 (truncated): artifact_get reads parts",
            (Some(_), false) => "已截断 (truncated): the whole is at `ref`",
            (None, _) => "已截断 (truncated): ask for a smaller part",
        };
        let mut cut = Map::new();
        cut.insert("truncated".into(), true.into());
        if let Some(reference) = reference {
            cut.insert("ref".into(), reference.into());
        }
        cut.insert("bytes".into(), length(&whole.text).into());
        cut.insert("lines".into(), whole.text.lines().count().into());
        cut.insert("limit".into(), self.limit.into());
        if let Some(of) = &whole.of {
            cut.insert("of".into(), of.as_str().into());
            cut.insert("rest".into(), whole.rest.clone().into());
        }
        cut.insert("head".into(), "".into());
        cut.insert("hint".into(), hint.into());
        let frame = length(&Value::Object(cut.clone()).to_string());
        cut.insert("head".into(), head(&whole.text, self.room.saturating_sub(frame)).into());
        Value::Object(cut)
    }
}

/// As much of the start as takes at most `room` bytes once it is escaped as a JSON string.
fn head(result: &str, room: u64) -> &str {
    let mut taken = 0_u64;
    for (at, character) in result.char_indices() {
        taken = taken.saturating_add(match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            control if control < ' ' => 6,
            other => u64::try_from(other.len_utf8()).unwrap_or(4),
        });
        if taken > room {
            return result.get(..at).unwrap_or_default();
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const REFERENCE: &str = "artifact://result.sub-01234567-d1.item_search/v12";

    fn cut(text: &str, limit_bytes: u64, tokens: Option<u64>) -> String {
        let over = Over::of(length(text), limit_bytes, tokens).expect("too long");
        over.cut(&Whole::of(text, over.rest_bytes()), Some(REFERENCE), true).to_string()
    }

    // HF-19
    #[test]
    fn a_result_of_4000_tokens_passes_and_a_longer_one_is_cut_within_50_tokens_of_it() {
        let fits = "x".repeat(16_000);
        assert!(Over::of(length(&fits), 262_144, Some(4000)).is_none());
        let cut = cut(&"x".repeat(16_001), 262_144, Some(4000));
        assert!(length(&cut) <= (4000 + FRAME_TOKENS) * BYTES_PER_TOKEN, "{}", cut.len());
        assert!(cut.contains("已截断"));
        let parsed: Value = serde_json::from_str(&cut).expect("still JSON");
        assert_eq!((&parsed["truncated"], &parsed["bytes"]), (&json!(true), &json!(16_001)));
        assert_eq!(parsed["ref"], REFERENCE);
    }

    // DESIGN 6
    #[test]
    fn a_result_over_its_limit_in_bytes_fits_once_cut_whatever_it_is_made_of() {
        for text in ["x", "\"", "\n", "\u{1}", "已", "\u{1F600}"] {
            for result in [text.repeat(5000), json!({ "text": text.repeat(5000), "more": "y".repeat(200) }).to_string()]
            {
                let cut = cut(&result, 1000, None);
                assert!(length(&cut) <= 1000, "{text:?}: {}", cut.len());
                serde_json::from_str::<Value>(&cut).expect("still JSON");
            }
        }
    }

    // GV-13: the type says that it was cut, and how to come by the rest
    #[test]
    fn a_cut_result_says_how_large_the_whole_is_and_where() {
        let log: String = (1..=50_000).map(|n| format!("line {n}\n")).collect();
        let result = json!({ "path": "pay.log", "text": log }).to_string();
        let parsed: Value = serde_json::from_str(&cut(&result, 2000, None)).expect("JSON");
        assert_eq!((&parsed["bytes"], &parsed["lines"]), (&json!(log.len()), &json!(50_000)));
        assert_eq!((&parsed["of"], &parsed["rest"]), (&json!("text"), &json!({ "path": "pay.log" })));
        let head = parsed["head"].as_str().expect("text");
        assert!(log.starts_with(head) && head.len() > 1000, "{head}");
        let over = Over::of(length(&result), 2000, None).expect("too long");
        let without = over.cut(&Whole::of(&result, over.rest_bytes()), None, true);
        assert!(without.get("ref").is_none() && without["hint"].as_str().expect("text").contains("smaller part"));
    }
}
