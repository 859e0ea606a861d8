//! Plans, scripts and components made to be too much: refused with a place, at once, and in little memory.

use crate::harness::Run;
use serde_json::Value;

const PLAN: &str = "run: t\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: g }\n";
const SCRIPT: &str = "agent: a\nturns:\n  - return: {}\n";

/// A file of this many bytes of nothing; it takes no room on disk.
fn sparse(run: &Run, path: &str, bytes: u64) {
    std::fs::File::create(run.path(path)).expect("made").set_len(bytes).expect("grown");
}

fn first_problem(run: Run) -> Value {
    let ran = run.arg("--json").go().expect_code(2);
    assert!(!ran.path("state/runs").exists(), "something ran");
    let error = ran.report()["error"].clone();
    error["details"]["problems"][0].clone()
}

// HOSTILE 35
#[test]
fn a_plan_or_script_of_200_mib_is_refused_by_its_size() {
    for large in ["plan.yaml", "a.yaml"] {
        let run = Run::plan(PLAN).file("a.yaml", SCRIPT);
        sparse(&run, large, 200 << 20);
        let problem = first_problem(run);
        assert_eq!(problem["file"], large, "{problem}");
        assert!(problem["message"].as_str().expect("text").contains("too large"), "{problem}");
    }
}

// HOSTILE 34: what is too large to be an agent fails its fork, and the run ends in order
#[test]
fn a_component_of_a_gigabyte_fails_its_fork_by_its_size() {
    let plan = "run: t\nagents:\n  a: { component: a.wasm }\nroot: { agent: a, goal: g }\n";
    let run = Run::plan(plan);
    sparse(&run, "a.wasm", 1 << 30);
    let ran = run.json().expect_code(1);
    let error = &ran.result("root")["error"];
    assert_eq!(error["details"]["cause"], "agent_invalid");
    assert!(error["message"].as_str().expect("text").contains("at most 67108864 are loaded"), "{error}");
}

// HOSTILE 35
#[test]
fn a_text_that_cannot_be_a_plan_is_refused_where_it_goes_wrong() {
    let deep = format!("run: t\ngoal: {}", "[".repeat(100_000));
    let mut expanding = "run: t\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let above = format!("*a{}", n - 1);
        expanding.push_str(&format!("a{n}: &a{n} [{}]\n", vec![above; 9].join(", ")));
    }
    let invalid = b"run: t\nagents: {}\ngoal: \"\xff\xfe\"\n".to_vec();
    let twice = "run: t\ngoal: g\nagents:\n  a: { script: a.yaml }\ntasks:\n  - { id: one, agent: a, goal: g }\n  - { id: one, agent: a, goal: g }\n";
    let unknown = "run: t\ngaol: g\nagents:\n  a: { script: a.yaml }\nroot: { agent: a, goal: g }\n";
    for (what, text, line) in [
        ("deep nesting", deep.into_bytes(), 2),
        ("anchors that expand", expanding.into_bytes(), 2),
        ("invalid UTF-8", invalid, 3),
        ("an id twice", twice.into(), 7),
        ("an unknown key", unknown.into(), 2),
        ("a NUL", b"run: t\ngoal: \0\n".to_vec(), 2),
    ] {
        for args in [["run", "plan.yaml"], ["check", "plan.yaml"]] {
            let run = Run::args(args).file("plan.yaml", &text).file("a.yaml", SCRIPT);
            let problem = first_problem(run);
            assert_eq!((&problem["file"], &problem["line"]), (&"plan.yaml".into(), &line.into()), "{what}: {problem}");
            assert!(problem["column"].as_u64().is_some_and(|column| column >= 1), "{what}: {problem}");
        }
    }
}

// HOSTILE 35: a file that names itself is read once, as what it is not
#[test]
fn a_plan_that_names_itself_as_a_script_is_refused_and_not_followed() {
    let plan = PLAN.replace("a.yaml", "plan.yaml");
    let problem = first_problem(Run::plan(&plan));
    assert_eq!(problem["file"], "plan.yaml");
}
