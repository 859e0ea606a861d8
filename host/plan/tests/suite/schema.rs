//! The schemas say what the readers do: the same keys, and every valid plan is valid by schema.

use crate::desk::{Desk, FULL, PLANNER, ROOT, TASKS, WAITING};
use sandfork_plan::{SCHEMA, TASK_SCHEMA, defaults_table};
use sandfork_source::{ParseLimits, parse};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn plan_schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn json_of(text: &str) -> Value {
    // A validator that compares numbers as numbers reads them more simply than the plan does.
    let kept = parse("x", text.as_bytes(), &ParseLimits::default()).unwrap().to_json();
    serde_json::from_str(&kept.to_string()).unwrap()
}

fn keys(schema: &Value, pointer: &str) -> BTreeSet<String> {
    let properties = schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
    properties["properties"].as_object().unwrap().keys().cloned().collect()
}

/// The keys that the reader names when it meets one it does not know.
fn known(desk: &Desk, text: &str) -> BTreeSet<String> {
    let problems = desk.wrong(text);
    let problem = problems.iter().find(|problem| problem.message.contains("`zzz`")).unwrap();
    let expected = problem.expected.clone().unwrap();
    expected.strip_prefix("one of ").unwrap().split(", ").map(str::to_owned).collect()
}

#[test]
fn the_reader_and_the_schema_know_the_same_keys() {
    let desk = Desk::new();
    let schema = plan_schema();
    let put = |from: &str, to: &str| known(&desk, &ROOT.replace(from, to));
    let more = |text: &str| known(&desk, &format!("{ROOT}{text}\n"));
    let tasks = known(&desk, "run: x\ngoal: y\nagents: {}\ntasks: [{id: a, agent: b, goal: c, zzz: 1}]\n");
    let review =
        "run: x\ngoal: y\nagents: {b: {script: a.yaml}}\ntasks: [{id: a, agent: b, goal: c, review: {zzz: 1}}]\n";
    let review = known(&desk, review);
    let retry = known(&desk, &WAITING.replace("change: shrink", "zzz: 1"));
    for (pointer, read) in [
        ("", more("zzz: 1")),
        ("/$defs/agent", put("script: a.yaml", "script: a.yaml, zzz: 1")),
        ("/$defs/budget", put("script: a.yaml", "script: a.yaml, budget: {zzz: 1}")),
        ("/$defs/run_budget", more("limits: {budget: {zzz: 1}}")),
        ("/$defs/limits", more("limits: {zzz: 1}")),
        ("/$defs/root", put("agent: lead", "agent: lead, zzz: 1")),
        ("/$defs/task", tasks),
        ("/$defs/planner", put("root: { agent: lead", "planner: { agent: lead, zzz: 1")),
        ("/$defs/review", review),
        ("/$defs/retry", retry),
        ("/$defs/tool", more("tools: {t: {zzz: 1}}")),
        ("/$defs/rule", more("tools: {t: {script: [{zzz: 1}]}}")),
        ("/$defs/models", more("models: {zzz: 1}")),
        ("/$defs/reply", more("models: {replies: {lead: [{zzz: 1}]}}")),
        ("/$defs/model_call", more("models: {replies: {lead: [{calls: [{zzz: 1}]}]}}")),
        ("/$defs/token_usage", more("models: {replies: {lead: [{usage: {zzz: 1}}]}}")),
        ("/$defs/error", more("tools: {t: {script: [{error: {zzz: 1}}]}}")),
    ] {
        assert_eq!(keys(&schema, pointer), read, "{pointer}");
    }
    let table: BTreeSet<String> = defaults_table().into_iter().map(|(key, _, _)| key.to_owned()).collect();
    assert_eq!(keys(&schema, "/$defs/limits"), table);
}

#[test]
fn every_valid_plan_is_valid_by_schema() {
    let validator = jsonschema::validator_for(&plan_schema()).unwrap();
    for text in [ROOT, FULL, TASKS, PLANNER, WAITING] {
        let wrong: Vec<_> = validator.iter_errors(&json_of(text)).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn plans_that_are_wrong_by_shape_are_wrong_by_schema() {
    let desk = Desk::new();
    let validator = jsonschema::validator_for(&plan_schema()).unwrap();
    for (from, to) in [
        ("run: demo\n", ""),
        ("run: demo", "run: a.b"),
        ("script: a.yaml", "script: a.yaml, component: b.wasm"),
        ("script: a.yaml", "role: x"),
        ("lead: {", "self: {"),
        ("goal: \"Lead.\"", "timeout: 0s, goal: x"),
        ("goal: \"Lead.\"", "timeout: 0.0ms, goal: x"),
        ("goal: \"Lead.\"", "timeout: 10, goal: x"),
        ("goal: \"Lead.\"", "timeout: 1s, deadline_ms: 5, goal: x"),
        ("goal: \"Lead.\"", "tools: [], allowed_tools: [], goal: x"),
        ("goal: \"Lead.\"", "budget: {memory: lots}, goal: x"),
        ("goal: \"Lead.\"", "id: x, goal: x"),
        (", goal: \"Lead.\"", ""),
        ("root: {", "limits: {max_concurrency: 0}\nroot: {"),
        ("root: {", "tools: {t: {script: []}}\nroot: {"),
        ("root: {", "models: {}\nroot: {"),
        ("root: {", "models: {replies: [1]}\nroot: {"),
        ("root: {", "models: {replies: {lead: {}}}\nroot: {"),
        ("root: {", "models: {replies: {lead: [{}]}}\nroot: {"),
        ("root: {", "models: {replies: {lead: [{calls: [{arguments: 1}]}]}}\nroot: {"),
        ("root: {", "models: {replies: {lead: [{say: x, usage: {input_tokens: -1}}]}}\nroot: {"),
        ("root: {", "tools: {t: {script: [{}]}}\nroot: {"),
        ("root: {", "tools: {t: {script: [{result: 1, error: {code: x}}]}}\nroot: {"),
        ("root: {", "tools: {t: {script: [{result: 1, never: true}]}}\nroot: {"),
        ("root: {", "goal: x\ntasks: [{id: a, agent: b, goal: c}]\nroot: {"),
        ("root: {", "tasks: [{id: a, agent: b, goal: c}]\nx-root: {"),
        ("root: {", "goal: x\nplanner: {agent: lead}\nroot: {"),
        ("root: {", "planner: {"),
        ("root: {", "goal: x\nplanner: {max_replans: 101, "),
        ("root: {", "goal: x\nplanner: {max_replans: unlimited, "),
        ("root: {", "goal: x\nplanner: {review: {agent: lead}, "),
        ("agent: lead", "agent: lead, review: {agent: lead}"),
    ] {
        let text = ROOT.replace(from, to);
        assert!(!desk.wrong(&text).is_empty(), "{to}");
        assert!(!validator.is_valid(&json_of(&text)), "by schema: {to}");
    }
}

#[test]
fn the_task_schema_fits_a_task_document_and_closes_it() {
    let schema: Value = serde_json::from_str(TASK_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = json!({
        "run_id": "demo", "task_id": "root/1", "parent_task_id": "root", "agent": "alpha", "depth": 1, "goal": "g",
        "acceptance_criteria": [], "context": {"a": 1}, "shared": {}, "context_refs": [],
        "tools": [{"name": "read_file", "description": "d", "input_schema": {"type": "object"}}],
        "spawn": [], "output_schema": null, "budget": {"fuel": 1, "steps": 2, "memory": 3, "timeout_ms": 10},
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
    });
    assert!(validator.is_valid(&document));
    // GV-07, GV-46: a task that waited for others, at its second attempt.
    let mut later = document.clone();
    later["dependencies"] = json!({
        "metrics": {"task_id": "metrics", "status": "ok", "summary": "s", "artifact_refs": ["artifact://metrics/v1"],
                    "evidence_refs": [], "unresolved": []},
        "releases": {"task_id": "releases", "status": "timeout", "summary": null, "artifact_refs": [], "evidence_refs": [],
                     "unresolved": [], "error": {"code": "timeout", "message": "m"}, "omitted": 1},
    });
    later["checkpoint"] = json!({
        "task_id": "root/1", "status": "timeout", "code": "timeout", "artifact_refs": [], "last_seq_no": 7, "change": "again",
    });
    assert!(validator.is_valid(&later));
    later["dependencies"]["metrics"]["output"] = json!("raw");
    assert!(!validator.is_valid(&later));
    // M4-01, M4-02: nothing of the parent, and two messages.
    let mut more = document.clone();
    more["parent_messages"] = json!([]);
    assert!(!validator.is_valid(&more));
    let mut three = document.clone();
    three["messages"] =
        json!([{"role": "user", "content": ""}, {"role": "user", "content": ""}, {"role": "user", "content": ""}]);
    assert!(!validator.is_valid(&three));
    for key in schema["required"].as_array().unwrap() {
        let mut less = document.clone();
        less.as_object_mut().unwrap().remove(key.as_str().unwrap());
        assert!(!validator.is_valid(&less), "{key}");
    }
    let dimensions: BTreeSet<String> = sandfork_model::Dimension::ALL.iter().map(|d| d.name().to_owned()).collect();
    assert!(dimensions.is_subset(&keys(&schema, "/properties/budget")));
}
