//! Whether an output meets a JSON Schema, as far as a loop has to know to ask for a better one: types, required and unknown
//! properties, items, enumerations. What it does not know it lets pass; the host judges every output in full.

use crate::limits::SCHEMA_DEPTH;
use sandfork_guest::Json;

/// Where and why a value does not fit: a JSON Pointer and a sentence.
pub(crate) type Mismatch = (String, String);

/// Holds a value against a schema.
pub(crate) fn check(schema: &Json, value: &Json) -> Result<(), Mismatch> {
    at(schema, value, "", 0)
}

fn at(schema: &Json, value: &Json, path: &str, depth: u32) -> Result<(), Mismatch> {
    let wrong = |why: String| Err((path.to_owned(), why));
    let map = match schema {
        Json::Bool(false) => return wrong("nothing may stand here".to_owned()),
        Json::Object(map) if depth < SCHEMA_DEPTH => map,
        _ => return Ok(()),
    };
    let types: Vec<&str> = match map.get("type") {
        Some(Json::String(name)) => vec![name.as_str()],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
        return wrong(format!("it is {}, not {}", kind(value), types.join(" or ")));
    }
    if let Some(Json::Array(allowed)) = map.get("enum")
        && !allowed.contains(value)
    {
        return wrong("it is none of the allowed values".to_owned());
    }
    if let Some(only) = map.get("const")
        && only != value
    {
        return wrong(format!("it must be {only}"));
    }
    let properties = map.get("properties").and_then(Json::as_object);
    if let Json::Object(object) = value {
        let required = map.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        for name in required {
            if !object.contains_key(name) {
                return wrong(format!("the property `{name}` is missing"));
            }
        }
        for (name, value) in object {
            let below = format!("{path}/{name}");
            match (properties.and_then(|properties| properties.get(name)), map.get("additionalProperties")) {
                (Some(schema), _) => at(schema, value, &below, depth + 1)?,
                // Patterns may allow what is not listed: then this says nothing.
                (None, Some(schema)) if !map.contains_key("patternProperties") => at(schema, value, &below, depth + 1)?,
                (None, _) => {}
            }
        }
    }
    if let (Json::Array(items), Some(schema)) = (value, map.get("items")) {
        for (place, item) in items.iter().enumerate() {
            at(schema, item, &format!("{path}/{place}"), depth + 1)?;
        }
    }
    Ok(())
}

fn is_of(value: &Json, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        // A type nobody knows is the host's to judge.
        _ => true,
    }
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_guest::json;

    #[test]
    fn what_does_not_fit_is_named_by_place_and_reason() {
        let schema = json!({
            "type": "object", "required": ["reply"], "additionalProperties": false,
            "properties": {
                "reply": { "type": "string" }, "n": { "type": "integer" }, "kind": { "enum": ["a", "b"] },
                "items": { "type": "array", "items": { "type": ["number", "null"] } }, "never": false,
            },
        });
        for (value, expected) in [
            (json!({ "reply": "x", "n": 2, "kind": "a", "items": [1.5, null] }), None),
            (json!([]), Some(("", "an array, not object"))),
            (json!({}), Some(("", "`reply` is missing"))),
            (json!({ "reply": 1 }), Some(("/reply", "a number, not string"))),
            (json!({ "reply": "x", "n": 1.5 }), Some(("/n", "not integer"))),
            (json!({ "reply": "x", "kind": "c" }), Some(("/kind", "none of the allowed"))),
            (json!({ "reply": "x", "items": [1, "y"] }), Some(("/items/1", "not number or null"))),
            (json!({ "reply": "x", "more": 1 }), Some(("/more", "nothing may stand here"))),
            (json!({ "reply": "x", "never": 1 }), Some(("/never", "nothing may stand here"))),
        ] {
            let found = check(&schema, &value);
            match expected {
                None => assert_eq!(found, Ok(()), "{value}"),
                Some((path, why)) => {
                    let (at, said) = found.expect_err("a mismatch");
                    assert!(at == path && said.contains(why), "{value}: {at} {said}");
                }
            }
        }
        assert_eq!(check(&json!({ "oneOf": [] }), &json!(1)), Ok(()), "what is not known passes");
    }

    #[test]
    fn a_deep_schema_ends() {
        let (mut schema, mut value) = (json!({ "type": "string" }), json!(1));
        for _ in 0..200 {
            schema = json!({ "items": schema });
            value = json!([value]);
        }
        assert_eq!(check(&schema, &value), Ok(()));
    }
}
