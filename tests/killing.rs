//! A build that is interrupted while its toolchain runs: nothing that was started survives, nothing unfinished lies about. No
//! sleeps: whoever lives holds a pipe open, and its two ends are waited for.

#![cfg(unix)]

use crate::harness::Run;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long is waited for what comes at once.
const PATIENCE: Duration = Duration::from_secs(60);
const MANIFEST: &str = "agent: a\nversion: 0.1.0\ndescription: Never.\nlicence: MIT\nlanguage: python\ntools: []\n";
const CASE: &str = "name: one\ntask: { goal: g }\nexpect: { status: ok }\n";
/// A packer that writes half of a component, starts somebody else, and never ends; both hold the pipe.
const NEVER_ENDS: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'componentize-py 1' && exit 0\nfor last; do :; done\n\
                          echo half > \"$last\"\nexec 3> ../alive\nsleep 600 &\nsleep 600\n";
/// One that does not even say who it is.
const NEVER_ANSWERS: &str = "#!/bin/sh\nexec 3> ../alive\nsleep 600 &\nsleep 600\n";

fn project(command: &[&str], toolchain: &str) -> Run {
    let packer = "a/.venv/bin/componentize-py";
    let run = Run::args(command.iter().copied())
        .file("a/agent.yaml", MANIFEST)
        .file("a/agent.py", "")
        .file("a/cases/one.yaml", CASE)
        .file(packer, toolchain);
    std::fs::set_permissions(run.path(packer), PermissionsExt::from_mode(0o755)).expect("executable");
    assert!(Command::new("mkfifo").arg(run.path("alive")).status().expect("starts").success());
    run
}

/// Tells when somebody holds the pipe, and again when nobody does any more.
fn lives(run: &Run) -> Receiver<()> {
    let (tell, told) = channel();
    let pipe = run.path("alive");
    std::thread::spawn(move || {
        let mut pipe = File::open(pipe).expect("opened when somebody else opens it");
        tell.send(()).expect("somebody waits");
        pipe.read_to_end(&mut Vec::new()).expect("read to its end");
        tell.send(()).expect("somebody waits");
    });
    told
}

fn unfinished(run: &Run) -> Vec<String> {
    let files = std::fs::read_dir(run.path("a/build")).expect("the directory");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".tmp")).collect()
}

// HOSTILE 31, for what builds
#[test]
fn an_interrupted_build_takes_everything_that_was_started_with_it_and_exits_with_130() {
    for (command, toolchain, signal) in [
        (["build", "a"].as_slice(), NEVER_ENDS, "-INT"),
        (&["build", "a", "-v"], NEVER_ENDS, "-TERM"),
        (&["test", "a"], NEVER_ENDS, "-INT"),
        (&["build", "a"], NEVER_ANSWERS, "-INT"),
    ] {
        let run = project(command, toolchain);
        let lives = lives(&run);
        let child = run.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        lives.recv_timeout(PATIENCE).expect("the toolchain starts");
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let output = child.wait_with_output().expect("ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{command:?} {signal}: {said}");
        assert!(said.contains("a: the build was interrupted"), "{said}");
        lives.recv_timeout(PATIENCE).expect("everybody has ended");
        if toolchain == NEVER_ENDS {
            assert_eq!(unfinished(&run), Vec::<String>::new());
        }
    }
}

#[test]
fn what_a_killed_build_left_is_removed_by_the_next_and_what_a_living_one_writes_is_not() {
    let run =
        project(&["build", "a"], "#!/bin/sh\n[ \"$1\" = --version ] && echo 'componentize-py 1' && exit 0\nexit 1\n");
    let mut dead = Command::new("/bin/sh").args(["-c", "exit 0"]).spawn().expect("starts");
    dead.wait().expect("ends");
    let names = [dead.id(), std::process::id()].map(|process| format!(".component.{process}.wasm.tmp"));
    let run = names.iter().fold(run, |run, name| run.file(&format!("a/build/{name}"), "half"));
    assert_eq!(run.command().output().expect("starts").status.code(), Some(1));
    let [_, living] = names;
    assert_eq!(unfinished(&run), [living]);
}
