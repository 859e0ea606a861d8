//! What an event says, as a digest: two deliveries say the same if and only if their digests are equal. Arrival (`seq`) and
//! time (`ts`) are no part of it.

use sandfork_model::sha256_hex;
use serde_json::Value;

/// 128 bits of a sha256: names of any length at a fixed price.
pub(crate) type Mark = u128;

/// The mark of some parts; the same parts in another division are others.
pub(crate) fn mark(parts: &[&str]) -> Mark {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len() + 24).sum());
    for part in parts {
        text.push_str(&part.len().to_string());
        text.push(':');
        text.push_str(part);
    }
    let hex = sha256_hex(text.as_bytes());
    hex.get(..32).and_then(|half| Mark::from_str_radix(half, 16).ok()).unwrap_or_default()
}

/// JSON text in which the order of keys does not matter. The depth is bounded by whoever parsed the value.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in entries {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}
