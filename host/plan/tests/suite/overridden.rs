//! `--limit` and `--set`.

use crate::desk::{Desk, ROOT, TASKS, shown};
use sandfork_model::{Cap, Shape};
use sandfork_plan::Overrides;
use serde_json::json;
use std::time::Duration;

fn sets(sets: &[(&str, &str)]) -> Overrides {
    let sets = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Overrides { sets, ..Overrides::default() }
}

#[test]
fn a_value_from_the_command_line_wins_over_the_file() {
    let desk = Desk::new();
    let mut overrides = sets(&[
        ("root.goal", "Fix: the bug *now*"),
        ("root.context.price", "1.50"),
        ("root.context.tags", "[a, {b: 1}]"),
        ("root.context.quoted", "\"12\""),
        ("root.context.nothing", "null"),
        ("shared.style", ""),
        ("rules", "['Never: this']"),
        ("limits.max_depth", "7"),
        ("virtual", "true"),
    ]);
    overrides.limits =
        vec![("max_depth".into(), "3".into()), ("timeout".into(), "5s".into()), ("budget.fuel".into(), "9".into())];
    let plan = desk.load(ROOT, &overrides).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(plan.goal, "Fix: the bug *now*");
    assert_eq!(plan.limits.max_depth, Cap::Finite(7), "the later one wins");
    assert_eq!(plan.limits.fork.timeout, Duration::from_secs(5));
    assert_eq!(plan.limits.budget.fuel, Some(Cap::Finite(9)));
    assert_eq!(plan.rules, ["Never: this"]);
    assert_eq!(plan.shared["style"], json!(""));
    assert!(plan.is_virtual);
    let Shape::Root(root) = &plan.shape else { panic!("no root") };
    assert_eq!(root.context.to_string(), r#"{"price":1.50,"tags":["a",{"b":1}],"quoted":"12","nothing":null}"#);
}

#[test]
fn a_task_is_reached_by_its_id_or_its_number() {
    let desk = Desk::new();
    let plan = desk.load(TASKS, &sets(&[("tasks.research.timeout", "2s"), ("tasks.1.agent", "analyst")])).unwrap();
    let tasks = plan.shape.tasks();
    assert_eq!(tasks[0].options.timeout, Some(Duration::from_secs(2)));
    assert_eq!(tasks[1].agent, "analyst");
    let as_told = desk.load(TASKS, &sets(&[("tasks[0].timeout", "3s")])).unwrap();
    assert_eq!(as_told.shape.tasks()[0].options.timeout, Some(Duration::from_secs(3)), "as problems name it");
}

#[test]
fn a_wrong_value_from_the_command_line_names_its_flag() {
    let desk = Desk::new();
    for (path, value, message, hint) in [
        ("limits.max_dept", "3", "unknown key `max_dept` in `limits`", "did you mean `max_depth`?"),
        ("limits.max_depth", "many", "`limits.max_depth` is `many`", ""),
        ("limits.max_depth", "-1", "`limits.max_depth` is `-1`", "write unlimited"),
        ("limits.max_depth", "unlimitd", "`limits.max_depth` is `unlimitd`", "did you mean `unlimited`?"),
        ("limits.timeout", "10", "`limits.timeout` is `10`", "write the unit, as in 10s"),
        ("root.goal", "12", "`root.goal` is a number", "put it in quotes"),
        ("root.gaol", "x", "unknown key `gaol` in `root`", "did you mean `goal`?"),
        ("root.goal.x", "1", "`root.goal` is text and has no `x`", ""),
        ("root..goal", "1", "is not a path like root.goal", ""),
        ("", "1", "is not a path like root.goal", ""),
        ("root[x]", "1", "unknown key `root[x]`", ""),
        ("[0]", "1", "unknown key `[0]`", ""),
        ("root.context", "[1, 2", "this is not YAML", "quote it"),
        ("root.context", "[1]", "`root.context` is a list", ""),
        ("tasks", "[]", "the plan has both `root` and `tasks`", "`root` is one agent"),
        ("run.x.y", "1", "`run` is text and has no `x`", ""),
        ("agents.lead.tools", "[raed_file]", "unknown tool `raed_file`", "did you mean `read_file`?"),
    ] {
        let problems = desk.load(ROOT, &sets(&[(path, value)])).unwrap_err();
        let text = shown(&problems);
        assert_eq!(problems[0].file, format!("--set {path}"), "{text}");
        assert!(problems[0].message.contains(message), "{path}: {text}");
        assert!(problems[0].hint.clone().unwrap_or_default().contains(hint), "{path}: {text}");
    }
    let limit = Overrides { limits: vec![("max_depth".into(), "x".into())], ..Overrides::default() };
    assert_eq!(desk.load(ROOT, &limit).unwrap_err()[0].file, "--limit max_depth");
    assert!(desk.load(TASKS, &sets(&[("tasks.9.goal", "x")])).unwrap_err()[0].message.contains("has no `9`"));
}

// HOSTILE 35
#[test]
fn a_path_of_many_steps_is_refused() {
    let desk = Desk::new();
    let long = vec!["a"; 100_000].join(".");
    let problems = desk.load(ROOT, &sets(&[(&format!("shared.{long}"), "1")])).unwrap_err();
    assert!(problems[0].message.contains("is not a path"));
}
