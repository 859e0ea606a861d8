//! How a build looks: one line that is written again on a terminal, a line a step elsewhere. What the toolchain says is
//! shown with `-v`, and a glimpse of it on a terminal.

use crate::cli::show;
use sandfork::Interrupt;
use sandfork::project::Watch;
use sandfork_report::plain::plain;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Terminals narrower than this show no glimpse.
const LEAST_COLUMNS: usize = 20;
/// How often the line is written again at most.
const PACE: Duration = Duration::from_millis(100);

pub(crate) struct Building {
    name: String,
    is_verbose: bool,
    /// Whether one line of a terminal is ours to write on.
    is_live: bool,
    started: Instant,
    drawn: Option<Instant>,
    step: String,
    glimpse: String,
    interrupt: Interrupt,
}

impl Building {
    pub(crate) fn start(name: &str, is_verbose: bool, interrupt: Interrupt) -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Self {
            name: name.to_owned(),
            is_verbose,
            is_live: !is_verbose && !is_dumb && io::stderr().is_terminal(),
            started: Instant::now(),
            drawn: None,
            step: String::new(),
            glimpse: String::new(),
            interrupt,
        }
    }

    /// Takes the line away; how long it all took, in seconds.
    pub(crate) fn end(self) -> f64 {
        if self.drawn.is_some() {
            write("\r\x1b[2K");
        }
        self.started.elapsed().as_secs_f64()
    }

    fn draw(&mut self) {
        if !self.is_live || self.drawn.is_some_and(|drawn| drawn.elapsed() < PACE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let columns = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(columns, _)| usize::from(columns.0));
        let head = format!("{}: {} {} s", self.name, self.step, self.started.elapsed().as_secs());
        let line = if columns > LEAST_COLUMNS { format!("{head}  {}", self.glimpse) } else { head };
        // The last column stays free: some terminals begin a new line after it.
        let line: String = line.chars().take(columns.saturating_sub(1)).collect();
        write(&format!("\r\x1b[2K{line}"));
    }
}

impl Watch for Building {
    fn step(&mut self, what: &str) {
        self.step = what.to_owned();
        if self.is_live {
            self.drawn = None;
            self.draw();
        } else {
            show::say(&format!("{}: {what}", self.name));
        }
    }

    fn line(&mut self, line: &str) {
        if self.is_verbose {
            show::say(&format!("  {}", plain(line)));
        } else if !line.trim().is_empty() {
            self.glimpse = plain(line.trim());
            self.draw();
        }
    }

    fn tick(&mut self) {
        self.draw();
    }

    fn is_stopped(&self) -> bool {
        self.interrupt.is_tripped()
    }
}

/// Progress is a courtesy: where it cannot be shown, the build goes on.
fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
