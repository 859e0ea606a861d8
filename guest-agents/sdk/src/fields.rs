//! Fields of the host's own documents, by name and type. The host writes them; a field that is absent, or of another type than
//! this SDK knows, reads as empty.

use crate::Json;
use serde_json::Map;

type Fields = Map<String, Json>;

/// A value; `None` where it is absent or null.
pub(crate) fn take(fields: &mut Fields, name: &str) -> Option<Json> {
    fields.get_mut(name).map(Json::take).filter(|value| !value.is_null())
}

/// A text.
pub(crate) fn text(fields: &mut Fields, name: &str) -> String {
    match take(fields, name) {
        Some(Json::String(text)) => text,
        _ => String::new(),
    }
}

/// A whole number.
pub(crate) fn number(fields: &mut Fields, name: &str) -> u64 {
    take(fields, name).and_then(|value| value.as_u64()).unwrap_or_default()
}

/// An object.
pub(crate) fn object(fields: &mut Fields, name: &str) -> Fields {
    match take(fields, name) {
        Some(Json::Object(object)) => object,
        _ => Map::new(),
    }
}

/// The objects of a list.
pub(crate) fn list(fields: &mut Fields, name: &str) -> impl Iterator<Item = Fields> {
    items(fields, name).filter_map(|item| match item {
        Json::Object(object) => Some(object),
        _ => None,
    })
}

/// The texts of a list.
pub(crate) fn texts(fields: &mut Fields, name: &str) -> Vec<String> {
    items(fields, name)
        .filter_map(|item| match item {
            Json::String(text) => Some(text),
            _ => None,
        })
        .collect()
}

fn items(fields: &mut Fields, name: &str) -> std::vec::IntoIter<Json> {
    match take(fields, name) {
        Some(Json::Array(items)) => items.into_iter(),
        _ => Vec::new().into_iter(),
    }
}
