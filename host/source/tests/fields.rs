//! Typed reading: what is asked for is known, the rest is a problem.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use sandfork_source::{Fields, MAX_PROBLEMS, Node, ParseLimits, Problems, parse};

fn node(text: &str) -> Node {
    parse("f.yaml", text.as_bytes(), &ParseLimits::default()).unwrap()
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    let node = node("gaol: x\nagent: y\n");
    let mut problems = Problems::new("f.yaml");
    let mut fields = Fields::of(&node, "root", &mut problems).unwrap();
    assert_eq!(fields.text("agent", &mut problems), Some("y"));
    assert_eq!(fields.text("goal", &mut problems), None);
    fields.finish(&mut problems);
    let shown: Vec<_> = problems.into_vec().iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["f.yaml:1:1: unknown key `gaol` in `root`\n  expected: one of agent, goal\n  hint: did you mean `goal`?"]
    );
}

#[test]
fn a_value_of_the_wrong_kind_names_its_path_and_what_was_expected() {
    let node = node("text: 12\nflag: yes\nlist: {}\ntexts: [a, 1]\n");
    let mut problems = Problems::new("f.yaml");
    let mut fields = Fields::of(&node, "a.b", &mut problems).unwrap();
    assert!(fields.need_text("text", &mut problems).is_none());
    assert!(fields.flag("flag", &mut problems).is_none());
    assert!(fields.list("list", &mut problems).is_none());
    assert!(fields.texts("texts", &mut problems).is_none());
    assert!(fields.need("gone", &mut problems).is_none());
    fields.finish(&mut problems);
    let shown: Vec<_> = problems.into_vec().iter().map(|problem| problem.message.clone()).collect();
    assert_eq!(
        shown,
        [
            "the key `gone` is missing in `a.b`",
            "`a.b.text` is a number",
            "`a.b.flag` is text",
            "`a.b.list` is a map",
            "`a.b.texts[1]` is a number",
        ]
    );
}

#[test]
fn problems_are_bounded() {
    let text: String = (0..500).map(|n| format!("k{n}: 1\n")).collect();
    let node = node(&text);
    let mut problems = Problems::new("f.yaml");
    Fields::of(&node, "", &mut problems).unwrap().finish(&mut problems);
    assert!(!problems.is_empty());
    assert_eq!(problems.into_vec().len(), MAX_PROBLEMS);
}
