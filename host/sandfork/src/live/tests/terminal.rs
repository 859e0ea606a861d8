//! The region on a terminal: drawn over, written above, taken away.

use super::super::line::{Line, Tone};
use super::super::region::Region;
use super::Size;
use std::num::NonZeroU16;

const SIZE: Size = Size { rows: 6, cols: 20 };

/// A terminal and what stands on it.
struct Screen(vt100::Parser);

impl Screen {
    fn new() -> Self {
        let rows = NonZeroU16::new(6).unwrap();
        let cols = NonZeroU16::new(20).unwrap();
        let mut screen = Self(vt100::Parser::new(rows, cols, 100));
        screen.0.process(b"$ sandfork\r\n");
        screen
    }

    fn shows(&self) -> String {
        self.0.screen().contents().trim_end().to_owned()
    }

    fn with(&mut self, write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> usize {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        self.0.process(&bytes);
        bytes.len()
    }
}

fn lines(texts: &[&str]) -> Vec<Line> {
    let line = |text: &&str| {
        let mut line = Line::default();
        line.push(Tone::Plain, *text);
        line
    };
    texts.iter().map(line).collect()
}

#[test]
fn a_picture_replaces_the_one_before_it_and_is_taken_away_without_a_trace() {
    let (mut screen, mut region) = (Screen::new(), Region::new());
    screen.with(|out| region.draw(out, &lines(&["one", "two", "three"]), SIZE, false));
    assert_eq!(screen.shows(), "$ sandfork\none\ntwo\nthree");
    screen.with(|out| region.draw(out, &lines(&["1", "2"]), SIZE, false));
    assert_eq!(screen.shows(), "$ sandfork\n1\n2");
    screen.with(|out| region.clear(out, SIZE));
    assert_eq!(screen.shows(), "$ sandfork");
    assert_eq!(screen.0.screen().cursor_position(), (1, 0));
    assert_eq!(screen.with(|out| region.clear(out, SIZE)), 0, "nothing there, nothing written");
}

#[test]
fn the_same_picture_again_writes_nothing() {
    let (mut screen, mut region) = (Screen::new(), Region::new());
    assert!(screen.with(|out| region.draw(out, &lines(&["one"]), SIZE, true)) > 0);
    assert_eq!(screen.with(|out| region.draw(out, &lines(&["one"]), SIZE, true)), 0);
}

#[test]
fn a_message_stands_above_the_region_for_good() {
    let (mut screen, mut region) = (Screen::new(), Region::new());
    screen.with(|out| region.draw(out, &lines(&["one", "two"]), SIZE, false));
    screen.with(|out| region.above(out, b"stopping\r\n", SIZE));
    screen.with(|out| region.above(out, b"no line break", SIZE));
    assert_eq!(screen.shows(), "$ sandfork\nstopping\nno line break\none\ntwo");
    screen.with(|out| region.clear(out, SIZE));
    assert_eq!(screen.shows(), "$ sandfork\nstopping\nno line break");
}

#[test]
fn a_terminal_that_became_narrower_has_broken_lines_and_all_of_them_go() {
    let (mut screen, mut region) = (Screen::new(), Region::new());
    let narrow = Size { rows: 6, cols: 10 };
    screen.with(|out| region.draw(out, &lines(&["fifteen letters", "two"]), SIZE, false));
    // What a terminal that breaks lines makes of it.
    screen.0.process(b"\x1b[2J\x1b[H$ sandfork\r\nfifteen le\r\ntters\r\ntwo\r\n");
    screen.with(|out| region.draw(out, &lines(&["fifteen letters", "two"]), narrow, false));
    assert_eq!(screen.shows(), "$ sandfork\nfifteen …\ntwo");
    screen.with(|out| region.clear(out, narrow));
    assert_eq!(screen.shows(), "$ sandfork");
}

#[test]
fn a_region_that_was_closed_is_not_drawn_again() {
    let (mut screen, mut region) = (Screen::new(), Region::new());
    screen.with(|out| region.draw(out, &lines(&["one"]), SIZE, false));
    screen.with(|out| region.close(out, SIZE));
    screen.with(|out| region.draw(out, &lines(&["two"]), SIZE, false));
    assert_eq!(screen.shows(), "$ sandfork");
}

#[test]
fn a_line_never_reaches_the_last_column() {
    let (mut screen, mut region) = (Screen::new(), Region::new());
    screen.with(|out| region.draw(out, &lines(&["x".repeat(50).as_str()]), SIZE, false));
    assert_eq!(screen.shows(), format!("$ sandfork\n{}…", "x".repeat(18)));
}
