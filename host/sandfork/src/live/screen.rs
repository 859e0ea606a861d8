//! The one stderr of this process while a region may stand on it: whoever writes there goes through here, so that a message
//! stands above the region and never in it. Writing is a courtesy: where it fails, the run goes on.

use super::layout::Size;
use super::line::Line;
use super::lock;
use super::region::Region;
use std::io::{self, Write};
use std::sync::{Mutex, Once, mpsc};
use std::time::Duration;

/// There is one stderr, so there is one of this.
static REGION: Mutex<Region> = Mutex::new(Region::new());

/// The smallest terminal that is drawn on; below this, plain lines say more.
const SMALLEST: Size = Size { rows: 5, cols: 20 };
/// How long somebody who must not be held up waits for the terminal to take a last word.
const LAST_WORD: Duration = Duration::from_millis(200);

/// The size of the terminal behind stderr; `None` where there is none, or none that can be drawn on.
pub(super) fn size() -> Option<Size> {
    if is_dumb() {
        return None;
    }
    size_now().filter(|size| size.rows >= SMALLEST.rows && size.cols >= SMALLEST.cols)
}

fn size_now() -> Option<Size> {
    let (cols, rows) = terminal_size::terminal_size_of(io::stderr())?;
    Some(Size { rows: rows.0.into(), cols: cols.0.into() })
}

/// Whether stderr may carry colours: on a terminal that knows them, unless `NO_COLOR` says otherwise.
pub(crate) fn has_colours() -> bool {
    io::IsTerminal::is_terminal(&io::stderr())
        && !is_dumb()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// The size to find the way back by. Where there is no terminal any more, any will do.
fn way_back() -> Size {
    size_now().unwrap_or(SMALLEST)
}

pub(super) fn draw(lines: &[Line], size: Size) {
    let _ = lock(&REGION).draw(&mut io::stderr().lock(), lines, size, has_colours());
}

/// Takes the region away.
pub(super) fn clear() {
    let _ = lock(&REGION).clear(&mut io::stderr().lock(), way_back());
}

/// Takes the region away before the process ends at once, unless the terminal takes nothing more.
pub(crate) fn close_or_leave() {
    unless_stuck(|| drop(lock(&REGION).close(&mut io::stderr().lock(), way_back())));
}

/// One message above the region, for somebody who must not be held up by a terminal that takes nothing more.
pub(crate) fn say_or_leave(message: &'static str) {
    unless_stuck(move || drop(writeln!(Stderr, "{message}")));
}

fn unless_stuck(write: impl FnOnce() + Send + 'static) {
    let (written, is_written) = mpsc::sync_channel(1);
    let writing = std::thread::Builder::new().name("last word".into()).spawn(move || {
        write();
        let _ = written.send(());
    });
    if writing.is_ok() {
        let _ = is_written.recv_timeout(LAST_WORD);
    }
}

/// Lets a panic's message stand above the region like any other.
pub(super) fn make_room_for_panics() {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Held while the message is written; a panic in here itself must still be told.
            let region = REGION.try_lock();
            if let Ok(mut region) = region {
                let _ = region.clear(&mut io::stderr().lock(), way_back());
                tell(panic);
            } else {
                tell(panic);
            }
        }));
    });
}

/// Stderr, for everything that is not the region: each write goes above it.
#[derive(Debug)]
pub(crate) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&REGION).above(&mut io::stderr().lock(), bytes, way_back())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
