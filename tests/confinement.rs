//! What a guest cannot reach: another sandbox's memory, a path outside, a tool it was not given, an effect after its end.

use crate::harness::{Run, on_one_worker, settled};
use serde_json::{Value, json};
use std::fmt::Write as _;

// HOSTILE 22
#[test]
fn the_same_agent_forked_many_times_has_as_many_memories() {
    let mut plan =
        "run: count\ngoal: g\nlimits: { max_tasks: 64 }\nagents:\n  c: { component: counter.wasm }\ntasks:\n"
            .to_owned();
    for n in 0..40 {
        let _ = writeln!(plan, "  - {{ id: t{n}, agent: c, goal: g }}");
    }
    for ran in
        [settled(|| Run::plan(&plan).guest("counter"), 0), on_one_worker(|| Run::plan(&plan).guest("counter"), 0)]
    {
        for result in ran.report()["results"].as_array().expect("results") {
            assert_eq!(result["output"], 3, "a sandbox was used twice");
        }
    }
}

// HOSTILE 23: one after the other, so that slots are used again
#[test]
fn what_a_fork_left_in_memory_is_not_found_by_the_next() {
    let lead = "agent: lead\nspawn: [keep, seek]\nturns:\n  - do:\n      - for_each: [1, 2, 3, 4, 5, 6, 7, 8]\n        as: n\n        \
                do:\n          - spawn: [{ agent: keep, goal: \"${n}\" }]\n            as: kept\n          - spawn: [{ agent: seek, \
                goal: \"${n}\" }]\n            as: found\n          - if: { not: { equal: [\"${found[0].output}\", 0] } }\n            then: \
                [{ fail: { code: found, message: \"round ${n}\" } }]\n      - return: { kept: \"${task.goal}\" }\n";
    let plan = "run: seek\nlimits: { max_tasks: 32, max_children: 32 }\nagents:\n  lead: { script: lead.yaml, spawn: [keep, seek] }\n  keep: { \
                component: secret_keeper.wasm }\n  seek: { component: secret_seeker.wasm }\nroot: { agent: lead, goal: g }\n";
    let make = || {
        Run::plan(plan)
            .file("lead.yaml", lead)
            // The secret is a figure here, so that the keeper's output is JSON; the seeker leaves its own, longer task out.
            .guest_with("secret_keeper", "(i32.const 0x5e)", "(i32.const 0x37)")
            .guest_with("secret_seeker", "(i32.const 0x10008)", "(i32.const 0x18000)")
    };
    for ran in [settled(make, 0), on_one_worker(make, 0)] {
        assert_eq!(ran.report()["tasks_used"], 17);
    }
}

// HOSTILE 25
#[cfg(unix)]
#[test]
fn no_path_leads_out_of_the_workspace() {
    let long = "x/".repeat(2_048);
    let paths =
        ["../secret.txt", "/etc/passwd", "a/../../secret.txt", "out", "out/secret.txt", "file", "a\\u0000b", &long];
    let mut script = "agent: a\ntools: [read_file, write_file, edit_file]\nturns:\n  - do:\n".to_owned();
    let mut codes = Vec::new();
    for (n, path) in paths.iter().enumerate() {
        let _ = writeln!(script, "      - {{ tool: read_file, with: {{ path: \"{path}\" }}, as: r{n} }}");
        let _ = writeln!(script, "      - {{ tool: write_file, with: {{ path: \"{path}\", text: pwned }}, as: w{n} }}");
        let _ = writeln!(
            script,
            "      - {{ tool: edit_file, with: {{ path: \"{path}\", old: top, new: pwned }}, as: e{n} }}"
        );
        codes.extend(["r", "w", "e"].map(|step| format!("\"${{{step}{n}.error.code}}\"")));
    }
    let _ = writeln!(script, "      - return: [{}]", codes.join(", "));
    let plan = "run: out\nagents:\n  a: { script: a.yaml, tools: [read_file, write_file, edit_file] }\nworkspace: ws\nroot: { agent: a, \
                goal: g }\n";
    // In place: a copy would not have the links.
    let run = Run::plan(plan)
        .file("a.yaml", script)
        .file("ws/a/b.txt", "b")
        .file("secret.txt", "top secret")
        .arg("--in-place");
    std::os::unix::fs::symlink("..", run.path("ws/out")).expect("linked");
    std::os::unix::fs::symlink("../secret.txt", run.path("ws/file")).expect("linked");
    let ran = run.json().expect_code(0);
    let merged = ran.report()["merged"].clone();
    for (place, code) in merged.as_array().expect("codes").iter().enumerate() {
        assert!(code.is_string(), "{}: {merged}", paths[place / 3]);
    }
    assert!(!ran.stdout.contains("top secret"));
    assert_eq!(std::fs::read_to_string(ran.path("secret.txt")).expect("there"), "top secret");
    let outside: Vec<String> = std::fs::read_dir(ran.home())
        .expect("listed")
        .map(|entry| entry.expect("one").file_name().to_string_lossy().into_owned())
        .filter(|name| !["plan.yaml", "a.yaml", "ws", "secret.txt", "state", "events.jsonl"].contains(&name.as_str()))
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
}

// HOSTILE 26: by the entry, by the options, by the manifest
#[test]
fn a_tool_beyond_the_ceiling_is_refused_whoever_asks_for_it() {
    for (lead, kid, options, limit) in [
        ("", ", tools: [read_file]", "", "parent"),
        ("", "", ", tools: [read_file]", "manifest"),
        (", delegate: [read_file]", ", tools: [read_file]", ", tools: [write_file]", "entry"),
        (", delegate: [read_file]", ", tools: []", "", "manifest"),
    ] {
        let plan = format!(
            "run: grant\nagents:\n  lead: {{ script: lead.yaml, spawn: [kid]{lead} }}\n  kid: {{ script: kid.yaml{kid} }}\nroot: {{ agent: \
             lead, goal: g }}\n"
        );
        let script = format!(
            "agent: lead\nspawn: [kid]\nturns:\n  - do:\n      - spawn: [{{ agent: kid, goal: g{options} }}]\n        as: got\n      - return: \
             \"${{got[0].error}}\"\n"
        );
        let kid = "agent: kid\ntools: [read_file]\nturns:\n  - return: {}\n";
        let ran = settled(|| Run::plan(&plan).file("lead.yaml", &script).file("kid.yaml", kid), 3);
        let error = &ran.report()["merged"];
        assert_eq!(error["code"], "grant_exceeds_parent");
        assert!(error["details"]["limit"].as_str().expect("text").contains(limit), "{error}");
        assert_eq!(ran.report()["tasks_used"], 1, "nothing was started");
    }
}

// HOSTILE 26: a manifest is a wish, also where the plan's entry says nothing of tools and the plan itself is the ceiling
#[test]
fn an_agent_is_given_no_tool_by_its_own_manifest() {
    let thief = "agent: thief\ntools: [write_file]\nturns:\n  - do:\n      - { tool: write_file, with: { path: x, text: mine } }\n  - return: {}\n";
    for (entry, code, status) in [("", 1, "refused"), (", tools: []", 1, "refused"), (", tools: [write_file]", 0, "ok")]
    {
        let plan = format!(
            "run: thief\nworkspace: ws\nagents:\n  thief: {{ script: thief.yaml{entry} }}\nroot: {{ agent: thief, goal: g }}\n"
        );
        let ran = settled(|| Run::plan(&plan).file("thief.yaml", thief).file("ws/a", ""), code);
        let root = ran.result("root");
        assert_eq!(root["status"], status, "{root:#}");
        if status == "refused" {
            assert_eq!(root["error"]["code"], "grant_exceeds_parent");
            assert!(root["error"]["message"].as_str().is_some_and(|words| words.contains("write_file")), "{root:#}");
        }
    }
}

// HOSTILE 27: the guest calls `hammer` by name, whatever it was told of
#[test]
fn a_tool_that_was_not_granted_is_not_executed_by_its_name() {
    for (grant, code, answer) in [("", 1, json!("tool_not_granted")), (", tools: [hammer]", 0, Value::Null)] {
        let plan = format!(
            "run: name\ntools: {{ hammer: {{ script: [{{ result: [1] }}] }} }}\nagents:\n  a: {{ component: calls.wasm, spawn: [child]{grant} \
             }}\n  child: {{ script: child.yaml }}\nroot: {{ agent: a, goal: g }}\n"
        );
        let child = "agent: child\nturns:\n  - return: {}\n";
        let ran = settled(|| Run::plan(&plan).file("child.yaml", child).guest("calls"), code);
        let answers = ran.events_of("tool_result");
        assert_eq!((answers.len(), &answers[0]["attrs"]["code"]), (1, &answer));
        assert_eq!(ran.report()["usage"]["tool_calls"], u64::from(code == 0));
    }
}

// HOSTILE 30
#[test]
fn nothing_of_a_cancelled_subtree_happens_afterwards() {
    let plan = "run: cancel\ntools: { tick: { script: [{ delay: 10ms, result: {} }] } }\nlimits: { max_concurrency: 4 }\nagents:\n  lead: { script: \
                lead.yaml, spawn: [mid, quick], delegate: [tick] }\n  mid: { script: mid.yaml, spawn: [leaf], delegate: [tick] }\n  leaf: { script: \
                leaf.yaml, tools: [tick], budget: { retries: 0 } }\n  quick: { script: quick.yaml }\nroot: { agent: lead, goal: g }\n";
    let lead = "agent: lead\nspawn: [mid, quick]\nturns:\n  - do:\n      - spawn: [{ agent: mid, goal: a }, { agent: quick, goal: b }]\n        \
                options: { return: first_ok }\n        as: got\n      - { tool: sleep, with: { ms: 100 } }\n      - return: [\"${got[0].status}\", \
                \"${got[1].status}\"]\n";
    // Five leaves and room for fewer: some run, some wait for a slot when the word comes.
    let leaves = ["a", "b", "c", "d", "e"].map(|goal| format!("{{ agent: leaf, goal: {goal} }}")).join(", ");
    let mid = format!("agent: mid\nspawn: [leaf]\nturns:\n  - do:\n      - spawn: [{leaves}]\n  - return: {{}}\n");
    let leaf = "agent: leaf\ntools: [tick]\nturns:\n  - do:\n      - repeat: 1000\n        do:\n          - { tool: tick }\n  - return: {}\n";
    let quick = "agent: quick\nturns:\n  - think: 105ms\n    return: {}\n";
    let make = || {
        let run = Run::plan(plan).file("lead.yaml", lead).file("mid.yaml", &mid);
        run.file("leaf.yaml", leaf).file("quick.yaml", quick)
    };
    for ran in [settled(make, 3), on_one_worker(make, 3)] {
        assert_eq!(ran.report()["merged"], json!(["cancelled", "ok"]), "cancelling a child leaves its parent at work");
        let events = ran.events();
        let decided =
            events.iter().position(|event| event["task_id"] == "root/2" && event["event_type"] == "subagent_return");
        let after = &events[decided.expect("the quick one's end")..];
        let of_subtree = |event: &&Value| event["task_id"].as_str().is_some_and(|id| id.starts_with("root/1"));
        for event in after.iter().filter(of_subtree) {
            let kind = event["event_type"].as_str().expect("a type");
            let is_settling =
                ["cancelled", "subagent_return", "budget_returned", "late_result_dropped"].contains(&kind);
            assert!(is_settling, "{kind} of {} after its end", event["task_id"]);
        }
        assert_eq!(ran.report()["usage"]["ledger_whole"], true);
        let results = ran.report()["results"].as_array().expect("results").clone();
        let cancelled = results.iter().filter(|result| result["status"] == "cancelled").count();
        assert_eq!((cancelled, results.len()), (6, 8));
    }
}
