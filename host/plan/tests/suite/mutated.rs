//! No change to a plan makes the reader panic. HOSTILE 35.

use crate::desk::{FULL, TASKS};
use proptest::prelude::*;
use sandfork_plan::{Overrides, read};
use std::path::Path;

fn scrap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "0",
        "-1",
        "unlimited",
        "null",
        "[]",
        "{}",
        "\n",
        "  ",
        ": ",
        "- ",
        "\"",
        "x",
        "1e999",
        "\u{0}",
        "&a ",
        "*a",
        "self",
        "root",
        "9007199254740993",
        "0s",
        "99999999h",
        "🦀",
        "\t",
        "{",
        "]",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    // HOSTILE 35
    #[test]
    fn a_mutated_plan_is_read_or_refused(
        is_tasks in any::<bool>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..30, scrap()), 1..4),
    ) {
        let mut text: Vec<char> = if is_tasks { TASKS } else { FULL }.chars().collect();
        for (at, length, scrap) in cuts {
            let start = at.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, scrap.chars());
        }
        let text: String = text.into_iter().collect();
        if let Err(problems) = read("plan.yaml", text.as_bytes(), Path::new("nowhere"), &Overrides::default()) {
            prop_assert!(!problems.is_empty() && problems.len() <= sandfork_source::MAX_PROBLEMS);
        }
    }

    #[test]
    fn any_override_is_read_or_refused(path in "[a-z.0-9\\[]{0,20}", value in any::<String>()) {
        for path in [path.clone(), format!("root.{path}"), format!("limits.{path}"), format!("agents.lead.{path}")] {
            let overrides = Overrides { limits: vec![], sets: vec![(path, value.clone())], ..Overrides::default() };
            if let Err(problems) = read("plan.yaml", FULL.as_bytes(), Path::new("nowhere"), &overrides) {
                prop_assert!(!problems.is_empty());
            }
        }
    }
}
