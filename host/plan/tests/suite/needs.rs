//! Who waits for whom, and what happens to a task that ends badly: read, and refused where it could never come true.

use crate::desk::{Desk, WAITING, shown};
use proptest::prelude::*;
use sandfork_model::{Plan, RetryChange, RetrySpec, Shape, TaskReader as _, TaskSpec};
use sandfork_plan::PlannedTasks;
use serde_json::json;
use std::sync::OnceLock;

fn tasks(plan: Plan) -> Vec<TaskSpec> {
    let Shape::Tasks(tasks) = plan.shape else { panic!("no tasks") };
    tasks
}

// GV-22, GV-46
#[test]
fn needs_and_retries_keep_their_words_and_have_defaults() {
    let read = tasks(Desk::new().valid(WAITING));
    let waits: Vec<Vec<&str>> = read.iter().map(|task| task.waits_for().collect()).collect();
    assert_eq!(waits, [vec![], vec!["a"], vec!["a"], vec!["b", "compare"]]);
    assert_eq!((&read[2].needs, &read[3].needs_optional), (&Vec::new(), &vec!["compare".to_owned()]));
    assert_eq!(read[0].retry, RetrySpec::default());
    assert_eq!(read[1].retry, RetrySpec { times: 2, changes: Vec::new() });
    assert_eq!(read[2].retry, RetrySpec { times: 1, changes: vec![RetryChange::Shrink] });
    let tier = RetryChange::Tier("small".into());
    assert_eq!(read[3].retry.times, 3);
    assert_eq!((read[3].retry.change(1), read[3].retry.change(2)), (&RetryChange::Again, &tier));
    assert_eq!(read[3].retry.change(9), &RetryChange::Goal("Less.".into()), "the last change stays");
}

// GV-22, HOSTILE 35
#[test]
fn needs_that_cannot_come_true_are_refused_with_what_was_meant() {
    let desk = Desk::new();
    for (from, to, message, hint) in [
        ("needs: [b]", "needs: [bb]", "unknown task `bb` in `tasks[3].needs`", "one of a, b"),
        (
            "needs_optional: [compare]",
            "needs_optional: [compar]",
            "unknown task `compar` in `tasks[3].needs_optional`",
            "`compare`",
        ),
        ("needs: [b]", "needs: [d]", "the task `d` waits for itself", "remove it"),
        ("needs: [b]", "needs: [b, b]", "the task `d` waits for `b` twice", "keep it in `needs`"),
        ("needs_optional: [compare]", "needs_optional: [b]", "the task `d` waits for `b` twice", "keep it in `needs`"),
        ("needs: [b]", "needs: b", "`tasks[3].needs` is text", "a list"),
        ("retries: 2", "retries: 101", "`tasks[1].retries` is `101`", "from 0 to 100"),
        ("retries: 2", "retries: 1, retry: {}", "says the same as `retries`", "keep one"),
        ("change: shrink", "change: grow", "`tasks[2].retry.change` is `grow`", "again, shrink"),
        ("change: shrink", "change: { tier: smal }", "unknown tier `smal`", "did you mean `small`?"),
        ("change: shrink", "change: { gaol: x }", "unknown key `gaol` in `tasks[2].retry.change`", "did you mean"),
        ("change: shrink", "change: { goal: x, tier: small }", "`tasks[2].retry.change` is a map", "again, shrink"),
        ("change: shrink", "change: [shrink, again], times: 1", "has 2 changes for 1 retries", "raise `times`"),
    ] {
        let problems = desk.wrong(&WAITING.replace(from, to));
        let found = problems.iter().find(|problem| problem.message.contains(message));
        let found = found.unwrap_or_else(|| panic!("{to}: {}", shown(&problems)));
        assert!(found.expected.iter().chain(&found.hint).any(|text| text.contains(hint)), "{to}: {found}");
    }
}

// GV-22
#[test]
fn a_circle_is_named_in_full() {
    let desk = Desk::new();
    let list = "tasks: [{ id: a, agent: worker, goal: x, needs: [b] }, { id: b, agent: worker, goal: x, needs_optional: [c] }, \
                { id: c, agent: worker, goal: x, needs: [a] }]\n";
    let text = format!("{}{list}", WAITING.split("tasks:").next().unwrap());
    let problems = desk.wrong(&text);
    assert_eq!(problems.len(), 1, "{}", shown(&problems));
    assert_eq!(problems[0].message, "tasks wait for each other: a → b → c → a");
    assert_eq!(problems[0].place.line, 6, "where the circle closes");
}

fn planned(tasks: serde_json::Value, accepted: &[&str]) -> Result<Vec<TaskSpec>, Vec<String>> {
    static READER: OnceLock<PlannedTasks> = OnceLock::new();
    let reader = READER.get_or_init(|| PlannedTasks::of(&Desk::new().valid(WAITING)));
    reader.read(&json!({ "tasks": tasks }), accepted)
}

// GV-22, GV-60
#[test]
fn a_planners_list_says_who_waits_for_whom_and_for_what_was_accepted_before() {
    let list = json!([
        {"id": "b", "agent": "worker", "goal": "x", "needs": ["a"], "retry": {"change": [{"tier": "small"}]}},
        {"id": "c", "agent": "worker", "goal": "x", "needs_optional": ["b"]},
    ]);
    let read = planned(list.clone(), &["a"]).unwrap();
    assert_eq!((read[0].needs.as_slice(), read[0].retry.times), (["a".to_owned()].as_slice(), 1));
    assert_eq!(planned(list, &[]).unwrap_err()[0], "unknown task `a` in `tasks[0].needs`; expected: one of b, c");
    let circle = json!([
        {"id": "b", "agent": "worker", "goal": "x", "needs": ["c"]},
        {"id": "c", "agent": "worker", "goal": "x", "needs": ["b"]},
    ]);
    assert!(planned(circle, &[]).unwrap_err()[0].contains("tasks wait for each other: b → c → b"));
}

// GV-22, HOSTILE 35: the length of a chain costs no stack, and a message stays readable
#[test]
fn long_chains_large_circles_and_wide_joins_are_read_or_refused_in_a_bounded_message() {
    let task =
        |id: usize, needs: Vec<String>| json!({"id": format!("t{id}"), "agent": "worker", "goal": "x", "needs": needs});
    let chain = |first: Vec<String>| {
        let rest = (1..1024).map(|id| task(id, vec![format!("t{}", id - 1)]));
        serde_json::Value::Array(std::iter::once(task(0, first)).chain(rest).collect())
    };
    assert_eq!(planned(chain(Vec::new()), &[]).unwrap().len(), 1024);
    let circle = planned(chain(vec!["t1023".into()]), &[]).unwrap_err();
    assert!(circle[0].contains("… (1024 tasks) → t0") && circle[0].len() < 1_000, "{}", circle[0]);
    let wide = (0..1023).map(|id| task(id, Vec::new()));
    let join = task(1023, (0..1023).map(|id| format!("t{id}")).collect());
    assert_eq!(planned(wide.chain([join]).collect(), &[]).unwrap().len(), 1024);
    let all: Vec<String> = (0..1025).map(|id| format!("t{}", id % 1000)).collect();
    let many = planned(json!([task(2000, all)]), &[]).unwrap_err();
    assert!(many.iter().any(|problem| problem.contains("waits for 1025 tasks; at most 1024")), "{many:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    // GV-22
    #[test]
    fn a_list_is_refused_exactly_if_somebody_waits_for_himself(
        edges in prop::collection::btree_set((0usize..7, 0usize..7), 0..14),
    ) {
        let needs = |id: usize| edges.iter().filter(|(from, _)| *from == id).map(|(_, to)| format!("t{to}")).collect::<Vec<_>>();
        let list = (0..7).map(|id| json!({"id": format!("t{id}"), "agent": "worker", "goal": "x", "needs": needs(id)}));
        let mut reaches = [[false; 7]; 7];
        for (from, to) in &edges {
            reaches[*from][*to] = true;
        }
        for via in 0..7 {
            for from in 0..7 {
                for to in 0..7 {
                    reaches[from][to] |= reaches[from][via] && reaches[via][to];
                }
            }
        }
        let is_circular = (0..7).any(|id| reaches[id][id]);
        prop_assert_eq!(planned(list.collect(), &[]).is_err(), is_circular);
    }
}
