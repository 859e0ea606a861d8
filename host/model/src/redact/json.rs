//! The gate for JSON: every string in it, keys too, and what stands under a secret's name whatever it looks like.

use super::name::{Sureness, sureness};
use super::{Kind, redact};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Redacts every string of a value, keys included; a string under a name such as `password` or `token` goes whole, and so
/// does a number under a name that is hardly ever anything else. Order and all other values stay.
pub fn redact_json(value: &mut Value) {
    walk(value, None);
}

/// `under`: what the key above says about strings here; a list hands it on to its items.
fn walk(value: &mut Value, under: Option<Sureness>) {
    match value {
        Value::String(text) => {
            let clean = match under {
                Some(_) if text.is_empty() || text == Kind::Secret.marker() => None,
                Some(_) => Some(Kind::Secret.marker().to_owned()),
                None => match redact(text) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(clean) => Some(clean),
                },
            };
            if let Some(clean) = clean {
                *text = clean;
            }
        }
        Value::Number(_) if under == Some(Sureness::Sure) => *value = Value::String(Kind::Secret.marker().to_owned()),
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, under)),
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                walk(value, sureness(key));
            }
            if map.keys().any(|key| matches!(redact(key), Cow::Owned(_))) {
                *map = rename(std::mem::take(map));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The map with clean keys. Two keys that become the same are numbered, so that nothing is lost.
fn rename(map: Map<String, Value>) -> Map<String, Value> {
    let mut clean = Map::with_capacity(map.len());
    let mut number = 1_u64;
    for (key, value) in map {
        let plain = redact(&key).into_owned();
        let mut name = plain.clone();
        while clean.contains_key(&name) {
            number = number.saturating_add(1);
            name = format!("{plain}#{number}");
        }
        clean.insert(name, value);
    }
    clean
}
