//! Filling up a batch of requests so that it covers all that its asker must cover (HF-12, HF-13). Pure; who must cover what
//! is the plan's to say.

use sandfork_model::{Cover, Request};
use serde_json::Value;
use std::sync::Arc;

/// What a batch names, value by value: existing demands stay as they are and first; demands for values that are not to be
/// covered are dropped; missing ones are clones of the first demand. A batch that names no value passes untouched.
pub(crate) fn fill(cover: &Cover, requests: Vec<Request>) -> Vec<Request> {
    let named = |request: &Request| request.context.get(&cover.key).and_then(Value::as_str).map(str::to_owned);
    let Some(template) = requests.iter().find(|request| named(request).is_some()).cloned() else { return requests };
    let mut batch: Vec<Request> = requests
        .into_iter()
        .filter(|request| named(request).is_none_or(|value| cover.values.contains(&value)))
        .collect();
    let covered: Vec<String> = batch.iter().filter_map(named).collect();
    let missing: Vec<&String> = if covered.is_empty() {
        // Everything was dropped: one demand for the first value that is to be covered.
        cover.values.iter().take(1).collect()
    } else {
        cover.values.iter().filter(|value| !covered.contains(value)).collect()
    };
    for value in missing {
        batch.push(added(&template, &cover.key, value));
    }
    batch
}

fn added(template: &Request, key: &str, value: &str) -> Request {
    let mut request = template.clone();
    request.goal = format!("[{key}: {value}] {}", template.goal);
    if let Some(context) = request.context.as_object_mut() {
        context.insert(key.into(), value.into());
    }
    if let Ok(options) = &mut request.options {
        // A second request of the same id would be refused.
        Arc::make_mut(options).id = None;
    }
    request.is_added = true;
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_model::RequestOptions;
    use serde_json::json;

    fn demand(platform: Option<&str>) -> Request {
        let context = platform.map_or_else(|| json!({}), |platform| json!({ "platform": platform }));
        let options = Ok(Arc::new(RequestOptions::default()));
        Request { agent: "shopper".into(), goal: "find it".into(), context, options, is_added: false }
    }

    fn filled(platforms: &[Option<&str>]) -> Vec<(Option<String>, bool)> {
        let cover = Cover { key: "platform".into(), values: ["a", "b", "c"].map(str::to_owned).into() };
        fill(&cover, platforms.iter().map(|platform| demand(*platform)).collect())
            .into_iter()
            .map(|request| (request.context["platform"].as_str().map(str::to_owned), request.is_added))
            .collect()
    }

    // HF-12, HF-13
    #[test]
    fn missing_demands_follow_those_that_are_there_and_unwanted_ones_are_dropped() {
        let some = |value: &str, added| (Some(value.to_owned()), added);
        for (given, wanted) in [
            (vec![Some("b")], vec![some("b", false), some("a", true), some("c", true)]),
            (vec![Some("c"), Some("x"), Some("a")], vec![some("c", false), some("a", false), some("b", true)]),
            (vec![None, None], vec![(None, false), (None, false)]),
            (vec![Some("x")], vec![some("a", true)]),
            (vec![], vec![]),
        ] {
            assert_eq!(filled(&given), wanted, "{given:?}");
        }
    }
}
