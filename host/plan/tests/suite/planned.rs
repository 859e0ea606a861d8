//! A planner's list is read by the reader of written tasks: the same keys, the same problems, and no file.

use crate::desk::{Desk, PLANNER};
use sandfork_model::{Cap, Plan, PlannerSpec, ReviewSpec, Shape, TaskReader as _};
use sandfork_plan::PlannedTasks;
use serde_json::{Value, json};
use std::time::Duration;

fn plan() -> Plan {
    Desk::new().valid(PLANNER)
}

fn problems(output: &Value) -> Vec<String> {
    PlannedTasks::of(&plan()).read(output, &[]).unwrap_err()
}

// GV-60
#[test]
fn a_planner_plan_keeps_its_words_and_has_defaults() {
    let Shape::Planner(planner) = plan().shape else { panic!("no planner") };
    assert_eq!((planner.task.id.as_str(), planner.task.goal.as_str()), ("planner", "Find out."));
    assert_eq!((planner.max_replans, planner.task.options.timeout), (0, Some(Duration::from_secs(5))));
    assert_eq!(planner.task.context, json!({"depth": 2}));
    let Shape::Planner(planner) = Desk::new().valid(&PLANNER.replace("max_replans: 0, ", "")).shape else {
        panic!("no planner")
    };
    assert_eq!(planner.max_replans, PlannerSpec::DEFAULT_REPLANS);
}

// GV-60
#[test]
fn a_review_keeps_its_words_and_has_defaults() {
    let text =
        PLANNER.replace("planner: { agent: planner,", "tasks: [{ id: a, agent: worker, goal: x, review: REVIEW }]\n#");
    for (review, max_returns) in [("{ agent: planner }", 2), ("{ agent: planner, max_returns: 0 }", 0)] {
        let Shape::Tasks(tasks) = Desk::new().valid(&text.replace("REVIEW", review)).shape else { panic!("no tasks") };
        assert_eq!(tasks[0].review, Some(ReviewSpec { agent: "planner".into(), max_returns }));
    }
    for (review, wrong) in [
        ("{ agent: plannr }", "unknown agent `plannr`"),
        ("{ agent: planner, max_returns: 101 }", "`101`"),
        ("{ agent: planner, max_returns: -1 }", "`-1`"),
        ("{ agent: planner, max_return: 1 }", "unknown key `max_return`"),
        ("{}", "the key `agent` is missing in `tasks[0].review`"),
        ("planner", "`tasks[0].review` is text"),
    ] {
        let found = Desk::new().wrong(&text.replace("REVIEW", review));
        assert!(found.iter().any(|problem| problem.message.contains(wrong)), "{review}: {found:?}");
    }
}

// GV-60
#[test]
fn a_returned_list_is_read_like_a_written_one() {
    let list = json!({"summary": "two tasks", "tasks": [
        {"id": "a", "agent": "worker", "goal": "x", "context": {"price": 1}, "tools": ["lookup"], "deadline_ms": 5,
         "budget": {"steps": 3}, "review": {"agent": "planner"}, "output_schema": {"type": "object"}},
        {"id": "b", "agent": "nobody", "goal": "y"},
    ]});
    let tasks = PlannedTasks::of(&plan()).read(&list, &[]).unwrap();
    assert_eq!(tasks.len(), 2);
    assert_eq!(tasks[0].context, json!({"price": 1}));
    assert_eq!(tasks[0].options.timeout, Some(Duration::from_millis(5)));
    assert_eq!(tasks[0].options.budget.steps, Some(Cap::Finite(3)));
    assert_eq!(tasks[0].review, Some(ReviewSpec { agent: "planner".into(), max_returns: 2 }));
    assert_eq!(tasks[1].agent, "nobody", "an unknown agent is an outcome, here as in a written plan");
}

// GV-60, HOSTILE 35
#[test]
fn every_problem_of_a_list_names_its_task_and_what_is_wrong() {
    let good = json!({"id": "good", "agent": "worker", "goal": "x"});
    for (task, place, wrong) in [
        (json!({"id": "a", "agnet": "worker", "goal": "x"}), "tasks[1]", "unknown key `agnet`"),
        (json!({"id": "a", "agent": "worker"}), "tasks[1]", "the key `goal` is missing"),
        (json!({"id": "a/b", "agent": "worker", "goal": "x"}), "tasks[1]", "cannot be a task id"),
        (json!({"id": "good", "agent": "worker", "goal": "x"}), "tasks[1]", "two tasks have the id `good`"),
        (json!({"id": "a", "agent": "worker", "goal": "x", "tools": ["shell"]}), "tasks[1].tools", "unknown tool"),
        (json!({"id": "a", "agent": "worker", "goal": "x", "context": [1]}), "tasks[1].context", "a list"),
        (json!({"id": "a", "agent": "worker", "goal": "x", "budget": {"fuel": -1}}), "tasks[1].budget.fuel", "`-1`"),
        (json!({"id": "a", "agent": "worker", "goal": "x", "review": {"agent": "no"}}), "tasks[1]", "unknown agent"),
        (json!({"id": "a", "agent": "worker", "goal": "x", "is_planning": true}), "tasks[1]", "`is_planning`"),
        (json!({"id": "a", "agent": "worker", "goal": "x", "is_acceptance": true}), "tasks[1]", "`is_acceptance`"),
        (json!("a"), "tasks[1]", "text"),
        (json!(null), "tasks[1]", "nothing"),
    ] {
        let found = problems(&json!({"tasks": [good.clone(), task.clone()]}));
        let fits = |text: &String| text.contains(place) && text.contains(wrong);
        assert!(found.iter().any(fits), "{task}: {found:?}");
    }
}

// GV-60: what an agent said never makes the host open a file
#[test]
fn a_returned_list_names_no_file() {
    for path in ["out.json", "/etc/hostname", "no-such-file.json"] {
        let found = problems(&json!({"tasks": [{"id": "a", "agent": "worker", "goal": "x", "output_schema": path}]}));
        assert!(found[0].contains("names a file") && found[0].contains("written in place"), "{found:?}");
    }
}

// HOSTILE 35
#[test]
fn what_is_no_list_is_refused_and_a_long_one_too() {
    for (output, wrong) in [
        (json!(null), "is nothing"),
        (json!([]), "is a list"),
        (json!({}), "the key `tasks` is missing"),
        (json!({"tasks": {}}), "`tasks` is a map"),
        (json!({"tasks": []}), "`tasks` is empty"),
        (json!({"tasks": [], "agents": {}}), "unknown key `agents`"),
        (json!({"tasks": vec![json!({}); 1025]}), "at most 1024"),
    ] {
        let found = problems(&output);
        assert!(found.iter().any(|text| text.contains(wrong)), "{wrong}: {found:?}");
        assert!(found.len() <= sandfork_source::MAX_PROBLEMS);
    }
    let mut deep = json!(1);
    for _ in 0..500 {
        deep = json!([deep]);
    }
    assert!(PlannedTasks::of(&plan()).read(&json!({"tasks": [{"id": "a", "agent": "b", "goal": deep}]}), &[]).is_err());
}
