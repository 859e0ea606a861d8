//! What a fork sees, and what it does not: nothing of its parent, nothing of its siblings, nothing that varies.

use crate::harness::{Ran, Run};
use serde_json::Value;

const MARKER: &str = "PARENT-ONLY-7f3a";

fn two_modules() -> Ran {
    Run::fixture("fork-two-modules/plan.yaml").with(["--virtual-time", "--transcript", "threads"]).json().expect_code(0)
}

fn thread(ran: &Ran, task: &str) -> String {
    let file = ran.path("threads").join(format!("{}.json", task.replace('/', "__")));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn messages(ran: &Ran, task: &str) -> Vec<Value> {
    let thread: Value = serde_json::from_str(&thread(ran, task)).expect("a document");
    thread["messages"].as_array().expect("messages").clone()
}

fn roles(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["role"].as_str().expect("a role")).collect()
}

// M4-01, M4-02, M4-04, OR-05, GV-01, GV-02
#[test]
fn a_fork_opens_with_two_messages_made_of_its_task_and_the_shared_input() {
    let ran = two_modules();
    for (task, file) in [("root/1", "alpha_module.py"), ("root/2", "beta_module.py")] {
        let messages = messages(&ran, task);
        assert_eq!(roles(&messages)[..2], ["system", "user"]);
        let packet = messages[1]["content"].as_str().expect("text");
        assert!(packet.contains(file), "its task: {packet}");
        for item in ["style: Constants in upper case", "ticket: SF-417", "regression: Nothing else"] {
            assert!(packet.contains(item), "shared item {item}: {packet}");
        }
    }
}

// GV-07, GV-08: six layers in order, and nothing else
#[test]
fn the_opening_messages_are_the_six_layers_in_order() {
    let ran = two_modules();
    let messages = messages(&ran, "root/1");
    let text = format!("{}{}", messages[0]["content"].as_str().unwrap(), messages[1]["content"].as_str().unwrap());
    let layers = ["Safety rules", "Role:", "Task:", "Tools:", "Remaining budget:", "Shared input"];
    let places: Vec<usize> = layers.iter().map(|layer| text.find(layer).unwrap_or_else(|| panic!("{layer}"))).collect();
    assert!(places.is_sorted(), "{layers:?} at {places:?}");
}

// M4-03, HOSTILE 21
#[test]
fn no_text_of_the_parent_reaches_a_child() {
    let ran = two_modules();
    assert!(thread(&ran, "root").contains(MARKER), "the marker is there to be leaked");
    for child in ["root/1", "root/2"] {
        assert!(!thread(&ran, child).contains(MARKER), "leak into {child}");
    }
}

// M4-08, M4-11, OR-15, OR-43, HOSTILE 21: nor does text reach the events or, but for its output, the report
#[test]
fn no_text_of_a_thread_reaches_events_or_report() {
    let ran = two_modules();
    let events = std::fs::read_to_string(ran.path("events.jsonl")).expect("events");
    for text in [MARKER, "Read the module first", "has read", "VALUE = 42", "SF-417"] {
        assert!(!events.contains(text), "{text} in the events");
        assert!(!ran.stdout.contains(text), "{text} in the report");
    }
}

// M4-09, OR-06, OR-16
#[test]
fn siblings_do_not_exist_for_each_other() {
    let ran = two_modules();
    let answers = |task: &str| -> String {
        messages(&ran, task).iter().filter(|message| message["role"] == "tool").map(Value::to_string).collect()
    };
    assert!(answers("root/1").contains("alpha_module.py"));
    assert!(!answers("root/1").contains("beta"));
    assert!(!answers("root/2").contains("alpha"));
}

// M4-05: shared input is a snapshot; what one child does to its copy, the next still finds whole
#[test]
fn shared_input_is_the_same_for_every_fork() {
    let ran = two_modules();
    let shared = |task: &str| {
        let thread: Value = serde_json::from_str(&thread(&ran, task)).expect("a document");
        thread["task"]["shared"].clone()
    };
    assert_eq!(shared("root/1"), shared("root/2"));
    assert_eq!(shared("root/1").as_object().expect("a map").len(), 3);
}

// M4-06, M4-07: one result of fixed shape, no history in it
#[test]
fn a_parent_gets_results_not_histories() {
    let ran = two_modules();
    let lead = messages(&ran, "root");
    let answer: Value = serde_json::from_str(lead[3]["content"].as_str().expect("text")).expect("JSON");
    let first = answer["outcomes"][0].as_object().expect("an outcome");
    let keys: Vec<&String> = first.keys().collect();
    assert_eq!(keys, ["task_id", "agent", "status", "ok", "output", "error", "info"]);
    assert!(!answer.to_string().contains("NAME = "), "the module's text stayed with the child");
}

// M4-36: no state is shared; each thread has only its own notes
#[test]
fn each_thread_has_its_own_notebook() {
    let ran = two_modules();
    let notes = |task: &str| -> Value {
        let thread: Value = serde_json::from_str(&thread(&ran, task)).expect("a document");
        thread["notes"].clone()
    };
    assert!(notes("root/1").to_string().contains("alpha has read"));
    assert!(!notes("root/1").to_string().contains("beta has read"));
    assert_eq!(notes("root").as_array().expect("notes").len(), 1);
}

// DESIGN 2: nothing that varies between runs reaches a guest
#[test]
fn a_run_id_does_not_reach_a_guest() {
    let run = Run::fixture("fork-two-modules/plan.yaml")
        .with(["--run-id", "some-other-id", "--transcript", "threads"])
        .json()
        .expect_code(0);
    assert_eq!(run.report()["run_id"], "some-other-id");
    // The transcript's own envelope names the run; what the guest was told does not.
    let thread: Value = serde_json::from_str(&thread(&run, "root/1")).expect("a document");
    assert!(!thread["task"].to_string().contains("some-other-id"));
    assert!(!thread["messages"].to_string().contains("some-other-id"));
}
