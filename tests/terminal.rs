//! What people see: the live tree on a terminal, plain lines elsewhere, nothing left behind. The binary runs in a terminal
//! of its own; a test waits for what it shows.

#![cfg(unix)]

mod window;

use crate::harness::Run;
use serde_json::Value;
use std::fmt::Write as _;
use window::Window;

/// A lead that forks two: one ends at once, the other thinks for minutes.
fn endless() -> Run {
    forked("5m")
}

/// The same, with another time to think.
fn forked(think: &str) -> Run {
    let plan = "run: demo\nagents:\n  lead: { script: lead.yaml, spawn: [quick, slow] }\n  quick: { script: quick.yaml }\n  \
                slow: { script: slow.yaml }\nlimits: { timeout: 10m, root_timeout: 10m, deadline: 10m }\n\
                root: { agent: lead, goal: go }\n";
    let lead = "agent: lead\nspawn: [quick, slow]\nturns:\n  - do:\n      - spawn:\n          - { agent: quick, goal: q, id: quick }\n          \
                - { agent: slow, goal: s, id: slow }\n        as: both\n    return: { reply: done }\n";
    let slow = format!(
        "agent: slow\nturns:\n  - think: 1ms\n    do: [{{ note: x }}]\n  - think: {think}\n    return: {{ reply: done }}\n"
    );
    Run::plan(plan)
        .file("lead.yaml", lead)
        .file("quick.yaml", "agent: quick\nturns:\n  - return: { reply: done }\n")
        .file("slow.yaml", slow)
}

/// A plan of many tasks, each of which thinks for a while.
fn many(tasks: usize) -> Run {
    let mut plan = format!(
        "run: many\ngoal: all\nagents:\n  a: {{ script: a.yaml }}\nlimits: {{ max_tasks: {tasks}, max_concurrency: 64 }}\ntasks:\n"
    );
    for n in 0..tasks {
        let _ = writeln!(plan, "  - {{ id: t{n}, agent: a, goal: g{n} }}");
    }
    Run::plan(&plan).file("a.yaml", "agent: a\nturns:\n  - think: 150ms\n    return: { reply: done }\n")
}

/// Whether one of the two has ended.
fn quick_is_done(shows: &str) -> bool {
    shows.lines().any(|line| line.contains("root/quick") && line.contains(" ok"))
}

fn escapes(text: &str) -> usize {
    text.matches('\u{1b}').count()
}

/// Sequences that only set colours.
fn colours(text: &str) -> usize {
    let begins = text.split("\u{1b}[").skip(1);
    begins.filter(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')).count()
}

#[test]
fn on_a_terminal_the_tree_of_forks_is_shown_while_it_runs() {
    for (rows, cols) in [(24, 80), (10, 40)] {
        let mut window = Window::open(endless(), rows, cols);
        let shows = window
            .wait_until(|shows| shows.contains("root/quick") && shows.contains(" ok") && shows.contains("root/slow"));
        let line = |id: &str| shows.lines().find(|line| line.contains(id)).expect("a line").to_owned();
        assert!(shows.contains("demo-1") && line("root ").contains("in spawn"), "{shows}");
        assert!(line("root/quick").contains("ok") && line("root/slow").contains("running"), "{shows}");
        assert!(line("root/slow").contains(" min") || line("root/slow").contains(" s"), "time left: {shows}");
        if cols == 80 {
            // One turn is done, of the second nobody knows yet; some fuel of what was granted.
            let slow = window.wait_until(|shows| {
                shows.lines().any(|line| line.contains("root/slow") && line.split_whitespace().any(|word| word == "1"))
            });
            assert!(slow.lines().any(|line| line.contains("root/slow") && line.contains("k/640M")), "{slow}");
        }
        window.interrupt();
        assert_eq!(window.end().code, Some(130));
    }
}

#[test]
fn at_the_end_the_summary_is_there_and_nothing_of_the_tree() {
    for (rows, cols) in [(24, 80), (12, 40)] {
        let mut window = Window::open(forked("700ms"), rows, cols);
        window.wait_for("in spawn");
        let left = window.end();
        assert_eq!(left.code, Some(0), "{}", left.screen);
        assert!(left.screen.starts_with("run demo-1: completed in "), "{}", left.screen);
        assert!(!left.screen.contains("in spawn") && !left.screen.contains("left"), "{}", left.screen);
        assert!(left.has_cursor);
        assert!(!left.sent.contains("\u{1b}[?25l"), "a cursor that is never hidden needs no one to bring it back");
    }
}

#[test]
fn a_plan_of_two_hundred_forks_never_draws_more_lines_than_the_terminal_has() {
    for (rows, cols) in [(24, 80), (10, 40)] {
        let mut window = Window::open(many(200), rows, cols);
        window.wait_until(|shows| shows.contains("… ") && shows.contains(" ok, ") && shows.contains(" waiting"));
        let left = window.end();
        assert_eq!(left.code, Some(0));
        let pictures = left.pictures();
        assert!(!pictures.is_empty() && pictures.iter().all(|lines| *lines < rows.into()), "{pictures:?}");
        assert!(left.sent.contains("run many-1: completed in "));
    }
}

#[test]
fn a_terminal_that_changes_its_size_is_followed() {
    let mut window = Window::open(endless(), 24, 80);
    window.wait_for("fuel");
    window.resize(10, 40);
    window.wait_until(|shows| shows.contains("root/slow") && !shows.contains("fuel"));
    window.resize(30, 100);
    window.wait_for("fuel");
    window.interrupt();
    let left = window.end();
    assert_eq!(left.code, Some(130));
    assert!(left.screen.contains("run demo-1: ") && !left.screen.contains("in spawn"), "{}", left.screen);
}

#[test]
fn without_a_terminal_there_are_plain_lines_and_no_escapes() {
    let ran = forked("1ms").env("TERM", "xterm-256color").go().expect_code(0);
    assert!(ran.stderr.contains("root/slow (slow) started"), "{}", ran.stderr);
    assert_eq!((escapes(&ran.stdout), escapes(&ran.stderr)), (0, 0), "{}", ran.stderr);
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_plain_lines() {
    for (term, rows, cols) in [("dumb", 24, 80), ("", 24, 80), ("xterm", 3, 80), ("xterm", 24, 10)] {
        let left = Window::open(forked("1ms").env("TERM", term), rows, cols).end();
        assert_eq!(left.code, Some(0), "{}", left.screen);
        assert!(left.sent.contains("root/slow (slow) started"), "{term:?}: {}", left.sent);
        assert_eq!(escapes(&left.sent), 0, "{term:?}: {}", left.sent);
    }
}

#[test]
fn no_color_takes_the_colours_and_leaves_the_tree() {
    for (value, has_colours) in [("1", false), ("", true)] {
        let mut window = Window::open(endless().env("NO_COLOR", value), 24, 80);
        window.wait_for("root/slow");
        window.interrupt();
        let left = window.end();
        assert_eq!(colours(&left.sent) > 0, has_colours, "NO_COLOR={value:?}");
        assert!(!left.pictures().is_empty());
    }
}

#[test]
fn with_json_the_document_is_alone_on_stdout_and_the_tree_on_the_terminal() {
    let mut window = Window::open_with_stdout_elsewhere(forked("700ms").arg("--json"), 24, 80);
    window.wait_for("root/slow");
    let left = window.end();
    assert_eq!(left.code, Some(0));
    let report: Value = serde_json::from_str(&left.stdout).expect("one document");
    assert_eq!(report["status"], "completed");
    assert_eq!(left.screen, "", "nothing stays on the terminal");
}

#[test]
fn a_terminal_that_takes_nothing_holds_up_neither_the_run_nor_its_report() {
    let mut window = Window::open_with_stdout_elsewhere(forked("300ms").arg("--json"), 24, 80);
    window.hold();
    let (code, stdout) = window.end_unread();
    assert_eq!(code, Some(0));
    let report: Value = serde_json::from_str(&stdout).expect("one document");
    assert_eq!(report["status"], "completed");
}

// HOSTILE 31
#[test]
fn an_interruption_lands_although_the_terminal_takes_nothing() {
    let mut window = Window::open_with_stdout_elsewhere(endless().arg("--json"), 24, 80);
    window.wait_until(quick_is_done);
    window.hold();
    window.interrupt_from_elsewhere();
    let (code, stdout) = window.end_unread();
    assert_eq!(code, Some(130));
    let report: Value = serde_json::from_str(&stdout).expect("one document");
    assert_eq!(report["results"][1]["status"], "ok", "what had finished is in the report");
}

#[test]
fn quiet_shows_no_progress_on_a_terminal_or_elsewhere() {
    let left = Window::open(forked("300ms").arg("--quiet"), 24, 80).end();
    assert!(left.sent.starts_with("run demo-1: completed in "), "{}", left.sent);
    assert_eq!(escapes(&left.sent), 0);
    let ran = forked("1ms").arg("-q").go().expect_code(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn what_the_host_logs_stands_above_the_tree() {
    let mut window = Window::open(endless().arg("-v"), 24, 80);
    let shows = window.wait_until(|shows| shows.contains("a run starts") && shows.contains("root/slow"));
    assert!(shows.find("a run starts") < shows.find("root/slow"), "{shows}");
    window.interrupt();
    let left = window.end();
    assert!(left.screen.contains("a run starts") && left.screen.contains("a run ended"), "{}", left.screen);
    assert!(!left.screen.contains("in spawn"), "{}", left.screen);
}

// HOSTILE 31
#[test]
fn ctrl_c_once_stops_in_order_and_what_had_finished_is_in_the_summary() {
    let mut window = Window::open(endless(), 24, 80);
    window.wait_until(quick_is_done);
    window.interrupt();
    let left = window.end();
    assert_eq!(left.code, Some(130));
    let line = |id: &str| left.screen.lines().find(|line| line.contains(id)).expect("a line");
    assert!(left.screen.contains("run demo-1: failed (interrupted) in "), "{}", left.screen);
    assert!(left.screen.contains("stopping; interrupt again to stop at once"), "{}", left.screen);
    assert!(line("root/quick").contains("ok") && line("root/slow").contains("cancelled"), "{}", left.screen);
    assert!(left.has_cursor && !left.screen.contains("in spawn"), "{}", left.screen);
    assert!(left.run.path("state/runs/demo-1/report.json").exists());
}

// HOSTILE 31: the event log goes into a pipe that nobody empties, so that the run cannot stop in order: its log would not
// be whole.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_twice_ends_at_once_whatever_the_run_waits_for() {
    let chatter = "agent: slow\nturns:\n  - do:\n      - repeat: 1000\n        until: { present: task.context.never }\n        \
                   do: [{ note: chatter }]\n  - think: 5m\n    return: { reply: done }\n";
    let run = endless().file("slow.yaml", chatter).with(["--events", "/dev/stdout"]);
    let mut window = Window::open_with_stdout_elsewhere(run, 24, 80);
    window.wait_for("root/slow");
    window.interrupt();
    window.wait_for("stopping; interrupt again to stop at once");
    window.interrupt();
    let left = window.end();
    assert_eq!(left.code, Some(130));
    assert!(left.has_cursor && !left.screen.contains("in spawn"), "{}", left.screen);
    assert!(!left.run.path("state/runs/demo-1/report.json").exists(), "it did not end in order");
}
