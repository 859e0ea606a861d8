//! The shipped agent loop, `react`, as parent and as child: the founding demo and the homogeneous fork, circles, scarcity,
//! convergence, and models that mean no good. What the model says stands in the plans.

use crate::harness::{Ran, Run, built, fixture, repository, settled};
use serde_json::{Value, json};

const MARKER: &str = "PARENT-ONLY-7f3a";

/// A shipped plan on one worker, with transcripts.
fn shipped(plan: &str, code: i32) -> Ran {
    built("react");
    Run::fixture(plan).with(["--virtual-time", "--workers", "1", "--transcript", "threads"]).json().expect_code(code)
}

/// A plan with one agent `react`: what stands in its entry, its replies, and whatever else the plan says.
fn plan(entry: &str, replies: &Value, more: &str) -> Run {
    let component = json!(built("react").display().to_string());
    let replies = json!({ "react": replies });
    Run::plan(&format!(
        "run: react\nagents:\n  react: {{ component: {component}{entry} }}\nmodels: {{ replies: {replies} }}\n{more}\nroot: {{ agent: react, goal: \"Find it.\" }}\n"
    ))
    .with(["--transcript", "threads"])
}

fn thread(ran: &Ran, task: &str) -> Value {
    let file = ran.path("threads").join(format!("{}.json", task.replace('/', "__")));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).expect("a document")
}

fn notes(ran: &Ran) -> Vec<String> {
    let thread = thread(ran, "root");
    thread["notes"].as_array().expect("notes").iter().map(|note| note.as_str().expect("text").to_owned()).collect()
}

fn of_results(ran: &Ran, keys: &[&str]) -> Vec<Value> {
    let report = ran.report();
    let results = report["results"].as_array().expect("results");
    results.iter().map(|result| keys.iter().map(|key| result[*key].clone()).collect()).collect()
}

fn search(q: &str) -> Value {
    json!({ "say": "Searching.", "calls": [{ "name": "search", "arguments": { "q": q } }] })
}

/// A tool `search` that always answers this.
fn tool(answer: &Value) -> String {
    format!("tools: {}", json!({ "search": { "script": [answer] } }))
}

// M4-12, M4-13, M4-25..31, M4-39, M4-40
#[test]
fn parent_and_children_of_the_founding_demo_are_one_component_with_the_same_counts() {
    let ran = shipped("react-two-modules/plan.yaml", 0);
    assert_eq!(
        of_results(&ran, &["agent", "messages", "turns", "tool_messages"]),
        [json!(["lead", 5, 2, 1]), json!(["alpha", 7, 3, 2]), json!(["beta", 7, 3, 2])]
    );
    let scripted = Run::fixture("fork-two-modules/plan.yaml").arg("--virtual-time").json().expect_code(0);
    let same = ["task_id", "agent", "status", "output", "error", "turns", "messages", "tool_messages", "tool_calls"];
    assert_eq!(of_results(&ran, &same), of_results(&scripted, &same), "as the scripts did it");
    assert_eq!(ran.report()["merged"], scripted.report()["merged"]);
    assert_eq!(ran.workspace_file("alpha_module.py").lines().nth(1), Some("VALUE = 42"));
    assert_eq!(ran.workspace_file("beta_module.py").lines().nth(1), Some("TIMEOUT = 30"));
    let messages = thread(&ran, "root")["messages"].as_array().expect("messages").clone();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().expect("a role")).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant"]);
}

// M4-03, M4-09, HOSTILE 21, 22
#[test]
fn no_text_of_the_parent_or_of_a_sibling_reaches_a_child() {
    let ran = shipped("react-two-modules/plan.yaml", 0);
    assert!(thread(&ran, "root").to_string().contains(MARKER), "the marker is there to be leaked");
    for (child, sibling) in [("root/1", "beta"), ("root/2", "alpha")] {
        let thread = thread(&ran, child).to_string();
        assert!(!thread.contains(MARKER), "leak into {child}");
        assert!(!thread.contains(sibling), "{child} knows of {sibling}");
    }
    let events = std::fs::read_to_string(ran.path("events.jsonl")).expect("events");
    for text in [MARKER, "Read the module first", "VALUE = 42", "SF-417"] {
        assert!(!events.contains(text), "{text} in the events");
    }
}

// M4-35, HOSTILE 38
#[test]
fn two_runs_under_virtual_time_are_the_same_bytes_with_one_and_two_workers() {
    for (plan, code) in [("react-two-modules/plan.yaml", 0), ("react-shopping/plan.yaml", 3)] {
        built("react");
        let run = |workers: &str| {
            let run = Run::fixture(plan).with(["--virtual-time", "--workers", workers]);
            let ran = run.json().expect_code(code);
            (ran.stdout.clone(), std::fs::read_to_string(ran.path("events.jsonl")).expect("events"))
        };
        let first = run("1");
        assert_eq!(run("1"), first, "{plan}");
        assert_eq!(run("2"), first, "{plan}");
        let report: Value = serde_json::from_str(&first.0).expect("a report");
        assert_eq!(report["usage"]["ledger_whole"], true);
    }
}

// OR-58: in real time the same came of it; only the time is the machine's
#[test]
fn in_real_time_the_same_comes_of_it() {
    built("react");
    let real = Run::fixture("react-two-modules/plan.yaml").json().expect_code(0);
    let same = ["task_id", "status", "output", "turns", "messages", "tool_messages"];
    let virtually = shipped("react-two-modules/plan.yaml", 0);
    // Fuel is left out: the answers of `budget` and of `fork_subagents` carry times, and those have digits.
    assert_eq!(of_results(&real, &same), of_results(&virtually, &same));
    assert_eq!(real.report()["merged"], virtually.report()["merged"]);
}

// HF-01, HF-04, HF-11, HF-12, HF-21, HF-35
#[test]
fn a_homogeneous_fork_of_react_does_the_shopping() {
    let ran = shipped("react-shopping/plan.yaml", 3);
    let scripted = Run::fixture("shopping/plan.yaml").arg("--virtual-time").json().expect_code(3);
    let same = ["task_id", "agent", "depth", "status", "output", "error", "tool_messages", "tool_calls"];
    assert_eq!(of_results(&ran, &same), of_results(&scripted, &same), "as the script did it");
    assert_eq!(ran.report()["merged"], json!({ "found": false, "best": "dune", "searches": 5 }));
    assert_eq!(ran.report()["tasks_used"], 6);
    // What the script asserted of its answers, the model's thread shows: one search each, then refused; compare denied.
    for child in 1..=5 {
        let thread = thread(&ran, &format!("root/{child}")).to_string();
        assert!(thread.contains("tool_calls_exceeded") && thread.contains("tool_denied_at_depth"), "root/{child}");
    }
}

#[test]
fn shipped_plans_are_right_and_the_component_can_be_inspected() {
    let component = built("react").display().to_string();
    let plans =
        ["react-two-modules/plan.yaml", "react-shopping/plan.yaml"].map(|plan| fixture(plan).display().to_string());
    Run::args(["check"]).with(plans).go().expect_code(0);
    let document = Run::args(["inspect", &component, "--json"]).go().expect_code(0).report();
    let imports: Vec<&str> =
        document["imports"].as_array().expect("imports").iter().filter_map(Value::as_str).collect();
    let functions = imports.iter().filter(|import| !import.starts_with("type ")).copied().collect::<Vec<_>>();
    assert_eq!(functions, ["instance sandfork:agent/orchestrator@0.1.0"], "and nothing else");
    assert_eq!(document["manifest"]["name"], "react");
}

// HF-20
#[test]
fn a_model_that_goes_in_circles_is_nudged_and_then_asked_for_what_it_has() {
    let mut replies = vec![search("lamp"); 9];
    replies.push(json!({ "say": "There is none." }));
    let ran = settled(|| plan(", tools: [search]", &json!(replies), &tool(&json!({ "result": { "found": [] } }))), 0);
    assert_eq!(ran.report()["merged"], json!({ "reply": "There is none." }));
    let told = notes(&ran);
    assert_eq!(told.iter().filter(|note| note.starts_with("nudged: search")).count(), 3, "{told:?}");
    assert!(told.last().expect("a note").starts_with("converging: search was repeated"), "{told:?}");
}

// HF-20: the host's own detector speaks before the loop does
#[test]
fn the_hosts_loop_detector_nudges_too() {
    let mut replies: Vec<Value> = ["a", "b", "c"].map(search).into();
    replies.push(json!({ "say": "There is none." }));
    let more = format!(
        "{}\nlimits: {{ loop_detector: {{ window: 6, threshold: 2 }} }}",
        tool(&json!({ "result": { "found": [] } }))
    );
    let ran = settled(|| plan(", tools: [search]", &json!(replies), &more), 0);
    assert_eq!(ran.events_of("loop_detected").len(), 1);
    assert_eq!(notes(&ran), ["nudged: search repeated without a new answer"]);
}

// HF-30, GV-34: one word of the host's, three ways to say it
#[test]
fn a_fork_that_is_to_converge_returns_what_it_has() {
    let found = tool(&json!({ "result": { "price": 17.25 } }));
    let soft = format!("{found}\nlimits: {{ tools: {{ search: {{ per_run: {{ soft: 1 }} }} }} }}");
    let water = format!("{found}\nlimits: {{ budget: {{ result_bytes: 31 }} }}");
    let last_turn = format!("{found}\nlimits: {{ steps: 3 }}");
    for (more, why) in [(soft, "used up"), (water, "has used up"), (last_turn, "this is the last turn")] {
        let replies = json!([search("a"), search("b"), { "output": { "price": 17.25 } }]);
        let ran = settled(|| plan(", tools: [search]", &replies, &more), 0);
        assert_eq!(ran.report()["merged"]["price"].to_string(), "17.25", "{why}");
        let told = notes(&ran);
        assert!(told.len() == 1 && told[0].starts_with("converging: ") && told[0].contains(why), "{told:?}");
    }
}

#[test]
fn a_model_that_will_not_stop_is_stopped_with_a_partial_output() {
    let more = format!("{}\nlimits: {{ steps: 2 }}", tool(&json!({ "result": {} })));
    let ran = settled(|| plan(", tools: [search]", &json!([search("a"), search("b"), search("c")]), &more), 0);
    let result = ran.result("root");
    assert_eq!(result["output"]["partial"], true);
    assert_eq!((&result["unresolved"], &result["turns"]), (&json!(["this is the last turn"]), &json!(2)));
    assert_eq!(result["tool_calls"], 1, "what it asked for at the end was not executed");
}

// GV-34, GV-35
#[test]
fn old_results_are_replaced_and_what_they_named_is_kept() {
    let chat = "well, let us see what the next line says ".repeat(1_000);
    let log = format!("{chat}order SF-417 failed with E0308 in src/parser/lexer.rs, see artifact://report/v3. {chat}");
    let answer = json!({ "result": { "error": { "code": "lint_failed" }, "log": log } });
    let replies = json!([search("a"), search("b"), search("c"), { "say": "Found." }]);
    let more = format!("{}\nlimits: {{ result_bytes: 10MB }}", tool(&answer));
    let ran = settled(|| plan(", tools: [search]", &replies, &more), 0);
    let told = notes(&ran);
    assert_eq!(told.len(), 2, "{told:?}");
    for note in &told {
        assert!(note.starts_with("replaced 1 results"), "{note}");
        for piece in ["SF-417", "E0308", "src/parser/lexer.rs", "artifact://report/v3", "lint_failed"] {
            assert!(note.contains(piece), "{piece}: {note}");
        }
    }
    // What was sent did not grow with the results: one whole one at most.
    let sent: Vec<u64> = ran
        .events_of("model_call")
        .iter()
        .map(|event| event["attrs"]["input_tokens"].as_u64().expect("tokens"))
        .collect();
    let result_tokens = u64::try_from(log.len() / 4).expect("a number");
    assert!(sent[1] > result_tokens && sent[3] < sent[1] + 1_000, "{sent:?}");
}

#[test]
fn a_replaced_result_can_be_read_again_where_artifacts_are_granted() {
    let answer = json!({ "result": { "log": "well, let us see ".repeat(10_000) } });
    let get = json!({ "calls": [{ "name": "artifact_get", "arguments": { "ref": "artifact://root.call_1_1/v1", "length": 40 } }] });
    let replies = json!([search("a"), search("b"), get, { "say": "Read again." }]);
    let ran = settled(|| plan(", tools: [search, artifact_put, artifact_get]", &replies, &tool(&answer)), 0);
    assert_eq!(ran.report()["merged"], json!({ "reply": "Read again." }));
    assert!(!ran.events_of("artifact_put").is_empty());
    let got = thread(&ran, "root")["messages"].to_string();
    assert!(got.contains("well, let us see"), "the whole is there: {got}");
}

// GV-09
#[test]
fn blocked_and_give_up_reach_the_report_as_what_they_are() {
    let blocked = json!([{ "calls": [{ "name": "blocked", "arguments": { "missing": ["order_number"] } }] }]);
    let ran = settled(|| plan("", &blocked, ""), 1);
    let result = ran.result("root");
    assert_eq!(
        (&result["status"], &result["error"]["details"]["missing"]),
        (&json!("blocked"), &json!(["order_number"]))
    );
    let split = json!({ "code": "needs_split", "message": "too large", "details": { "parts": 3 } });
    let ran = settled(|| plan("", &json!([{ "calls": [{ "name": "give_up", "arguments": split }] }]), ""), 1);
    let details = ran.result("root")["error"]["details"].clone();
    assert_eq!((&details["cause"], &details["code"]), (&json!("returned"), &json!("needs_split")));
    assert_eq!(details["details"], json!({ "parts": 3 }));
}

#[test]
fn an_output_that_misses_its_schema_is_asked_for_once_more() {
    let entry = ", output_schema: { type: object, required: [price], properties: { price: { type: number } } }";
    let (words, price) = (json!({ "say": "It is 17.25." }), json!({ "output": { "price": 17.25 } }));
    let ran = settled(|| plan(entry, &json!([words, price]), ""), 0);
    assert_eq!(ran.result("root")["turns"], 2);
    let ran = settled(|| plan(entry, &json!([words, words, price]), ""), 1);
    assert_eq!(ran.result("root")["error"]["details"]["code"], "output_unmet");
    assert_eq!(ran.result("root")["turns"], 2, "not asked a third time");
}

// HOSTILE 5, 28: whatever a model says, its fork ends with a code, and soon
#[test]
fn models_that_mean_no_good_end_in_bounded_failures() {
    let unknown = json!({ "calls": [{ "name": "rm", "arguments": { "path": "/" } }] });
    let malformed =
        json!({ "calls": [{ "name": "search", "arguments": "{no" }, { "name": "search", "arguments": [1] }] });
    let not_granted =
        json!({ "calls": [{ "name": "model", "arguments": { "messages": [] } }, { "name": "write_file" }] });
    let flood = json!({ "calls": vec![json!({ "name": "search", "arguments": {} }); 10_000] });
    let nothing = json!({ "say": "" });
    for (replies, code, turns) in [
        (vec![&unknown; 3], "model_misbehaved", 3),
        (vec![&malformed; 3], "model_misbehaved", 3),
        (vec![&not_granted; 3], "model_misbehaved", 3),
        (vec![&nothing, &unknown, &malformed], "model_misbehaved", 3),
        (vec![&flood], "too_many_calls", 1),
        (vec![&json!({ "say": "x".repeat(3 << 20) })], "answer_too_large", 1),
    ] {
        let more = tool(&json!({ "result": {} }));
        let ran = settled(|| plan(", tools: [search]", &json!(replies), &more), 1);
        let result = ran.result("root");
        let details = &result["error"]["details"];
        assert_eq!((&details["cause"], &details["code"]), (&json!("returned"), &json!(code)), "{result}");
        assert_eq!((&result["turns"], &result["tool_calls"]), (&json!(turns), &json!(0)), "{code}");
        assert_eq!(ran.report()["usage"]["ledger_whole"], true);
    }
}

// M4-20, M4-24: a fork that cannot be is an answer, and the loop goes on
#[test]
fn an_unknown_child_is_told_to_the_model_which_goes_on() {
    let tasks = json!({ "tasks": [{ "agent": "nobody", "goal": "g" }] });
    let replies =
        json!([{ "calls": [{ "name": "fork_subagents", "arguments": tasks }] }, { "say": "Nobody is there." }]);
    let ran = settled(|| plan(", spawn: [self]", &replies, ""), 0);
    assert_eq!(ran.report()["merged"], json!({ "reply": "Nobody is there." }));
    assert!(thread(&ran, "root")["messages"].to_string().contains("unknown_subagent"));
    assert_eq!(ran.report()["tasks_used"], 1);
}

#[test]
fn the_plan_and_the_replies_of_the_documentation_run_as_they_stand() {
    let text = std::fs::read_to_string(repository().join("docs/react.md")).expect("docs/react.md");
    let blocks: Vec<&str> = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [agents, replies] = blocks.as_slice() else { panic!("two blocks, found {}", blocks.len()) };
    let written = "../guest-agents/react/build/react.wasm";
    assert_eq!(agents.matches(written).count(), 2, "{agents}");
    let agents = agents.replace(written, &built("react").display().to_string());
    let plan =
        format!("run: documented\n{agents}workspace: ws\nroot: {{ agent: lead, goal: \"What is in a.txt?\" }}\n");
    let make = || Run::plan(&plan).file("replies.yaml", replies).file("ws/a.txt", "one line\n");
    let ran = settled(make, 0);
    assert_eq!(
        of_results(&ran, &["agent", "output"]),
        [json!(["lead", { "reply": "It holds one line." }]), json!(["worker", { "reply": "One line." }])]
    );
}
