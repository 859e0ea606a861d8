//! The binary in a terminal of a given size: what it draws is fed to a screen, picture by picture, so that a test sees each
//! of them however late it reads.

use crate::harness::Run;
use pty_process::Size;
use pty_process::blocking::{Command, Pty};
use std::io::{ErrorKind, Read as _, Write as _};
use std::num::NonZeroU16;
use std::process::{Child, Stdio};

/// Ends a picture: a test looks at the screen after each.
const PICTURE_ENDS: &[u8] = b"\x1b[?2026l";
/// Begins one.
const PICTURE_BEGINS: &str = "\x1b[?2026h";

/// What Ctrl-C sends.
const CTRL_C: &[u8] = b"\x03";
/// What Ctrl-S sends.
const CTRL_S: &[u8] = b"\x13";

/// A terminal with the binary in it.
pub(super) struct Window {
    // The run's directory lives as long as the window.
    run: Run,
    pty: Pty,
    child: Child,
    screen: vt100::Parser,
    /// Everything that was sent, as it was sent.
    sent: Vec<u8>,
    /// How much of it is on the screen.
    shown: usize,
}

/// What is left when the binary has ended.
pub(super) struct Left {
    pub(super) run: Run,
    pub(super) code: Option<i32>,
    /// What the screen shows, without trailing blanks.
    pub(super) screen: String,
    /// Everything that was sent to the terminal.
    pub(super) sent: String,
    /// Everything on stdout, if that was not the terminal.
    pub(super) stdout: String,
    /// Whether the cursor can be seen.
    pub(super) has_cursor: bool,
}

impl Window {
    /// Starts the binary with everything on the terminal.
    pub(super) fn open(run: Run, rows: u16, cols: u16) -> Self {
        Self::start(run, rows, cols, |_| ())
    }

    /// The same, but stdout goes elsewhere: into a pipe that nobody reads before the end.
    pub(super) fn open_with_stdout_elsewhere(run: Run, rows: u16, cols: u16) -> Self {
        Self::start(run, rows, cols, |command| {
            command.stdout(Stdio::piped());
        })
    }

    fn start(run: Run, rows: u16, cols: u16, change: impl FnOnce(&mut Command)) -> Self {
        let pty = Pty::new().expect("a terminal");
        pty.resize(Size::new(rows, cols)).expect("sized");
        let wanted = run.command();
        let mut command = Command::new(wanted.get_program());
        command.args(wanted.get_args()).current_dir(wanted.get_current_dir().expect("a directory"));
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        for (name, value) in wanted.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        change(&mut command);
        let child = command.spawn(&pty.pts().expect("the other end")).expect("the binary starts");
        let (rows, cols) = lengths(rows, cols);
        Self { run, pty, child, screen: vt100::Parser::new(rows, cols, 1_000), sent: Vec::new(), shown: 0 }
    }

    /// Reads along until a picture fits.
    pub(super) fn wait_until(&mut self, fits: impl Fn(&str) -> bool) -> String {
        loop {
            while self.show_next() {
                let shows = self.shows();
                if fits(&shows) {
                    return shows;
                }
            }
            assert!(self.read(), "it ended before it showed what was awaited; it sent\n{}", self.shows());
        }
    }

    /// Reads along until this is on the screen.
    pub(super) fn wait_for(&mut self, text: &str) -> String {
        self.wait_until(|shows| shows.contains(text))
    }

    /// Changes the size of the terminal.
    pub(super) fn resize(&mut self, rows: u16, cols: u16) {
        self.pty.resize(Size::new(rows, cols)).expect("sized");
        let (rows, cols) = lengths(rows, cols);
        self.screen.set_size(rows, cols);
    }

    /// Presses Ctrl-C.
    pub(super) fn interrupt(&mut self) {
        self.pty.write_all(CTRL_C).expect("pressed");
    }

    /// Presses Ctrl-S: the terminal takes nothing more from now on.
    pub(super) fn hold(&mut self) {
        self.pty.write_all(CTRL_S).expect("pressed");
    }

    /// What Ctrl-C comes to, past a terminal that is held.
    pub(super) fn interrupt_from_elsewhere(&self) {
        let sent = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for the end without reading from the terminal. The exit code, and what was on stdout.
    pub(super) fn end_unread(mut self) -> (Option<i32>, String) {
        let mut stdout = String::new();
        self.child.stdout.take().expect("piped").read_to_string(&mut stdout).expect("text");
        (self.child.wait().expect("ends").code(), stdout)
    }

    /// Reads to the end.
    pub(super) fn end(mut self) -> Left {
        while self.read() {}
        while self.show_next() {}
        let mut stdout = String::new();
        if let Some(mut pipe) = self.child.stdout.take() {
            pipe.read_to_string(&mut stdout).expect("text");
        }
        Left {
            code: self.child.wait().expect("ends").code(),
            screen: self.shows(),
            has_cursor: !self.screen.screen().hide_cursor(),
            sent: String::from_utf8(self.sent).expect("text"),
            stdout,
            run: self.run,
        }
    }

    fn shows(&self) -> String {
        let screen = self.screen.screen().contents();
        screen.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// Puts what was sent on the screen, up to the end of the next picture; false if there was nothing.
    fn show_next(&mut self) -> bool {
        let waiting = &self.sent[self.shown..];
        if waiting.is_empty() {
            return false;
        }
        let end = waiting.windows(PICTURE_ENDS.len()).position(|bytes| bytes == PICTURE_ENDS);
        let length = end.map_or(waiting.len(), |start| start + PICTURE_ENDS.len());
        self.screen.process(&waiting[..length]);
        self.shown += length;
        true
    }

    /// Reads what there is; false at the end.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.pty.read(&mut bytes) {
            // Linux says so when the last one has closed the other end.
            Err(error) if error.raw_os_error() == Some(5) => false,
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) => panic!("cannot read from the terminal: {error}"),
            Ok(0) => false,
            Ok(length) => {
                self.sent.extend_from_slice(&bytes[..length]);
                true
            }
        }
    }
}

impl Left {
    /// The lines of each picture, in the order they were drawn.
    pub(super) fn pictures(&self) -> Vec<usize> {
        let end = str::from_utf8(PICTURE_ENDS).expect("text");
        let pictures = self.sent.split(PICTURE_BEGINS).skip(1).map(|rest| rest.split(end).next().unwrap_or_default());
        pictures.map(|picture| picture.matches("\r\n").count()).collect()
    }
}

fn lengths(rows: u16, cols: u16) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).expect("rows"), NonZeroU16::new(cols).expect("columns"))
}
