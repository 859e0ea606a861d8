//! The reference of the plan file is the plan file: every key that its schema has stands in docs/plans.md, with a default that is
//! the code's and an example that the reader of plans takes.

use crate::harness::{Run, repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One row of a table: the keys it is about, its third cell, and its example.
struct Row {
    keys: Vec<String>,
    default: String,
    example: String,
}

fn reference() -> String {
    std::fs::read_to_string(repository().join("docs/plans.md")).expect("the reference")
}

fn schema() -> Value {
    let told = Run::args(["schema", "plan"]).go().expect_code(0).stdout;
    serde_json::from_str(&told).expect("a schema")
}

/// What stands in backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows of the tables, by section.
fn rows() -> BTreeMap<String, Vec<Row>> {
    let mut sections: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut section = String::new();
    for line in reference().lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_owned();
        }
        let Some(row) = line.strip_prefix("| `") else { continue };
        let cells: Vec<&str> = row.strip_suffix(" |").expect("an end").split(" | ").collect();
        let [keys, _, default, _, example] = cells.as_slice() else { panic!("{section}: five cells: {line}") };
        let [example] = quoted(example).try_into().unwrap_or_else(|found| panic!("{line}: one example, not {found:?}"));
        let row = Row { keys: quoted(&format!("`{keys}")), default: (*default).to_owned(), example };
        sections.entry(section.clone()).or_default().push(row);
    }
    sections
}

/// The keys of maps of the schema, by JSON Pointer.
fn keys_at(schema: &Value, pointers: &[&str]) -> BTreeSet<String> {
    let maps = pointers.iter().map(|pointer| schema.pointer(&format!("{pointer}/properties")).expect("properties"));
    maps.flat_map(|map| map.as_object().expect("a map").keys().cloned()).collect()
}

#[test]
fn every_key_of_the_schema_is_named_in_the_reference() {
    fn walk(value: &Value, keys: &mut BTreeSet<String>) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            keys.extend(properties.keys().cloned());
        }
        match value {
            Value::Object(map) => map.values().for_each(|value| walk(value, keys)),
            Value::Array(items) => items.iter().for_each(|value| walk(value, keys)),
            _ => {}
        }
    }
    let mut keys = BTreeSet::new();
    walk(&schema(), &mut keys);
    assert!(keys.len() > 100, "{keys:?}");
    let text = reference();
    let missing: Vec<&String> = keys.iter().filter(|key| !text.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/plans.md does not name {missing:?}");
}

#[test]
fn each_table_has_exactly_the_keys_that_stand_there() {
    let (schema, rows) = (schema(), rows());
    for (section, pointers) in [
        ("The document", [""].as_slice()),
        ("An agent's entry", &["/$defs/agent"]),
        ("Tasks", &["/$defs/root", "/$defs/task", "/$defs/planner"]),
        ("Budgets", &["/$defs/budget", "/$defs/run_budget"]),
        ("Scripted tools", &["/$defs/rule"]),
        ("Models", &["/$defs/reply"]),
        ("Limits", &["/$defs/limits"]),
    ] {
        let written: BTreeSet<String> = rows[section].iter().flat_map(|row| row.keys.clone()).collect();
        assert_eq!(written, keys_at(&schema, pointers), "{section}");
    }
}

#[test]
fn the_defaults_of_limits_are_those_of_the_code() {
    let table = sandfork::schema::defaults_table();
    let rows = rows();
    let limits = &rows["Limits"];
    assert_eq!(limits.len(), table.len());
    for (row, (key, default, _)) in limits.iter().zip(table) {
        let wanted = if default == "absent" { "–" } else { &default };
        assert_eq!((row.keys[0].as_str(), row.default.as_str()), (key, wanted));
    }
}

/// A map in flow style: what is there, less what the example writes itself, and the example.
fn with(base: &[(&str, &str)], row: &Row) -> String {
    let kept = base.iter().filter(|(key, _)| !row.keys.iter().any(|own| own == key));
    let kept: String = kept.map(|(key, value)| format!("{key}: {value}, ")).collect();
    format!("{{ {kept}{} }}", row.example)
}

/// A whole plan around the example of one row.
fn plan(section: &str, row: &Row) -> String {
    let key = row.keys[0].as_str();
    let mut parts = BTreeMap::from([
        ("run", "demo".to_owned()),
        ("goal", "g".to_owned()),
        ("agents", "{ a: { script: a.yaml }, b: { script: a.yaml } }".to_owned()),
        ("tools", "{ fetch: { script: [{ result: 1 }] } }".to_owned()),
        ("root", "{ agent: a }".to_owned()),
        ("limits", "{ tiers: { cheap: 20 } }".to_owned()),
    ]);
    let mut put = |name, value: String| drop(parts.insert(name, value));
    match section {
        "The document" => {
            if ["tasks", "planner"].contains(&key) {
                put("root", String::new());
            }
            if key == "root" {
                // It writes its own.
                put("goal", String::new());
            }
            put(key_of(key), row.example.split_once(": ").expect("a value").1.to_owned());
        }
        "An agent's entry" => {
            let base = match key {
                "script" | "component" => [].as_slice(),
                "wasi" => &[("component", "b.wasm")],
                _ => &[("script", "a.yaml")],
            };
            put("agents", format!("{{ a: {}, b: {{ script: a.yaml }} }}", with(base, row)));
        }
        "Tasks" => {
            put("root", String::new());
            let task = with(&[("id", "t"), ("agent", "a"), ("goal", "g")], row);
            match key {
                "max_replans" => put("planner", with(&[("agent", "a")], row)),
                _ => put("tasks", format!("[{task}, {{ id: other, agent: b, goal: g }}]")),
            }
        }
        "Budgets" => put("agents", format!("{{ a: {{ script: a.yaml, budget: {} }} }}", with(&[], row))),
        "Scripted tools" => put("tools", format!("{{ fetch: {{ script: [{}] }} }}", with(&[], row))),
        "Models" => put("models", format!("{{ replies: {{ a: [{}] }} }}", with(&[], row))),
        "Limits" => put("limits", with(&[("tiers", "{ cheap: 20 }")], row)),
        other => panic!("no plan around an example of {other}"),
    }
    parts.iter().filter(|(_, value)| !value.is_empty()).map(|(key, value)| format!("{key}: {value}\n")).collect()
}

/// The key as one that lives as long as the program.
fn key_of(key: &str) -> &'static str {
    const KEYS: [&str; 13] = [
        "run",
        "goal",
        "agents",
        "root",
        "tasks",
        "planner",
        "workspace",
        "shared",
        "rules",
        "tools",
        "models",
        "limits",
        "virtual",
    ];
    KEYS.into_iter().find(|known| *known == key).unwrap_or_else(|| panic!("{key}"))
}

fn desk() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(home.path().join("workspace")).expect("made");
    for file in ["a.yaml", "scan.yaml", "judge.yaml", "b.wasm", "join.wasm"] {
        std::fs::write(home.path().join(file), "agent: a\nturns: []\n").expect("written");
    }
    home
}

#[test]
fn every_example_is_taken_by_the_reader_of_plans() {
    let home = desk();
    let path = home.path().join("plan.yaml");
    let mut count = 0;
    for (section, rows) in rows() {
        for row in rows {
            let text = plan(&section, &row);
            let name = &row.keys[0];
            assert!(row.example.contains(&format!("{name}: ")), "{section}: the example of `{name}` is of another key");
            std::fs::write(&path, &text).expect("written");
            if let Err(failure) = sandfork::read_plan(&path, &sandfork::Overrides::default()) {
                panic!("{section}, {name}:\n{text}\n{failure}");
            }
            count += 1;
        }
    }
    assert!(count > 90, "{count}");
}

#[test]
fn the_whole_plan_at_the_top_can_be_right() {
    let home = desk();
    let text = reference();
    let block = text.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a plan");
    std::fs::write(home.path().join("plan.yaml"), block).expect("written");
    let plan = sandfork::read_plan(&home.path().join("plan.yaml"), &sandfork::Overrides::default());
    assert_eq!(plan.unwrap_or_else(|failure| panic!("{failure}")).shape.tasks().len(), 3);
}

#[test]
fn what_the_reference_links_to_is_there() {
    for link in reference().split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let path = if file.is_empty() { "plans.md" } else { file };
        let text = std::fs::read_to_string(repository().join("docs").join(path)).unwrap_or_else(|_| panic!("{link}"));
        let slug = |line: &str| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            words.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).collect::<String>().replace(' ', "-")
        };
        let there = text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == heading);
        assert!(heading.is_empty() || there, "{link}");
    }
}
