//! Wrong plans, each with its place, message and hint. HOSTILE 35.

use crate::desk::{Desk, ROOT, TASKS, shown};
use sandfork_plan::{Overrides, load};
use sandfork_source::{MAX_PROBLEMS, Place};

/// What replaces what in the small plan, where the problem is, what it says, and what is expected or hinted.
type Row = (&'static str, &'static str, (u32, u32), &'static str, &'static str);

const ROWS: &[Row] = &[
    ("run: demo\n", "", (1, 1), "the key `run` is missing", ""),
    ("run: demo", "run: a/b", (1, 6), "`a/b` cannot name a run", "letters, digits"),
    ("run: demo", "run: \"\"", (1, 6), "cannot name a run", "1 to 64"),
    ("run: demo", "run: 12", (1, 6), "`run` is a number", "quotes"),
    ("run: demo", "rum: demo", (1, 1), "unknown key `rum`", "did you mean `run`?"),
    ("run: demo", "run: demo\nlimit: {}", (2, 1), "unknown key `limit`", "did you mean `limits`?"),
    ("run: demo", "run: demo\nvirtual: yes", (2, 10), "`virtual` is text", "yes, no, on and off are text"),
    ("run: demo", "run: demo\nrules: Never.", (2, 8), "`rules` is text", "a list"),
    ("run: demo", "run: demo\nshared: [1]", (2, 9), "`shared` is a list", "a map"),
    (
        "run: demo",
        "run: demo\nworkspace: nowhere",
        (2, 12),
        "names `nowhere`, which cannot be read",
        "plan's directory",
    ),
    ("run: demo", "run: demo\nworkspace: a.yaml", (2, 12), "which is no directory", "plan's directory"),
    ("  lead: { script: a.yaml }", "  []", (3, 3), "`agents` is a list", "a map of agents"),
    ("lead: { script: a.yaml }", "lead: a.yaml", (3, 9), "`agents.lead` is text", "a map"),
    ("lead: { script: a.yaml }", "lead: { role: x }", (3, 9), "neither a script nor a component", "script, component"),
    ("script: a.yaml", "turns: []", (3, 9), "has its script in place", "a file of its own"),
    ("script: a.yaml", "script: a.yaml, component: b.wasm", (3, 38), "both a script and a component", ""),
    ("script: a.yaml", "script: c.yaml", (3, 19), "names `c.yaml`, which cannot be read: no such file", "directory"),
    ("script: a.yaml", "script: workspace", (3, 19), "which is not a file", ""),
    ("script: a.yaml", "script: ''", (3, 19), "`agents.lead.script` is empty", "a path"),
    ("script: a.yaml", "script: plan.yaml", (3, 19), "names the plan itself", ""),
    ("script: a.yaml", "script: workspace/../plan.yaml", (3, 19), "names the plan itself", ""),
    ("script: a.yaml", "scirpt: a.yaml", (3, 11), "unknown key `scirpt` in `agents.lead`", "did you mean `script`?"),
    ("lead: {", "\"le ad\": {", (3, 3), "`le ad` cannot name an agent", "letters, digits"),
    ("lead: {", "self: {", (3, 3), "`self` cannot name an agent", "the agent itself"),
    ("script: a.yaml", "script: a.yaml, tools: [raed_file]", (3, 35), "unknown tool `raed_file`", "`read_file`"),
    ("script: a.yaml", "script: a.yaml, delegate: [shell]", (3, 38), "unknown tool `shell`", "one of read_file"),
    ("script: a.yaml", "script: a.yaml, tools: read_file", (3, 34), "`agents.lead.tools` is text", "a list"),
    ("script: a.yaml", "script: a.yaml, spawn: [laed]", (3, 35), "unknown agent `laed`", "did you mean `lead`?"),
    ("script: a.yaml", "script: a.yaml, spawn: [1]", (3, 35), "`agents.lead.spawn[0]` is a number", "text"),
    ("script: a.yaml", "script: a.yaml, wasi: denied", (3, 27), "does not fit a script", "never imports WASI"),
    ("script: a.yaml", "component: b.wasm, wasi: true", (3, 36), "`agents.lead.wasi` is true or false", "denied"),
    (
        "script: a.yaml",
        "script: a.yaml, output_schema: [1]",
        (3, 42),
        "`agents.lead.output_schema` is a list",
        "Schema",
    ),
    ("script: a.yaml", "script: a.yaml, output_schema: { type: arry }", (3, 42), "is no JSON Schema", ""),
    ("script: a.yaml", "script: a.yaml, output_schema: no.json", (3, 42), "which cannot be read", ""),
    ("script: a.yaml", "script: a.yaml, timeout: 10", (3, 36), "`agents.lead.timeout` is `10`", "as in 10s"),
    ("script: a.yaml", "script: a.yaml, timeout: 25h", (3, 36), "longer than the host allows", "unlimited"),
    ("script: a.yaml", "script: a.yaml, budget: { feul: 1 }", (3, 37), "unknown key `feul`", "did you mean `fuel`?"),
    ("script: a.yaml", "script: a.yaml, budget: { steps: 1, turns: 2 }", (3, 47), "a second name", "keep one"),
    ("script: a.yaml", "script: a.yaml, budget: { fuel: 1_000 }", (3, 43), "is `1_000`", "without underscores"),
    ("script: a.yaml", "script: a.yaml, budget: { fuel: 1e3 }", (3, 43), "is `1e3`", "a whole number"),
    ("script: a.yaml", "script: a.yaml, budget: { fuel: }", (3, 41), "is nothing", "leave the key out"),
    ("script: a.yaml", "script: a.yaml, budget: { memory: 64mb }", (3, 45), "is `64mb`", "as in 64MiB"),
    ("agent: lead, ", "", (4, 7), "the key `agent` is missing in `root`", ""),
    (", goal: \"Lead.\"", "", (4, 7), "the key `goal` is missing in `root`", ""),
    ("goal: \"Lead.\"", "goal: a, context: x", (4, 40), "`root.context` is text", "a map"),
    ("goal: \"Lead.\"", "goal: a, on_failure: ignore", (4, 43), "is `ignore`", "propagate or skip"),
    ("goal: \"Lead.\"", "goal: a, critical: 1", (4, 41), "`root.critical` is a number", "true or false"),
    ("goal: \"Lead.\"", "goal: a, tools: [], allowed_tools: []", (4, 42), "says the same as `tools`", "keep one"),
    ("goal: \"Lead.\"", "goal: a, timeout: 1s, deadline_ms: 5", (4, 44), "says the same as `timeout`", "keep one"),
    ("goal: \"Lead.\"", "goal: a, deadline_ms: 1.5", (4, 44), "is `1.5`", "milliseconds"),
    ("goal: \"Lead.\"", "goal: a, tools: [edit_fiel]", (4, 39), "unknown tool `edit_fiel`", "`edit_file`"),
    ("root: {", "goal: other\nroot: {", (5, 28), "two goals", "remove the other one"),
    ("root: { agent: lead, goal: \"Lead.\" }", "goal: x", (1, 1), "neither `root` nor `tasks`", "one of root, tasks"),
    ("root: {", "tasks: []\nroot: {", (4, 1), "both `root` and `tasks`", "a fixed list"),
    ("root: { agent: lead, goal: \"Lead.\" }", "goal: x\ntasks: []", (5, 8), "`tasks` is empty", "at least one"),
    ("root: { agent: lead, goal: \"Lead.\" }", "goal: x\ntasks: {}", (5, 8), "`tasks` is a map", "a list"),
    ("root: {", "limits: { max_concurrency: 0 }\nroot: {", (4, 28), "is `0`", "nothing could ever run"),
    ("root: {", "limits: { deadline: 0s }\nroot: {", (4, 21), "is `0s`", "nothing could ever run"),
    ("root: {", "limits: { max_depth: -1 }\nroot: {", (4, 22), "is `-1`", "write unlimited"),
    ("root: {", "limits: { max_tasks: none }\nroot: {", (4, 22), "is `none`", "write unlimited"),
    ("root: {", "limits: { max_tasks: 9007199254740992 }\nroot: {", (4, 22), "the host's ceiling", "write unlimited"),
    ("root: {", "limits: { similar: 2 }\nroot: {", (4, 20), "is `2`", "from 0 to 1"),
    (
        "root: {",
        "limits: { tools: { raed_file: { per_fork: 1 } } }\nroot: {",
        (4, 20),
        "unknown tool `raed_file` in `limits.tools`",
        "`read_file`",
    ),
    (
        "root: {",
        "limits: { deny_at_depth: { 1: [raed_file] } }\nroot: {",
        (4, 32),
        "unknown tool `raed_file` in `limits.deny_at_depth.1`",
        "`read_file`",
    ),
    ("root: {", "limits: { ancestors: no }\nroot: {", (4, 22), "is `no`", "allow or refuse"),
    ("root: {", "limits: { budget: { memory: 1 } }\nroot: {", (4, 21), "unknown key `memory` in `limits.budget`", ""),
    ("root: {", "tools: [read_file]\nroot: {", (4, 8), "`tools` is a list", "built-in tools need no entry"),
    ("root: {", "tools: { model: { script: [{result: 1}] } }\nroot: {", (4, 10), "is a built-in tool", "another name"),
    ("root: {", "tools: { t: { script: [] } }\nroot: {", (4, 13), "`tools.t.script` is empty", "at least one rule"),
    ("root: {", "tools: { t: {} }\nroot: {", (4, 13), "the key `script` is missing in `tools.t`", ""),
    ("root: {", "tools: { t: { script: [{}] } }\nroot: {", (4, 24), "needs exactly one answer", "never: true"),
    ("root: {", "tools: { t: { script: [{result: 1, never: true}] } }\nroot: {", (4, 24), "exactly one answer", ""),
    ("root: {", "tools: { t: { script: [{error: {}}] } }\nroot: {", (4, 32), "the key `code` is missing", ""),
    ("root: {", "tools: { t: { script: [{match: 1, result: 1}] } }\nroot: {", (4, 32), "is a number", "a map"),
    (
        "root: {",
        "tools: { t: { script: [{delay: unlimited, never: true}] } }\nroot: {",
        (4, 32),
        "is `unlimited`",
        "80ms",
    ),
    (
        "lead: { script: a.yaml }",
        "lead: { script: a.yaml }\n  lead: { script: a.yaml }",
        (4, 3),
        "written twice",
        "line 3",
    ),
    ("script: a.yaml", "script: &x a.yaml", (3, 19), "anchors (`&name`) are not read", "write the value out"),
];

#[test]
fn a_wrong_plan_is_refused_with_place_message_and_hint() {
    let desk = Desk::new();
    let mut wrong = Vec::new();
    for (from, to, (line, column), message, help) in ROWS {
        let text = ROOT.replacen(from, to, 1);
        assert_ne!(text, ROOT, "{to}");
        let Err(problems) = desk.load(&text, &Overrides::default()) else {
            wrong.push(format!("accepted: {to}"));
            continue;
        };
        let first = problems.iter().find(|problem| problem.message.contains(message));
        let is_right = first.is_some_and(|problem| {
            problem.place == Place { line: *line, column: *column }
                && (help.is_empty() || problem.expected.iter().chain(&problem.hint).any(|text| text.contains(help)))
        });
        if !is_right {
            wrong.push(format!("{to:?} should be {line}:{column} {message:?} {help:?}\n{}", shown(&problems)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_printed_problem_says_where_what_and_what_to_do() {
    let desk = Desk::new();
    let problems = desk.wrong(&ROOT.replace("script: a.yaml", "script: a.yaml, spawn: [laed]"));
    let plan = desk.path().join("plan.yaml").display().to_string();
    assert_eq!(
        shown(&problems),
        format!("{plan}:3:35: unknown agent `laed` in `agents.lead.spawn`\n  hint: did you mean `lead`?")
    );
}

// HOSTILE 35
#[test]
fn two_tasks_of_one_id_are_refused() {
    let desk = Desk::new();
    let problems = desk.wrong(&TASKS.replace("\"analyse\"", "\"research\""));
    assert_eq!(problems.len(), 1);
    assert_eq!(
        (problems[0].place, problems[0].message.as_str()),
        (Place { line: 6, column: 12 }, "two tasks have the id `research`")
    );
    assert!(problems[0].hint.as_deref().unwrap().contains("line 5"));
    for (id, message) in [("9", "cannot be a task id"), ("a/b", "cannot be a task id"), ("", "cannot be a task id")] {
        let problems = desk.wrong(&TASKS.replace("\"id\": \"analyse\"", &format!("\"id\": \"{id}\"")));
        assert!(problems[0].message.contains(message), "{id}");
    }
    let problems = desk.wrong(&TASKS.replace("\"goal\": \"Research and analyse.\",", ""));
    assert!(problems[0].message.contains("needs a `goal` of its own"));
    let problems = desk.wrong(&TASKS.replace("\"id\": \"analyse\", ", ""));
    assert_eq!(problems[0].message, "the key `id` is missing in `tasks[1]`");
}

#[test]
fn all_problems_of_a_plan_are_reported_at_once_in_order_and_bounded() {
    let desk = Desk::new();
    let text =
        "rum: x\nagents: {a: {script: gone.yaml, tools: [nope]}}\nroot: {agent: a, gaol: x}\nlimits: {max_depth: x}\n";
    let problems = desk.wrong(text);
    let lines: Vec<_> = problems.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [1, 1, 2, 2, 3, 3, 4], "{}", shown(&problems));

    let many: String = (0..5000).map(|n| format!("  a{n}: {{ script: gone, spawn: [x{n}] }}\n")).collect();
    let problems = desk.wrong(&format!("run: x\nagents:\n{many}root: {{ agent: a, goal: b }}\n"));
    assert_eq!(problems.len(), MAX_PROBLEMS);
}

// HOSTILE 35
#[test]
fn a_broken_schema_file_is_a_problem_of_that_file() {
    let desk = Desk::new();
    for (name, place, message) in [
        ("broken.json", Place { line: 2, column: 11 }, "found `object`"),
        ("list.json", Place { line: 1, column: 1 }, "a JSON Schema is a map, not a list"),
    ] {
        let problems = desk.wrong(&ROOT.replace("script: a.yaml", &format!("script: a.yaml, output_schema: {name}")));
        assert!(problems[0].file.ends_with(name) && problems[0].message.contains(message), "{}", shown(&problems));
        assert_eq!(problems[0].place, place);
    }
}

// HOSTILE 35
#[test]
fn hostile_files_are_refused_in_bounded_memory() {
    let desk = Desk::new();
    let none = Overrides::default();
    let large = desk.path().join("large.yaml");
    std::fs::File::create(&large).unwrap().set_len(200 << 20).unwrap();
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n";
    let missing = desk.path().join("missing.yaml");
    for (path, message) in [
        (large.clone(), "the file is too large"),
        (missing, "the plan cannot be read: no such file"),
        (desk.path().to_owned(), "the plan cannot be read"),
        (desk.write("deep.yaml", "[".repeat(100_000).as_bytes()), "nested too deeply"),
        (desk.write("bytes.yaml", b"run: \xc3\x28"), "not valid UTF-8"),
        (desk.write("bomb.yaml", bomb.as_bytes()), "anchors"),
        (desk.write("empty.yaml", b""), "the file is empty"),
        (desk.write("two.yaml", b"run: x\n---\nrun: y\n"), "a second document"),
        (desk.write("text.yaml", b"just text\n"), "the document is text"),
    ] {
        let problems = load(&path, &none).unwrap_err();
        assert!(problems[0].message.contains(message), "{}", shown(&problems));
        assert!(problems[0].file.ends_with(path.file_name().unwrap().to_str().unwrap()));
    }
    let problems = desk.wrong(&ROOT.replace("script: a.yaml", "script: a.yaml, output_schema: large.yaml"));
    assert!(problems[0].message.contains("the file is too large"));
}
