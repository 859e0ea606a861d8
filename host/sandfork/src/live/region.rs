//! A block of lines at the end of what a terminal shows, drawn over again and again. Moves the cursor up, writes, clears
//! what is left: nothing is switched, so nothing has to be switched back. Knows no run.

use super::layout::Size;
use super::line::Line;
use std::fmt::Write as _;
use std::io::{self, Write};

/// A terminal that knows these shows a picture at once; others ignore them.
const PICTURE_BEGINS: &str = "\x1b[?2026h";
const PICTURE_ENDS: &str = "\x1b[?2026l";
const CLEAR_REST_OF_LINE: &str = "\x1b[K";
const CLEAR_BELOW: &str = "\x1b[J";

/// What stands on the terminal; empty where nothing does.
#[derive(Debug)]
pub(super) struct Region {
    text: String,
    /// Characters of each line.
    widths: Vec<usize>,
    is_closed: bool,
}

impl Region {
    pub(super) const fn new() -> Self {
        Self { text: String::new(), widths: Vec::new(), is_closed: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.widths.is_empty()
    }

    /// Draws these lines where the region stands. Each is cut before the last column: a full line would wrap in some
    /// terminals. The same picture again costs nothing.
    pub(super) fn draw(&mut self, out: &mut impl Write, lines: &[Line], size: Size, colours: bool) -> io::Result<()> {
        let mut text = String::new();
        let mut widths = Vec::with_capacity(lines.len());
        for line in lines {
            let (rendered, width) = line.render(size.cols.saturating_sub(1), colours);
            // Writing to a String cannot fail, here and below.
            let _ = write!(text, "{rendered}{CLEAR_REST_OF_LINE}\r\n");
            widths.push(width);
        }
        if self.is_closed || text == self.text {
            return Ok(());
        }
        let back = self.back(size);
        self.text = text;
        self.widths = widths;
        emit(out, &format!("{PICTURE_BEGINS}{back}{}{CLEAR_BELOW}{PICTURE_ENDS}", self.text))
    }

    /// Takes the region off the terminal.
    pub(super) fn clear(&mut self, out: &mut impl Write, size: Size) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let back = self.back(size);
        self.text.clear();
        self.widths.clear();
        emit(out, &format!("{back}{CLEAR_BELOW}"))
    }

    /// Takes it off for good: nothing is drawn any more.
    pub(super) fn close(&mut self, out: &mut impl Write, size: Size) -> io::Result<()> {
        self.is_closed = true;
        self.clear(out, size)
    }

    /// Puts a text for good above the region.
    pub(super) fn above(&mut self, out: &mut impl Write, text: &[u8], size: Size) -> io::Result<()> {
        if self.is_empty() {
            out.write_all(text)?;
            return out.flush();
        }
        let mut bytes = format!("{PICTURE_BEGINS}{}{CLEAR_BELOW}", self.back(size)).into_bytes();
        bytes.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(self.text.as_bytes());
        bytes.extend_from_slice(PICTURE_ENDS.as_bytes());
        out.write_all(&bytes)?;
        out.flush()
    }

    /// The way back to the region's first line. A terminal that became narrower has broken the lines that were wider; one
    /// that became lower has pushed the first ones out of reach.
    fn back(&self, size: Size) -> String {
        let lines: usize = self.widths.iter().map(|width| width.div_ceil(size.cols.max(1)).max(1)).sum();
        match lines.min(size.rows.saturating_sub(1)) {
            0 => "\r".into(),
            up => format!("\x1b[{up}A\r"),
        }
    }
}

/// One write for one picture, so that a terminal does not show half of it.
fn emit(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}
