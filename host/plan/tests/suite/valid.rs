//! A valid plan of each shape comes to what it says.

use crate::desk::{Desk, FULL, ROOT, TASKS};
use sandfork_model::plan::{ScriptedError, ScriptedRule};
use sandfork_model::{AgentSource, Ancestors, Ask, Cap, OnFailure, RunLimits, Shape};
use sandfork_plan::{Overrides, read};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

#[test]
fn a_small_root_plan_has_every_default() {
    let desk = Desk::new();
    let plan = desk.valid(ROOT);
    assert_eq!((plan.name.as_str(), plan.goal.as_str()), ("demo", "Lead."));
    assert_eq!(plan.limits, RunLimits::default());
    assert!(!plan.is_virtual && plan.rules.is_empty() && plan.shared.is_empty() && plan.workspace.is_none());
    let lead = plan.agent("lead").unwrap();
    assert_eq!(lead.source, AgentSource::Script(desk.path().join("a.yaml")));
    // X-2, GV-39: absent means nothing may be forked.
    assert!(lead.tools.is_none() && lead.spawn.is_empty() && lead.delegate.is_empty());
    let Shape::Root(root) = &plan.shape else { panic!("no root") };
    assert_eq!((root.id.as_str(), root.agent.as_str(), &root.context), ("root", "lead", &json!({})));
    assert_eq!(root.options, sandfork_model::RequestOptions::default());
}

#[test]
fn a_full_root_plan_keeps_every_word() {
    let desk = Desk::new();
    let plan = desk.valid(FULL);
    assert!(plan.is_virtual);
    assert_eq!(plan.rules, ["Never delete."]);
    assert_eq!(serde_json::to_string(&plan.shared).unwrap(), r#"{"style":"short","ticket":1.50}"#);
    assert_eq!(plan.workspace, Some(desk.path().join("workspace")));
    let names: Vec<_> = plan.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["lead", "helper"]);
    let lead = plan.agent("lead").unwrap();
    assert_eq!(lead.spawn, ["helper", "self"]);
    assert_eq!(lead.tools.as_deref(), Some(["read_file".to_owned(), "lookup".to_owned()].as_slice()));
    assert_eq!(lead.output_schema, Some(json!({"type": "object"})));
    assert_eq!(lead.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(lead.budget.output_bytes, Some(Cap::Finite(2048)));
    assert_eq!(lead.budget.retries, Some(Cap::Finite(0)));
    let helper = plan.agent("helper").unwrap();
    assert!(helper.wasi_denied);
    assert_eq!(helper.source, AgentSource::Component(desk.path().join("b.wasm")));

    let [found, missing, never] = plan.tools[0].rules.as_slice() else { panic!("three rules") };
    assert_eq!(found.answer, Some(Ok(json!({"found": [1]}))));
    assert_eq!(found.delay, Duration::from_millis(80));
    assert_eq!(
        missing.answer,
        Some(Err(ScriptedError {
            code: "not_found".into(),
            message: "Nothing there.".into(),
            details: json!({"key": "x"}),
        }))
    );
    assert_eq!(never, &ScriptedRule { when: None, delay: Duration::ZERO, answer: None });

    assert_eq!(plan.limits.ancestors, Ancestors::Allow);
    assert_eq!(plan.limits.similar, Some(0.8));
    assert_eq!(plan.limits.budget.fuel, Some(Cap::Finite(1000)));
    assert_eq!(plan.limits.tool_calls, Some(Cap::Finite(0)));
    assert_eq!(plan.limits.fork.on_failure, OnFailure::Skip);
    assert_eq!(plan.limits.fork.result_bytes, Cap::Finite(1_000_000));
    assert_eq!(plan.limits.fork.retries, Cap::Unlimited);
    let Shape::Root(root) = &plan.shape else { panic!("no root") };
    assert_eq!(serde_json::to_string(&root.context).unwrap(), r#"{"platform":"web","price":3499.00}"#);
    assert_eq!(root.options.timeout, Some(sandfork_model::limits::HOST_TIME_CEILING));
    assert_eq!(root.options.budget, Ask { steps: Some(Cap::Unlimited), ..Ask::default() });
    assert!(root.options.critical);
}

// GV-05: the field names of a task package are read as well.
#[test]
fn a_tasks_plan_in_json_keeps_its_order_and_the_other_names() {
    let desk = Desk::new();
    let plan = desk.valid(TASKS);
    assert_eq!(plan.goal, "Research and analyse.");
    let [research, analyse] = plan.shape.tasks() else { panic!("two tasks") };
    assert_eq!((research.id.as_str(), analyse.id.as_str()), ("research", "analyse"));
    assert_eq!(research.context, json!({"q": "😀"}));
    // M4-20: an agent nobody knows is an outcome, not an invalid plan.
    assert_eq!(analyse.agent, "nobody");
    assert_eq!(analyse.options.tools.as_deref(), Some(["read_file".to_owned()].as_slice()));
    assert_eq!(analyse.options.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(analyse.options.on_failure, Some(OnFailure::Skip));
    assert_eq!(analyse.options.budget.steps, Some(Cap::Finite(7)));
}

#[test]
fn a_root_without_goal_takes_the_plans() {
    let desk = Desk::new();
    let text = ROOT.replace(", goal: \"Lead.\"", "") + "goal: \"Plan's.\"\n";
    let plan = desk.valid(&text);
    assert_eq!((plan.goal.as_str(), plan.shape.tasks()[0].goal.as_str()), ("Plan's.", "Plan's."));
    desk.valid(&(ROOT.to_owned() + "goal: Lead.\n"));
}

#[test]
fn files_may_lie_outside_the_plans_directory() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path().join("sub")).unwrap();
    let text = ROOT.replace("a.yaml", "../a.yaml");
    let plan = read("any name", text.as_bytes(), &desk.path().join("sub"), &Overrides::default()).unwrap();
    assert!(matches!(&plan.agents[0].source, AgentSource::Script(path) if path.ends_with(Path::new("../a.yaml"))));
}
