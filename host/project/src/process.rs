//! One program of a toolchain, run to its end: no shell, no input, bounded output, bounded time. What it says is shown to
//! whoever looks on, and its last lines are kept for the case that it fails.

use crate::error::BuildError;
use crate::group::Group;
use crate::watch::{Untold, Watch};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// The longest a program may take: the slowest toolchain needs minutes on a slow machine.
const MOST_TIME: Duration = Duration::from_secs(30 * 60);
/// The longest it may take to say who it is: an interpreter may have to read all of its library first.
const MOST_ANSWER_TIME: Duration = Duration::from_secs(60);
/// How long a program's output is waited for after its end: a server it started may hold it open for ever.
const LINGER: Duration = Duration::from_secs(1);
/// How often somebody who looks on is told that time passes, and a program that says nothing is looked at.
const TICK: Duration = Duration::from_millis(100);
/// Bytes of one line that are kept.
const LINE_BYTES: u64 = 1 << 16;
/// Last lines kept for a failure.
const KEPT_LINES: usize = 40;
/// Bytes of standard output kept: cargo writes one message for each artifact.
const KEPT_OUTPUT: usize = 16 << 20;
/// Lines in flight between the program and whoever looks on.
const QUEUE_LINES: usize = 256;

/// A program and its arguments; each is handed over as it is.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// In a few words, for people.
    pub(crate) what: String,
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Variables to set, or to take away.
    pub(crate) env: Vec<(&'static str, Option<OsString>)>,
    /// Where it runs.
    pub(crate) dir: PathBuf,
    /// Whether standard output is data rather than talk.
    pub(crate) is_output_data: bool,
}

impl Program {
    pub(crate) fn new(what: &str, path: impl Into<PathBuf>, dir: &Path) -> Self {
        let (what, path, dir) = (what.to_owned(), path.into(), dir.to_owned());
        Self { what, path, args: Vec::new(), env: Vec::new(), dir, is_output_data: false }
    }

    pub(crate) fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Runs it, telling what it says.
    ///
    /// # Errors
    /// When it cannot be started, fails, or takes too long.
    pub(crate) fn run(&self, watch: &mut dyn Watch) -> Result<String, BuildError> {
        if watch.is_stopped() {
            return Err(BuildError::Stopped);
        }
        watch.step(&self.what);
        let mut group =
            Group::spawn(&mut self.command()).map_err(|error| self.failed(error.to_string(), Vec::new()))?;
        let mut kept = Kept::default();
        let ended = self.follow(&mut group, &mut kept, MOST_TIME, watch);
        // Whoever is still there is not waited for any longer, whatever the reason.
        drop(group);
        let said = Vec::from(kept.last);
        match ended {
            Ok(Some(status)) if status.success() => Ok(kept.output),
            Ok(Some(status)) => Err(self.failed(status.to_string(), said)),
            Ok(None) if watch.is_stopped() => Err(BuildError::Stopped),
            Ok(None) => Err(self.failed(format!("stopped after {} minutes", MOST_TIME.as_secs() / 60), said)),
            Err(error) => Err(self.failed(error.to_string(), said)),
        }
    }

    /// What it says in one line; `None` if it is not there or fails. For asking a program who it is.
    pub(crate) fn answer(&self, watch: &dyn Watch) -> Option<String> {
        self.answer_within(MOST_ANSWER_TIME, watch)
    }

    /// One that does not end in time, or says more than is kept, gives no answer.
    fn answer_within(&self, most_time: Duration, watch: &dyn Watch) -> Option<String> {
        let asked = Self { is_output_data: true, ..self.clone() };
        let (mut group, mut kept) = (Group::spawn(&mut asked.command()).ok()?, Kept::default());
        let status = asked.follow(&mut group, &mut kept, most_time, &mut Untold(watch)).ok()??;
        let text = kept.output.trim();
        (status.success() && !kept.is_cut && !text.is_empty()).then(|| text.to_owned())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(&self.args)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A toolchain written in Rust would add a trace of itself, and of what it says only the end is shown.
            .env_remove("RUST_BACKTRACE")
            .env_remove("RUST_LIB_BACKTRACE");
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Hands on every line until the program has ended; `None` if it has to be, because of the time or of whoever looks on.
    fn follow(
        &self,
        group: &mut Group,
        kept: &mut Kept,
        most_time: Duration,
        watch: &mut dyn Watch,
    ) -> io::Result<Option<ExitStatus>> {
        let lines = listen(&mut group.child)?;
        let started = Instant::now();
        let mut ended: Option<(Instant, ExitStatus)> = None;
        loop {
            match lines.recv_timeout(TICK) {
                Ok((Stream::Output, line)) if self.is_output_data => kept.data(&line),
                Ok((_, line)) => {
                    watch.line(&line);
                    kept.said(line);
                }
                Err(RecvTimeoutError::Timeout) => watch.tick(),
                // It has closed its output and works on in silence.
                Err(RecvTimeoutError::Disconnected) => {
                    if let Some(status) = group.ended()? {
                        return Ok(Some(status));
                    }
                    std::thread::sleep(TICK);
                    watch.tick();
                }
            }
            if ended.is_none() {
                ended = group.ended()?.map(|status| (Instant::now(), status));
            }
            match ended {
                Some((ended, status)) if ended.elapsed() > LINGER => return Ok(Some(status)),
                None if watch.is_stopped() || started.elapsed() > most_time => return Ok(None),
                _ => {}
            }
        }
    }

    fn failed(&self, ended: String, said: Vec<String>) -> BuildError {
        BuildError::Failed { step: self.what.clone(), ended, said }
    }
}

#[derive(Default)]
struct Kept {
    output: String,
    /// There was more than is kept.
    is_cut: bool,
    last: VecDeque<String>,
}

impl Kept {
    fn data(&mut self, line: &str) {
        if self.output.len() + line.len() < KEPT_OUTPUT {
            self.output.push_str(line);
            self.output.push('\n');
        } else {
            self.is_cut = true;
        }
    }

    fn said(&mut self, line: String) {
        if self.last.len() >= KEPT_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Output,
    Errors,
}

/// Reads both streams on threads of their own: a program that fills the one nobody reads would wait for ever.
fn listen(child: &mut Child) -> io::Result<Receiver<(Stream, String)>> {
    let (sender, receiver) = sync_channel(QUEUE_LINES);
    if let Some(output) = child.stdout.take() {
        read(Stream::Output, output, sender.clone())?;
    }
    if let Some(errors) = child.stderr.take() {
        read(Stream::Errors, errors, sender)?;
    }
    Ok(receiver)
}

fn read(which: Stream, from: impl Read + Send + 'static, to: SyncSender<(Stream, String)>) -> io::Result<()> {
    let reading = move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        loop {
            line.clear();
            // A line without end comes in pieces.
            match from.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
                    if to.send((which, text)).is_err() {
                        return;
                    }
                }
            }
        }
    };
    std::thread::Builder::new().name("toolchain".into()).spawn(reading).map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::watch::Silent;

    fn shell(script: &str) -> Program {
        Program::new("a test", "/bin/sh", Path::new("/")).args(["-c", script])
    }

    #[derive(Default)]
    struct Heard(Vec<String>);

    impl Watch for Heard {
        fn step(&mut self, what: &str) {
            self.0.push(format!("step {what}"));
        }
        fn line(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }
    }

    #[test]
    fn talk_is_told_and_data_is_kept() {
        let mut heard = Heard::default();
        let mut program = shell("echo data; echo talk >&2");
        program.is_output_data = true;
        assert_eq!(program.run(&mut heard).expect("ran"), "data\n");
        assert_eq!(heard.0, ["step a test", "talk"]);
    }

    #[test]
    fn a_failure_carries_the_last_lines_and_the_exit_status() {
        let failed = shell("i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; exit 3").run(&mut Silent);
        let Err(BuildError::Failed { ended, said, .. }) = failed else { panic!("{failed:?}") };
        assert!(ended.contains('3'), "{ended}");
        assert_eq!((said.len(), said.last().map(String::as_str)), (KEPT_LINES, Some("line 99")));
    }

    // A trace of the toolchain itself would push what it has to say out of the lines that are shown.
    #[test]
    fn a_toolchain_is_not_asked_for_traces_of_itself() {
        let mut heard = Heard::default();
        shell("echo \"${RUST_BACKTRACE-none} ${RUST_LIB_BACKTRACE-none}\"").run(&mut heard).expect("ran");
        assert_eq!(heard.0, ["step a test", "none none"]);
    }

    #[test]
    fn a_program_that_floods_both_streams_or_leaves_a_server_behind_comes_to_its_end() {
        let flood = "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2";
        assert!(shell(flood).run(&mut Silent).is_ok());
        assert!(shell("sleep 20 & exit 0").run(&mut Silent).is_ok());
    }

    #[test]
    fn what_is_not_there_cannot_be_started() {
        let program = Program::new("nothing", "/nowhere/at/all", Path::new("/"));
        assert!(matches!(program.run(&mut Silent), Err(BuildError::Failed { .. })));
        assert_eq!(program.answer(&Silent), None);
    }

    // HOSTILE 11: a program that never ends, that floods its output, or that closes it and goes on in silence
    #[test]
    fn a_program_that_never_says_who_it_is_is_given_up() {
        for script in ["exec sleep 600", "exec yes", "exec >&- 2>&-; exec sleep 600"] {
            assert_eq!(shell(script).answer_within(Duration::from_millis(300), &Silent), None, "{script}");
        }
        let long = shell("head -c 20000000 /dev/zero | tr '\\0' x");
        assert_eq!(long.answer(&Silent), None, "more than is kept");
        assert_eq!(shell("exec echo 1.2.3").answer(&Silent).as_deref(), Some("1.2.3"));
        assert_eq!(shell("echo 1.2.3; exec >&- 2>&-; exit 0").answer(&Silent).as_deref(), Some("1.2.3"));
    }

    #[test]
    fn an_argument_is_never_read_by_a_shell() {
        let echo = Program::new("echo", "/bin/echo", Path::new("/")).args(["$(id) `id` ; id | id"]);
        assert_eq!(echo.answer(&Silent).expect("an answer"), "$(id) `id` ; id | id");
    }
}
