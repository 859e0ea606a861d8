//! The live view: while a run goes on, a terminal shows its tree of forks. Fed by the same events as the log; knows no
//! orchestrator, no engine and no report, and what it shows is nobody's evidence.
//!
//! It draws for itself instead of through `indicatif`: a tree that folds itself to the height of the terminal is one block
//! of lines, not a set of progress bars that each keep a state of their own, and the block needs four escape sequences.
//! Nothing of the terminal is switched (no hidden cursor, no other screen, no raw mode), so however the process ends there
//! is nothing to restore.
//!
//! The run never waits for the terminal: the sink only counts, and a thread of the view's own draws what was counted, at
//! most ten times a second. A terminal that takes nothing more stops that thread and nothing else.

mod cells;
mod clock;
mod feed;
mod frame;
mod layout;
mod line;
mod node;
mod region;
pub(crate) mod screen;
#[cfg(test)]
mod tests;
mod tree;

use clock::Clock;
use feed::Feed;
use layout::Layout;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use tree::Tree;

/// Between two drawings, and before the first: a run that is over by then shows its summary and nothing that flashes by.
const REDRAW_EVERY: Duration = Duration::from_millis(100);
/// How long the end of a run waits for the terminal to take the view away. One that is held (Ctrl-S) takes nothing, and the
/// report must come out all the same.
const TAKEN_AWAY_WITHIN: Duration = Duration::from_secs(2);

/// What the sink writes and the drawing thread reads.
struct Watched {
    tree: Tree,
    clock: Clock,
}

/// A view that is being drawn. Dropped, it takes what it drew off the terminal again.
pub(crate) struct Live {
    /// Dropped to say that it is over.
    going_on: Option<Sender<()>>,
    /// Closed once the drawing thread has ended.
    drawing: Receiver<()>,
}

impl Live {
    /// Starts to draw what the feed gets to see. `None` where stderr is no terminal that can be drawn on.
    pub(crate) fn start(is_virtual: bool) -> Option<(Self, Feed)> {
        screen::size()?;
        let clock = if is_virtual { Clock::of_events() } else { Clock::of_the_machine() };
        let watched = Arc::new(Mutex::new(Watched { tree: Tree::default(), clock }));
        let seen = Arc::clone(&watched);
        let (going_on, until_over) = channel();
        let (alive, drawing) = channel();
        let thread = Builder::new().name("live view".into()).spawn(move || {
            draw(&seen, &until_over);
            screen::clear();
            drop::<Sender<()>>(alive);
        });
        // Without a thread to draw there are plain lines still.
        thread.ok()?;
        screen::make_room_for_panics();
        Some((Self { going_on: Some(going_on), drawing }, Feed::new(watched)))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.going_on.take();
        if self.drawing.recv_timeout(TAKEN_AWAY_WITHIN) == Err(RecvTimeoutError::Disconnected) {
            // There is something to clear only if drawing broke.
            screen::clear();
        }
    }
}

/// Draws until it is over.
fn draw(watched: &Mutex<Watched>, until_over: &Receiver<()>) {
    let mut layout = Layout::default();
    while until_over.recv_timeout(REDRAW_EVERY) == Err(RecvTimeoutError::Timeout) {
        let Some(size) = screen::size() else { continue };
        let lines = {
            let watched = lock(watched);
            frame::frame(&watched.tree, watched.clock.now_ns(Instant::now()), size, &mut layout)
        };
        screen::draw(&lines, size);
    }
}

/// A view is no reason to fail: what another thread left when it panicked is shown as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
