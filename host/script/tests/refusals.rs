//! Scripts that cannot be right, and what they are told: one row each, the whole text in the snapshot.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

use std::fmt::Write as _;

/// A head that is right, then what is not.
fn with(turns: &str) -> String {
    format!("agent: a\ntools: [read, write_file]\n{turns}")
}

/// A right head and one step.
fn step(step: &str) -> String {
    with(&format!("turns:\n  - do:\n      - {step}\n"))
}

fn rows() -> Vec<(&'static str, String)> {
    let row = |name, source: &str| (name, source.to_owned());
    vec![
        row("the script is a list", "- a"),
        row("the script is empty", ""),
        row("agent is missing", "turns: []"),
        row("turns is missing", "agent: a"),
        row("agent is no name", "agent: 1st agent\nturns: []"),
        row("agent is a number", "agent: 7\nturns: []"),
        row("description is a list", "agent: a\ndescription: [x]\nturns: []"),
        row("an unknown key at the top", "agent: a\nmodel: x\nturns: []"),
        row("a key at the top, nearly right", "agent: a\ntool: [read]\nturns: []"),
        row("a key from another tool's language", "agent: a\nsteps: []\nturns: []"),
        row("tools is text", "agent: a\ntools: read\nturns: []"),
        row("a tool stands twice", "agent: a\ntools: [read, read]\nturns: []"),
        row("a tool is a number", "agent: a\ntools: [1]\nturns: []"),
        row("a tool is a reference", "agent: a\ntools: [\"${task.tool}\"]\nturns: []"),
        row("turns is a map", "agent: a\nturns: {}"),
        row("a turn is text", "agent: a\nturns: [hello]"),
        row("the same key twice", "agent: a\nturns: []\nagent: b"),
        row("an anchor", "agent: &x a\nturns: []"),
        row("bad YAML", "agent: [a\nturns: []"),
        row("a step's key on a turn", &with("turns: [{ tool: read }]")),
        row("a slip in a turn's key", &with("turns: [{ thnik: 80ms }]")),
        row("think without a unit", &with("turns: [{ think: 80 }]")),
        row("think is no duration", &with("turns: [{ think: soon }]")),
        row("think is too long", &with("turns: [{ think: 25h }]")),
        row("think is a reference", &with("turns: [{ think: \"${task.context.t}\" }]")),
        row("say is a number", &with("turns: [{ say: 5 }]")),
        row("do is a map", &with("turns: [{ do: { tool: read } }]")),
        row("return and fail", &with("turns: [{ return: 1, fail: { code: c, message: m } }]")),
        row("an empty step", &step("{}")),
        row("a step is text", &step("read")),
        row("a step does two things", &step("{ tool: read, note: x }")),
        row("a slip in a step's key", &step("{ tol: read }")),
        row("a turn among steps", &step("{ say: hello }")),
        row("a tool the script did not ask for", &step("{ tool: delete_file }")),
        row("a slip in a tool's name", &step("{ tool: raed }")),
        row("a tool that is only handed on", "agent: a\ndelegate: [read]\nturns: [{ do: [{ tool: read }] }]"),
        row("a tool's name is a reference", &step("{ tool: \"${task.tool}\" }")),
        row("a tool's name is empty", &step("{ tool: \"\" }")),
        row("with is a list", &step("{ tool: read, with: [a] }")),
        row("with is text with a reference inside", &step("{ tool: read, with: \"x ${task.goal}\" }")),
        row("args instead of with", &step("{ tool: read, args: { path: a } }")),
        row("as is taken", &step("{ tool: read, as: task }")),
        row("as is no name", &step("{ tool: read, as: \"my answer\" }")),
        row("a reference in a key", &step("{ tool: read, with: { \"${task.goal}\": 1 } }")),
        row("a name that was never set", &step("{ note: \"${source.text}\" }")),
        row("a slip in a name", &with("turns: [{ do: [{ tool: read, as: source }], return: \"${sorce}\" }]")),
        row("a name used before it is set", &with("turns: [{ do: [{ note: \"${x}\" }, { tool: read, as: x }] }]")),
        row("a name used in the step that sets it", &step("{ tool: read, with: { a: \"${x}\" }, as: x }")),
        row(
            "a name set in one branch only",
            &with("turns: [{ do: [{ if: { present: task.a }, then: [{ tool: read, as: x }] }], return: \"${x}\" }]"),
        ),
        row(
            "a name set in a loop that may not run",
            &with("turns: [{ do: [{ for_each: \"${task.l}\", do: [{ tool: read, as: x }] }], return: \"${x}\" }]"),
        ),
        row(
            "a loop's item after the loop",
            &with("turns: [{ do: [{ for_each: [1], do: [{ tool: read }] }], return: \"${item}\" }]"),
        ),
        row("a reference without an end", &step("{ note: \"${task.goal\" }")),
        row("an empty reference", &step("{ note: \"${}\" }")),
        row("a reference with an empty part", &step("{ note: \"${task..goal}\" }")),
        row("a reference with a space", &step("{ note: \"${task.my goal}\" }")),
        row("a reference with a bad index", &step("{ note: \"${task[one]}\" }")),
        row("a reference with an expression", &step("{ note: \"${task.n + 1}\" }")),
        row("spawn is a map", &step("{ spawn: { agent: b, goal: g } }")),
        row("spawn of nothing", &step("{ spawn: [] }")),
        row("a request without a goal", &step("{ spawn: [{ agent: b }] }")),
        row("a slip in a request", &step("{ spawn: [{ agent: b, gaol: g }] }")),
        row("timeout without a unit", &step("{ spawn: [{ agent: b, goal: g, timeout: 10 }] }")),
        row("timeout twice", &step("{ spawn: [{ agent: b, goal: g, timeout: 10s, timeout_ms: 1 }] }")),
        row("an option of the wrong kind", &step("{ spawn: [{ agent: b, goal: g, critical: maybe }] }")),
        row("an unknown budget", &step("{ spawn: [{ agent: b, goal: g, budget: { fule: 1 } }] }")),
        row("a bad quorum", &step("{ spawn: [{ agent: b, goal: g }], options: { return: { quorum: 0 } } }")),
        row(
            "an agent the script did not name",
            "agent: a\nspawn: [beta]\nturns: [{ do: [{ spawn: [{ agent: bta, goal: g }] }] }]",
        ),
        row("if without then", &step("{ if: { present: task } }")),
        row("else without if", &step("{ tool: read, else: [] }")),
        row("a condition is text", &step("{ if: \"task.flag\", then: [] }")),
        row("a condition with two keys", &step("{ if: { ok: task, present: task }, then: [] }")),
        row("an unknown condition", &step("{ if: { eqal: [1, 1] }, then: [] }")),
        row("a comparison of text", &step("{ if: { less: [\"${task.n}\", ten] }, then: [] }")),
        row("a comparison of three values", &step("{ if: { equal: [1, 2, 3] }, then: [] }")),
        row("a condition of nothing", &step("{ if: { all: [] }, then: [] }")),
        row("an error without a code", &step("{ if: { error: { of: task } }, then: [] }")),
        row(
            "an error of several outcomes",
            &with(
                "turns: [{ do: [{ spawn: [{ agent: b, goal: g }], as: c }, { if: { error: { of: c, is: x } }, then: [] }] }]",
            ),
        ),
        row("for_each over text", &step("{ for_each: abc, do: [{ tool: read }] }")),
        row("for_each without a body", &step("{ for_each: [1] }")),
        row("a loop with an empty body", &step("{ repeat: 2, do: [] }")),
        row("a loop with do and turns", &step("{ repeat: 2, do: [{ tool: read }], turns: [{}] }")),
        row(
            "a loop's item is taken",
            &with("turns: [{ do: [{ tool: read, as: item }, { for_each: [1], do: [{ tool: read }] }] }]"),
        ),
        row("nested loops with one name", &step("{ for_each: [1], do: [{ for_each: [2], do: [{ tool: read }] }] }")),
        row("an answer named like the item", &step("{ for_each: [1], do: [{ tool: read, as: item }] }")),
        row("item and index with one name", &step("{ for_each: [1], as: x, index: x, do: [{ tool: read }] }")),
        row("repeat without a bound", &step("{ repeat: forever, do: [{ tool: read }] }")),
        row("repeat zero times", &step("{ repeat: 0, do: [{ tool: read }] }")),
        row("repeat too often", &step("{ repeat: 10001, do: [{ tool: read }] }")),
        row("repeat a fraction of times", &step("{ repeat: 1.5, do: [{ tool: read }] }")),
        row("fail without a message", &step("{ fail: { code: c } }")),
        row("fail is text", &step("{ fail: broken }")),
        row("fail with an empty code", &step("{ fail: { code: \"\", message: m } }")),
        row("a step after return", &with("turns: [{ do: [{ return: 1 }, { tool: read }] }]")),
        row("a turn after return", &with("turns: [{ return: 1 }, { say: more }]")),
        row("return after fail in the steps", &with("turns: [{ do: [{ fail: { code: c, message: m } }], return: 1 }]")),
        row(
            "a step after branches that both end",
            &with(
                "turns: [{ do: [{ if: { present: task }, then: [{ return: 1 }], else: [{ return: 2 }] }, { tool: read }] }]",
            ),
        ),
        row(
            "a step after a loop that ends in its first round",
            &with("turns: [{ do: [{ repeat: 3, do: [{ return: 1 }] }, { tool: read }] }]"),
        ),
    ]
}

#[test]
fn a_script_that_cannot_be_right_is_told_where_what_was_expected_and_what_to_do() {
    let (mut told, mut lacking) = (String::new(), Vec::new());
    for (name, source) in rows() {
        let problems = sandfork_script::compile("s.yaml", source.as_bytes()).expect_err(name);
        writeln!(told, "## {name}\n").expect("a string takes all");
        for line in source.lines() {
            writeln!(told, "    {line}").expect("a string takes all");
        }
        for problem in problems {
            writeln!(told, "\n{problem}").expect("a string takes all");
            // Syntax errors come from the reader of the format and are its own.
            let is_syntax = ["bad YAML", "an anchor", "the same key twice", "the script is empty"].contains(&name);
            if !is_syntax && (problem.expected.is_none() || problem.hint.is_none()) {
                lacking.push(problem.to_string());
            }
        }
        told.push('\n');
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
    insta::assert_snapshot!(told);
}

#[test]
fn the_table_has_at_least_sixty_rows_with_names_of_their_own() {
    let names: std::collections::BTreeSet<_> = rows().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), rows().len());
    assert!(names.len() >= 60);
}

// HOSTILE 35
#[test]
fn hostile_sources_are_refused_with_a_place_in_bounded_memory() {
    let deep = format!("agent: a\nturns: {}{}", "[".repeat(100_000), "]".repeat(100_000));
    let big = format!("agent: a\nturns: []\ndescription: \"{}\"", "x".repeat(2 << 20));
    let bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nagent: a\nturns: []";
    let many = format!("agent: a\nturns: [{}]", "{},".repeat(60_000));
    let bad_utf8 = b"agent: \xff\nturns: []".to_vec();
    for source in [deep.into_bytes(), big.into_bytes(), bomb.into(), many.into_bytes(), bad_utf8, vec![0; 100], vec![]]
    {
        let problems = sandfork_script::compile("s.yaml", &source).expect_err("it is refused");
        assert!(!problems.is_empty() && problems.len() <= 20);
        assert!(problems.iter().all(|problem| problem.place.line >= 1 && problem.to_string().len() < 1000));
    }
}

// HOSTILE 35
#[test]
fn no_more_than_twenty_problems_are_told() {
    let steps = "{ tol: x }, ".repeat(500);
    let problems = sandfork_script::compile("s.yaml", with(&format!("turns: [{{ do: [{steps}] }}]")).as_bytes());
    assert_eq!(problems.expect_err("it is refused").len(), 20);
}

#[test]
fn too_many_names_are_refused() {
    let steps: Vec<_> = (0..300).map(|n| format!("{{ tool: read, as: n{n} }}")).collect();
    let source = with(&format!("turns: [{{ do: [{}] }}]", steps.join(", ")));
    let problems = sandfork_script::compile("s.yaml", source.as_bytes()).expect_err("it is refused");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("too many names"), "{}", problems[0]);
}

#[test]
fn names_that_are_set_on_every_way_may_be_used() {
    for turns in [
        "turns: [{ do: [{ if: { present: task }, then: [{ tool: read, as: x }], else: [{ tool: read, as: x }] }], return: \"${x}\" }]",
        "turns: [{ do: [{ if: { present: task }, then: [{ tool: read, as: x }], else: [{ return: 1 }] }], return: \"${x}\" }]",
        "turns: [{ do: [{ repeat: 2, until: { ok: x }, do: [{ tool: read, as: x }] }], return: \"${x}\" }]",
        "turns: [{ do: [{ for_each: [1], do: [{ tool: read, as: x }, { note: \"${x}\" }] }] }]",
        "turns: [{ do: [{ for_each: [1], do: [{ tool: read }] }, { for_each: [1], do: [{ tool: read }] }] }]",
        "turns: [{ do: [{ for_each: [1], as: x, do: [{ tool: read }] }, { tool: read, as: x }], return: \"${x}\" }]",
        "turns: [{ do: [{ tool: model }, { tool: sleep }, { tool: budget }, { tool: fork_subagents }] }]",
    ] {
        let compiled = sandfork_script::compile("s.yaml", with(turns).as_bytes());
        assert!(compiled.is_ok(), "{turns}: {:?}", compiled.err());
    }
}
