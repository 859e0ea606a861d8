//! The tool `panic`: an agent's last words when it cannot go on. A wasm guest that panics aborts without a word, so its SDK calls
//! this first. It needs no grant, counts as no tool call, and nothing is answered: the fork ends here.

use crate::fork::{Fork, HaltReason};
use crate::tooling::halt;
use sandfork_model::Halt;
use serde_json::Value;

/// The tool's name. Nobody else may have it.
pub const PANIC_TOOL: &str = "panic";

/// Bytes that are kept of what the panic said.
const MESSAGE_BYTES: usize = 4 << 10;
/// Bytes that are kept of where it happened.
const LOCATION_BYTES: usize = 512;

/// Ends the fork as one that panicked, whatever it says of it.
pub(crate) fn answer(fork: &Fork, arguments: &str) -> Halt {
    let told: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = |key: &str, most: usize| told.get(key).and_then(Value::as_str).map(|text| cut(text, most));
    let message = text("message", MESSAGE_BYTES).unwrap_or_else(|| "it did not say why".into());
    halt(fork, HaltReason::Panicked { message, location: text("location", LOCATION_BYTES) })
}

/// The beginning of a text, its cut visible.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().map(|(at, char)| at + char.len_utf8()).take_while(|end| *end <= most).last() {
        Some(end) if end < text.len() => format!("{}…", text.get(..end).unwrap_or_default()),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_long_text_is_cut_between_characters_and_shows_it() {
        assert_eq!(cut("", 3), "");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "abc…");
        assert_eq!(cut("aéé", 4), "aé…");
    }
}
