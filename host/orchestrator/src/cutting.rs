//! Cutting a result to its limit, visibly: what the guest gets says that it was cut, how large it was and what to do.

use crate::port::length;
use sandfork_model::BYTES_PER_TOKEN;
use serde_json::json;

/// Tokens over the limit that the hint may take (HF-19).
const HINT_TOKENS: u64 = 50;
/// What the frame around the head takes at most, in bytes.
const FRAME_BYTES: u64 = 200;

/// A result that was cut.
pub(crate) struct Cut {
    /// JSON text of `{truncated, bytes, limit, head, hint}`.
    pub(crate) text: String,
    /// The limit it met, in bytes.
    pub(crate) limit: u64,
}

/// Cuts `result` if it is over its limit in bytes, or over its limit in estimated tokens.
pub(crate) fn cut(result: &str, limit_bytes: u64, limit_tokens: Option<u64>) -> Option<Cut> {
    let bytes = length(result);
    let tokens_bytes = limit_tokens.map(|tokens| tokens.saturating_mul(BYTES_PER_TOKEN));
    let limit = tokens_bytes.map_or(limit_bytes, |tokens| tokens.min(limit_bytes));
    if bytes <= limit {
        return None;
    }
    // By tokens the hint comes on top, within its tolerance; by bytes everything must fit.
    let room = match tokens_bytes {
        Some(tokens) if tokens.saturating_add(HINT_TOKENS * BYTES_PER_TOKEN) <= limit_bytes => tokens,
        _ => limit.saturating_sub(FRAME_BYTES),
    };
    let head = head(result, room);
    let hint = "已截断 (truncated): ask for a smaller part";
    let text = json!({ "truncated": true, "bytes": bytes, "limit": limit, "head": head, "hint": hint }).to_string();
    Some(Cut { text, limit })
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

    // HF-19
    #[test]
    fn a_result_of_4000_tokens_passes_and_a_longer_one_is_cut_within_50_tokens_of_it() {
        let fits = "x".repeat(16_000);
        assert!(cut(&fits, 262_144, Some(4000)).is_none());
        let long = "x".repeat(16_001);
        let cut = cut(&long, 262_144, Some(4000)).expect("too long");
        assert!(length(&cut.text) <= (4000 + HINT_TOKENS) * BYTES_PER_TOKEN, "{}", cut.text.len());
        assert!(cut.text.contains("已截断"));
        let parsed: serde_json::Value = serde_json::from_str(&cut.text).expect("still JSON");
        assert_eq!(parsed["truncated"], true);
        assert_eq!(parsed["bytes"], 16_001);
    }

    // DESIGN 6
    #[test]
    fn a_result_over_its_limit_in_bytes_fits_once_cut_whatever_it_is_made_of() {
        for text in ["x", "\"", "\n", "\u{1}", "已", "\u{1F600}"] {
            let long = text.repeat(5000);
            let cut = cut(&long, 1000, None).expect("too long");
            assert!(length(&cut.text) <= 1000, "{text:?}: {}", cut.text.len());
            serde_json::from_str::<serde_json::Value>(&cut.text).expect("still JSON");
        }
    }
}
