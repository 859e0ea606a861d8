//! Cases: what is read, what is refused, and what a rewritten file looks like.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what it did not expect"
)]

use sandfork_project::{Case, Expect, Got, Language, Manifest, PlanParts, Project, case_files, read_cases, rewrite};
use serde_json::json;
use std::path::Path;

fn cases(text: &str) -> Result<Vec<Case>, String> {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("first.yaml");
    std::fs::write(&path, text).expect("written");
    read_cases(&path).map_err(|problems| {
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        told.join("\n").replace(&home.path().display().to_string(), "")
    })
}

fn one(text: &str) -> Case {
    cases(text).unwrap_or_else(|told| panic!("{told}")).remove(0)
}

fn project() -> Project {
    let manifest = Manifest {
        name: "reader.v1".into(),
        tools: vec!["read_file".into(), "search".into()],
        spawn: vec!["worker".into(), "self".into(), "other".into()],
        ..Manifest::default()
    };
    Project { dir: "reader".into(), language: Language::Js, manifest, takes_any_tool: false, takes_any_agent: false }
}

#[test]
fn a_file_is_one_case_or_several() {
    let single = one("task: { goal: go }\nexpect: { status: ok, notes: 2 }\n");
    assert_eq!((single.name.as_str(), single.expect.expect("written").notes), ("first", Some(2)));
    let several =
        cases("cases:\n  - { name: a, task: { goal: x } }\n  - task: { goal: y }\n    expect: {}\n").expect("cases");
    assert_eq!(several.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["a", "first 2"]);
    assert_eq!(several[0].expect, None);
    assert_eq!(several[1].expect.as_ref().map(|expect| expect.status.as_str()), Some("ok"));
}

#[test]
fn what_cannot_be_right_is_told_with_its_place_and_a_hint() {
    for (text, told) in [
        ("task: { gaol: x }\nexpect: {}\n", "first.yaml:1:9: unknown key `gaol` in `task`"),
        ("expect: {}\n", "the key `task` is missing"),
        ("task: { goal: x }\nexpcet: {}\n", "did you mean `expect`?"),
        ("task: { goal: x }\nexpect: { status: okay }\n", "first.yaml:2:19: `okay` is no status"),
        ("task: { goal: x }\nexpect: { status: ok, error: { code: x } }\n", "contradicts itself"),
        ("task: { goal: x }\nexpect: { status: failed, output: 1 }\n", "contradicts itself"),
        ("task: { goal: x }\nexpect: { notes: many }\n", "a whole number"),
        ("task: { goal: x }\nexpect: { status: failed, error: { detials: {} } }\n", "did you mean `details`?"),
        ("task: { goal: x }\ntools: [a]\n", "a map of names"),
        ("task: { goal: x }\nreplies: [a]\n", "`replies` is a list"),
        ("cases: []\n", "at least one case"),
        ("cases: []\ntask: {}\n", "unknown key `task`"),
        ("", "the file is empty"),
    ] {
        let found = cases(text).expect_err(text);
        assert!(found.contains(told), "{text:?}: {found}");
    }
}

#[test]
fn a_case_becomes_a_plan_that_grants_what_the_manifest_says_and_nothing_more() {
    let case = one("task: { goal: go, context: { a: 1 }, shared: { s: 1 }, timeout: 2s }\n\
         tools:\n  read_file: { script: [{ result: {} }] }\n  extra: { script: [{ result: 1 }] }\n\
         agents:\n  worker: { turns: [] }\n");
    let child = sandfork_project::Child { name: "worker", component: Path::new("/w.wasm"), delegate: &[], spawn: &[] };
    let parts = PlanParts {
        component: Path::new("/r.wasm"),
        children: &[child],
        replies: None,
        built_in: &["read_file", "model"],
    };
    let plan = case.plan(&project(), &parts).to_json();
    assert_eq!(plan["run"], "reader-v1", "a run's name has no dots");
    assert_eq!(plan["agents"]["reader.v1"]["component"], "/r.wasm");
    assert_eq!(plan["agents"]["reader.v1"]["tools"], json!(["read_file", "search"]));
    assert_eq!(plan["agents"]["reader.v1"]["spawn"], json!(["worker", "self"]), "`other` is not in the case");
    assert_eq!(plan["agents"]["worker"]["component"], "/w.wasm");
    assert_eq!(plan["root"], json!({ "agent": "reader.v1", "goal": "go", "context": { "a": 1 }, "timeout": "2s" }));
    assert_eq!(plan["shared"], json!({ "s": 1 }));
    assert_eq!(plan["tools"]["extra"]["script"][0]["result"], 1);
    assert_eq!(plan["tools"]["search"]["script"][0]["error"]["code"], "no_answer");
    assert!(plan["tools"].get("read_file").is_none(), "a built-in tool is stood in for, not defined");
    assert_eq!(case.stand_ins(parts.built_in).len(), 1);
    let scripts: Vec<_> = case.scripts().map(|(name, node)| (name.to_owned(), node.to_json())).collect();
    assert_eq!(scripts, [("worker".to_owned(), json!({ "agent": "worker", "turns": [] }))]);
}

#[test]
fn an_agent_that_names_no_tools_is_given_those_that_the_case_answers() {
    let case = one("task: { goal: go }\ntools:\n  read_file: { script: [{ result: {} }] }\n\
         agents:\n  worker: { turns: [] }\n");
    let child = sandfork_project::Child { name: "worker", component: Path::new("/w.wasm"), delegate: &[], spawn: &[] };
    let parts =
        PlanParts { component: Path::new("/r.wasm"), children: &[child], replies: None, built_in: &["read_file"] };
    let manifest = Manifest { name: "loop".into(), ..Manifest::default() };
    let closed = Project { manifest, ..project() };
    let open = Project { takes_any_tool: true, takes_any_agent: true, ..closed.clone() };
    for (project, tools, spawn) in [(&open, json!(["read_file"]), json!(["worker"])), (&closed, json!([]), json!([]))] {
        let plan = case.plan(project, &parts).to_json();
        assert_eq!((&plan["agents"]["loop"]["tools"], &plan["agents"]["loop"]["spawn"]), (&tools, &spawn));
    }
    assert!(case.unasked(&open).is_empty());
    let told = case.unasked(&closed).iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("first.yaml:3:3") && told.contains("`read_file`"), "{told}");
}

#[test]
fn an_answer_of_a_misspelt_tool_is_told_with_the_tool_that_was_meant() {
    let case = one("task: { goal: go }\ntools:\n  serch: { script: [{ result: {} }] }\n");
    let told = case.unasked(&project()).iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("`serch`") && told.contains("did you mean `search`?"), "{told}");
}

#[test]
fn cases_are_taken_in_the_order_of_their_names_and_other_files_are_not_cases() {
    let home = tempfile::tempdir().expect("a directory");
    let project = Project { dir: home.path().into(), ..project() };
    assert!(case_files(&project).expect_err("no cases")[0].message.contains("no such file"));
    std::fs::create_dir(home.path().join("cases")).expect("made");
    assert!(case_files(&project).expect_err("no cases")[0].message.contains("no case"));
    for name in ["b.yaml", "a.yml", "c.json", "notes.txt"] {
        std::fs::write(home.path().join("cases").join(name), "").expect("written");
    }
    let names: Vec<_> =
        case_files(&project).expect("cases").iter().map(|p| p.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["a.yml", "b.yaml", "c.json"]);
}

fn accepted() -> Expect {
    let got = Got {
        status: "ok".into(),
        output: Some(json!({ "reply": "hello: you", "list": [1, { "x": true }] })),
        notes: 3,
        tool_calls: 4,
        ..Got::default()
    };
    Expect::updated(None, &got)
}

/// What `text` becomes when its `index`-th case is accepted as it is.
fn updated(text: &str, index: usize) -> String {
    let all = cases(text).unwrap_or_else(|told| panic!("{told}"));
    rewrite(text, &all[index], &accepted()).unwrap_or_else(|problem| panic!("{problem}\n{text}"))
}

const BLOCK: &str =
    "expect:\n  status: ok\n  output:\n    reply: \"hello: you\"\n    list:\n      - 1\n      - x: true\n";

#[test]
fn only_the_block_is_rewritten_and_comments_around_it_stay() {
    let before = "# why this case is here\ntask: { goal: go } # the task\n";
    for block in
        ["expect: { status: failed }\n", "expect:\n  status: ok # old\n\n  # inside\n  output: |\n    a\n    # b\n"]
    {
        let after = "\n# what the tools say\ntools:\n  t: { script: [{ result: 1 }] }\n# the end\n";
        let text = format!("{before}{block}{after}");
        assert_eq!(updated(&text, 0), format!("{before}{BLOCK}{after}"), "{text}");
    }
    assert_eq!(
        updated("task: { goal: go }\nexpect: {}", 0),
        format!("task: {{ goal: go }}\n{BLOCK}"),
        "no last line feed"
    );
    assert_eq!(
        updated("expect: {}\ntask: { goal: go }\n", 0),
        format!("{BLOCK}task: {{ goal: go }}\n"),
        "first of all"
    );
}

#[test]
fn a_case_without_a_block_gets_one_at_its_end() {
    let text = "task:\n  goal: go\n  context:\n    text: |\n      a\n      b\n# the end\n";
    let made = updated(text, 0);
    assert_eq!(made, format!("task:\n  goal: go\n  context:\n    text: |\n      a\n      b\n{BLOCK}# the end\n"));
}

#[test]
fn one_case_of_several_is_rewritten_and_its_neighbours_are_not_touched() {
    let text = "cases:\n  - expect: { status: ok }   # first\n    task: { goal: a }\n  # between\n  - task: { goal: b }\n    expect:\n      \
                status: ok\n  - task: { goal: c }\n";
    let indented: String = BLOCK.lines().map(|line| format!("    {line}\n")).collect();
    let made = updated(text, 1);
    assert!(made.contains(&format!("  - task: {{ goal: b }}\n{indented}  - task: {{ goal: c }}\n")), "{made}");
    assert!(made.contains("expect: { status: ok }   # first\n"), "{made}");
    let made = updated(text, 0);
    assert!(made.starts_with("cases:\n  - expect:\n      status: ok\n"), "{made}");
    assert!(made.contains("  # between\n"), "{made}");
    let made = updated(text, 2);
    assert!(made.ends_with(&format!("  - task: {{ goal: c }}\n{indented}")), "{made}");
}

#[test]
fn a_block_that_cannot_be_replaced_alone_is_refused_and_says_how_to_write_it() {
    let text = "cases:\n  - { task: { goal: a }, expect: { status: ok } }\n";
    let problem = rewrite(text, &one(text), &accepted()).expect_err("inside braces");
    assert!(problem.to_string().contains("on a line of its own"), "{problem}");
}

#[test]
fn a_json_file_keeps_its_keys_in_order() {
    let text = "{\"name\": \"n\", \"task\": {\"goal\": \"g\", \"context\": {\"z\": 1.50, \"a\": 2}}, \"expect\": {}}";
    let made = updated(text, 0);
    let keys = ["\"name\"", "\"task\"", "\"z\": 1.50", "\"a\"", "\"expect\"", "\"status\": \"ok\""];
    let places: Vec<_> = keys.iter().map(|key| made.find(key).unwrap_or_else(|| panic!("{key} in {made}"))).collect();
    assert!(places.is_sorted(), "{made}");
}

#[test]
fn an_update_speaks_of_what_the_block_spoke_of() {
    let error =
        json!({ "code": "subagent_failed", "message": "m", "details": { "cause": "panic", "location": "a:1" } });
    let got = Got { status: "failed".into(), error: Some(error), notes: 2, tool_calls: 5, output: None };
    let fresh = Expect::updated(None, &got).to_json();
    let wanted = json!({ "status": "failed", "error": { "code": "subagent_failed", "details": { "cause": "panic" } } });
    assert_eq!(fresh, wanted);
    let before = Expect {
        error: json!({ "code": "x", "message": "y", "details": { "location": 1 } }).as_object().cloned(),
        notes: Some(0),
        ..Expect::default()
    };
    let wanted = json!({
        "status": "failed",
        "error": { "code": "subagent_failed", "message": "m", "details": { "location": "a:1" } },
        "notes": 2,
    });
    assert_eq!(Expect::updated(Some(&before), &got).to_json(), wanted);
}
