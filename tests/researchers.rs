//! One agent in three languages: the host cannot tell them apart but by what they burn. And what a language's runtime does to a
//! sandbox: nothing that the next fork, another agent or the host could notice.

use crate::harness::{Ran, Run, built, code_cache, fixture, repository, settled};
use sandfork::{Host, Overrides, RunOptions};
use serde_json::{Value, json};
use std::fmt::Write as _;

const LANGUAGES: [&str; 3] = ["rust", "js", "python"];

/// The component of `guest-agents/NAME` or `guest-agents/NAME-LANGUAGE`, as text of a plan.
fn component(name: &str, language: &str) -> Value {
    let name = if language == "rust" { name.to_owned() } else { format!("{name}-{language}") };
    json!(built(&name).display().to_string())
}

/// A plan of tasks that all go to one agent; each task is its id, its context and whatever else it says.
fn plan(entry: &str, more: &str, tasks: &[(String, Value, &str)]) -> Run {
    let mut plan = format!("run: languages\ngoal: g\nvirtual: true\nagents:\n  one: {{ {entry} }}\n{more}\ntasks:\n");
    for (id, context, rest) in tasks {
        let _ = writeln!(plan, "  - {{ id: {id}, agent: one, goal: \"Water\", context: {context}{rest} }}");
    }
    Run::plan(&plan).with_kept_code()
}

/// The tasks of a researcher: every way through it.
fn researches() -> Vec<(String, Value, &'static str)> {
    [
        ("file", json!({ "path": "rivers.md" })),
        ("search", json!({ "pattern": "supply" })),
        ("below", json!({ "pattern": "supply|city", "path": "rivers.md" })),
        ("nothing", json!({ "pattern": "gold" })),
        ("gone", json!({ "path": "gone.md" })),
        ("outside", json!({ "path": "../agent.yaml" })),
        ("wrong", json!({ "pattern": "(" })),
        ("empty", json!({})),
        ("no-text", json!({ "path": 7 })),
        ("wide", json!({ "path": "umlauts.md" })),
    ]
    .map(|(id, context)| (id.to_owned(), context, ""))
    .into()
}

fn researching(language: &str) -> Run {
    let entry = format!("component: {}, tools: [read_file, search_files]", component("researcher", language));
    let workspace = repository().join("guest-agents/researcher/workspace");
    let mut run = plan(&entry, "workspace: ws\nlimits: { max_tasks: 16, on_failure: skip }", &researches());
    for file in ["rivers.md", "census.md"] {
        run = run.file(&format!("ws/{file}"), std::fs::read(workspace.join(file)).expect("a file"));
    }
    run.file("ws/umlauts.md", "Zwölf Flüsse – \u{1F30A}.\r\n\r\n\u{a0}Ein \u{2028} Satz.\n\n\n\tEnde")
}

/// What fuel decides, and what follows from it: under virtual time fuel is time, and time is the order of siblings' events.
fn without_fuel(value: &Value) -> Value {
    const FOLLOW: [&str; 9] =
        ["fuel", "fuel_used", "peak_memory_bytes", "elapsed_ms", "queued_ms", "ts", "seq", "parent_event_id", "limits"];
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !FOLLOW.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_fuel(value))).collect())
        }
        Value::Array(all) => all.iter().map(without_fuel).collect(),
        other => other.clone(),
    }
}

/// The events of one task in its own order.
fn of_task(ran: &Ran, id: &str) -> Vec<Value> {
    ran.events().iter().filter(|event| event["task_id"] == id).map(without_fuel).collect()
}

#[test]
fn a_researcher_in_three_languages_has_one_outcome_and_one_course_but_for_its_fuel() {
    let [rust, others @ ..] = LANGUAGES.map(|language| settled(|| researching(language), 3));
    let wanted = ["file", "search", "below", "nothing", "wide"];
    for (id, ..) in researches() {
        let result = rust.result(&id);
        assert_eq!(result["ok"], wanted.contains(&id.as_str()), "{result}");
        for (other, language) in others.iter().zip(["js", "python"]) {
            assert_eq!(without_fuel(&other.result(&id)), without_fuel(&result), "{language}: {id}");
            assert_eq!(of_task(other, &id), of_task(&rust, &id), "{language}: {id}");
            assert_ne!(other.result(&id)["fuel_used"], result["fuel_used"], "{language}: {id}");
        }
    }
    for other in others {
        assert_eq!(other.report()["status"], rust.report()["status"]);
        assert_eq!(without_fuel(&other.report()["merged"]), without_fuel(&rust.report()["merged"]));
    }
}

// M4-35, HOSTILE 38: a hundred runs of each agent, twice, on one worker and on two
#[test]
fn a_hundred_forks_of_each_language_are_the_same_bytes_twice() {
    let tasks: Vec<_> = (0..100).map(|n| (format!("t{n:02}"), json!({ "pattern": "supply" }), "")).collect();
    for language in LANGUAGES {
        let entry = format!("component: {}, tools: [read_file, search_files]", component("researcher", language));
        let make = || {
            plan(&entry, "workspace: ws\nlimits: { max_tasks: 100 }", &tasks)
                .file("ws/rivers.md", "Two rivers.\n\nThe supply is safe.\n")
        };
        let ran = settled(make, 0);
        let report = ran.report();
        let results = report["results"].as_array().expect("results");
        let same = |key: &str| results.iter().all(|result| result[key] == results[0][key]);
        assert!(results.len() == 100 && same("output") && same("fuel_used") && same("peak_memory_bytes"), "{language}");
        let again = make().with(["--virtual-time", "--workers", "2"]).json().expect_code(0);
        let log = |ran: &Ran| std::fs::read_to_string(ran.path("events.jsonl")).expect("events");
        assert_eq!((&again.stdout, log(&again)), (&ran.stdout, log(&ran)), "{language}");
    }
}

// HOSTILE 22
#[test]
fn what_a_language_keeps_in_globals_is_new_in_every_fork() {
    let tasks: Vec<_> = (0..40).map(|n| (format!("t{n}"), json!({ "do": "count" }), "")).collect();
    for language in LANGUAGES {
        let entry = format!("component: {}", component("exam", language));
        let ran = settled(|| plan(&entry, "limits: { max_tasks: 40 }", &tasks), 0);
        for result in ran.report()["results"].as_array().expect("results") {
            assert_eq!(result["output"], json!({ "count": 1, "kept": 1 }), "{language}");
        }
    }
}

const SECRET: &str = "kept-by-one-7f3a";
const ROUNDS: usize = 3;

// HOSTILE 23: one sandbox in the pool, so that every fork of the round has the one before's memory
#[test]
fn what_a_language_left_in_memory_is_found_by_nobody_who_gets_the_same_sandbox() {
    let home = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    // It looks at linear memory itself; a larger table makes it a guest of the same pool as the languages'.
    let mut seeker = std::fs::read_to_string(fixture("guests/secret_seeker.wat")).expect("a guest");
    for (from, to) in [
        ("(i32.const 0x10008)", "(i32.const 0x18000)"),
        ("(table $t 8 8 funcref)", "(table $t 8 8 funcref) (table $u 65 65 funcref)"),
    ] {
        assert!(seeker.contains(from), "the seeker has no `{from}`");
        seeker = seeker.replace(from, to);
    }
    std::fs::write(home.path().join("raw.wasm"), wat::parse_str(seeker).expect("assembles")).expect("written");
    std::fs::create_dir(home.path().join("state")).expect("made");
    std::os::unix::fs::symlink(code_cache(), home.path().join("state/cache")).expect("linked");
    let backwards: String = SECRET.chars().rev().collect();
    for language in LANGUAGES {
        let mut plan = format!(
            "run: seek-{language}\ngoal: g\nlimits: {{ max_tasks: 16 }}\nagents:\n  one: {{ component: {} }}\n  raw: {{ \
             component: raw.wasm }}\ntasks:\n",
            component("exam", language)
        );
        let mut before = String::new();
        for round in 0..ROUNDS {
            let deeds = [
                ("keep", "one", json!({ "do": "keep", "text": SECRET })),
                ("seek", "one", json!({ "do": "seek", "text": backwards })),
                ("kept", "one", json!({ "do": "keep", "text": SECRET })),
                ("raw", "raw", json!({})),
            ];
            for (deed, agent, context) in deeds {
                let needs = if before.is_empty() { String::new() } else { format!(", needs: [{before}]") };
                before = format!("{deed}{round}");
                let _ = writeln!(plan, "  - {{ id: {before}, agent: {agent}, goal: g, context: {context}{needs} }}");
            }
        }
        let path = home.path().join("plan.yaml");
        std::fs::write(&path, plan).expect("written");
        let finished = runtime.block_on(async {
            let host = Host::builder().live_forks(1).state_dir(home.path().join("state")).build().expect("a host");
            let plan = host.load(&path, &Overrides::default()).await.expect("a plan");
            host.run(&plan, RunOptions::in_virtual_time()).await.expect("a run")
        });
        let results = finished.report["results"].as_array().expect("results").clone();
        assert_eq!(results.len(), 4 * ROUNDS);
        for result in results {
            let id = result["task_id"].as_str().expect("an id");
            let wanted = match &id[..id.len() - 1] {
                "seek" => json!({ "found": false }),
                "raw" => json!(0),
                _ => json!({ "kept": true }),
            };
            assert_eq!(result["output"], wanted, "{language}: {result:#}");
        }
    }
}

// HOSTILE 24: the components that the toolchains made, had they been made for an interface of next year, or for WASI
#[test]
fn an_agent_that_wants_a_newer_interface_or_another_is_refused_and_told_what_is_offered() {
    const OURS: &str = "sandfork:agent/orchestrator@0.1.0";
    // As long as ours, so that it fits in its place; what is told of it.
    const WANTED: [(&str, &str); 2] = [
        ("sandfork:agent/orchestrator@0.2.0", "version 0.2.0"),
        ("wasi:cli/environment-nobody@0.2.0", "wasi:cli/environment-nobody@0.2.0"),
    ];
    for language in LANGUAGES {
        let path = component("researcher", language);
        let bytes = std::fs::read(path.as_str().expect("a path")).expect("a component");
        let places: Vec<usize> = bytes
            .windows(OURS.len())
            .enumerate()
            .filter(|(_, part)| *part == OURS.as_bytes())
            .map(|(at, _)| at)
            .collect();
        assert!(!places.is_empty(), "{language}");
        for (wanted, told) in WANTED {
            let mut other = bytes.clone();
            for at in &places {
                other[*at..*at + OURS.len()].copy_from_slice(wanted.as_bytes());
            }
            let entry = "component: other.wasm, tools: [read_file, search_files]";
            let make = || plan(entry, "", &[("other".to_owned(), json!({}), "")]).file("other.wasm", &other);
            let error = settled(make, 1).result("other")["error"].clone();
            let message = error["message"].as_str().expect("text");
            assert!(message.contains(told) && message.contains(OURS), "{language}: {message}");
            assert_eq!(error["details"]["cause"], "agent_invalid", "{language}");
        }
    }
}

/// How one deed must end: status, code or dimension, and what tells where it went wrong.
fn ends(language: &str, deed: &str) -> Value {
    let returned = |code: &str, kind: &str| json!(["failed", "returned", code, kind]);
    match (deed, language) {
        ("grow", _) => json!(["out_of_budget", "memory", null, null]),
        ("spin", _) => json!(["out_of_fuel", "fuel", null, null]),
        ("fail", _) => json!(["failed", "returned", "asked_to_fail", null]),
        ("empty", _) => json!(["blocked", null, null, null]),
        ("throw", "rust") => json!(["failed", "panic", null, null]),
        ("throw", "js") => returned("exception", "TypeError"),
        ("throw", _) => returned("exception", "KeyError"),
        ("recurse", "python") => returned("exception", "RecursionError"),
        ("recurse", _) => json!(["failed", "trap", null, null]),
        _ => json!(["ok", null, null, null]),
    }
}

// HOSTILE 10, 13, 14, 28: between quiet siblings, which notice nothing
#[test]
fn every_end_of_an_agent_is_told_alike_in_every_language() {
    const DEEDS: [&str; 8] = ["count", "grow", "spin", "recurse", "fail", "throw", "empty", "count"];
    let tasks: Vec<_> = DEEDS
        .iter()
        .enumerate()
        .map(|(n, deed)| match *deed {
            "empty" => (format!("t{n}"), json!({}), ""),
            deed => (format!("t{n}"), json!({ "do": deed }), ""),
        })
        .collect();
    for language in LANGUAGES {
        let entry = format!("component: {}", component("exam", language));
        let ran = settled(|| plan(&entry, "limits: { on_failure: skip }", &tasks), 3);
        for (n, deed) in DEEDS.iter().enumerate() {
            let result = ran.result(&format!("t{n}"));
            let details = &result["error"]["details"];
            let cause = [&details["cause"], &details["dimension"]].into_iter().find(|word| word.is_string());
            let end = json!([result["status"], cause, details["code"], details["details"]["type"]]);
            assert_eq!(end, ends(language, deed), "{language}: {deed}: {result:#}");
            assert!(result["peak_memory_bytes"].as_u64().expect("a number") <= 64 << 20, "{language}: {deed}");
        }
        let thrown = ran.result("t5")["error"]["details"].clone();
        let place = [&thrown["location"], &thrown["details"]["where"]].into_iter().find_map(Value::as_str);
        let file = [("rust", "lib.rs:"), ("js", "agent.js:"), ("python", "agent.py:")];
        let (_, file) = file.into_iter().find(|(name, _)| *name == language).expect("a language");
        assert!(place.is_some_and(|place| place.contains(file)), "{language}: {thrown}");
        assert_eq!(ran.report()["usage"]["ledger_whole"], true, "{language}");
    }
}

// HOSTILE 10: with fuel enough for longer than anybody waits, in real time on one worker beside a sibling
#[test]
fn an_endless_loop_with_fuel_enough_ends_at_its_timeout_in_every_language() {
    for language in LANGUAGES {
        let entry = format!("component: {}", component("exam", language));
        let tasks = [
            ("spin".to_owned(), json!({ "do": "spin" }), ", timeout: 200ms, budget: { fuel: 900000000000 }"),
            ("count".to_owned(), json!({ "do": "count" }), ""),
        ];
        let run = plan(&entry, "limits: { on_failure: skip, budget: { fuel: 2000000000000 } }", &tasks);
        let ran = run.with(["--workers", "1"]).json().expect_code(3);
        assert_eq!(ran.result("spin")["status"], "timeout", "{language}: {}", ran.result("spin"));
        assert_eq!(ran.result("count")["status"], "ok", "{language}");
    }
}
