//! Puts constants into the runtime's text before it is assembled: `@"..."` becomes the address and the length of a constant,
//! `@NAME` an address of the layout below.

use std::collections::BTreeMap;

/// Fixed places in a script's memory. The first 16 bytes stay unused, so that no text is at address 0.
///
/// An answer or result is a discriminant byte and, four bytes on, up to three texts (28 bytes in all); LEFT and RIGHT are
/// numbers taken apart (24 bytes, 8-aligned).
const LAYOUT: [(&str, u32); 8] = [
    ("ANSWER", 16),
    ("ANSWER_PAYLOAD", 20),
    ("RESULT", 48),
    ("RESULT_CODE", 52),
    ("RESULT_MESSAGE", 60),
    ("RESULT_DETAILS", 68),
    ("LEFT", 80),
    ("RIGHT", 104),
];
/// Where the constants begin.
pub(super) const BASE: u32 = 128;

/// The text to assemble, and the bytes that belong at [`BASE`].
pub(super) fn place(source: &str) -> Result<(String, Vec<u8>), String> {
    let mut text = String::with_capacity(source.len());
    let mut bytes = Vec::new();
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    for line in source.lines() {
        let (code, comment) = line.split_once(";;").map_or((line, ""), |(code, _)| (code, "\n"));
        let mut rest = code;
        while let Some((before, after)) = rest.split_once('@') {
            text.push_str(before);
            if after.starts_with('"') {
                let mut read = serde_json::Deserializer::from_str(after).into_iter::<String>();
                let constant = read.next().and_then(Result::ok).ok_or_else(|| format!("a bad constant: {line}"))?;
                rest = after.get(read.byte_offset()..).unwrap_or_default();
                let len = constant.len();
                let at = *known.entry(constant).or_insert_with_key(|constant| {
                    let at = BASE + u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                    bytes.extend_from_slice(constant.as_bytes());
                    at
                });
                text.push_str(&format!("(i32.const {at}) (i32.const {len})"));
            } else {
                let end = after.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(after.len());
                let (name, after) = after.split_at_checked(end).unwrap_or((after, ""));
                let place = LAYOUT.iter().find(|(have, _)| *have == name).ok_or_else(|| format!("no place @{name}"))?;
                text.push_str(&place.1.to_string());
                rest = after;
            }
        }
        text.push_str(rest);
        text.push_str(comment);
        text.push('\n');
    }
    Ok((text, bytes))
}
