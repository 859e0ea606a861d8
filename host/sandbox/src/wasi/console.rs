//! What a guest has printed and no note has taken yet: at most one line of each stream, cut where it is long. Bytes in, text out.

/// Bytes a guest may hand over at once: what WASI's own hosts promise for every stream.
pub(crate) const WRITE_BYTES: usize = 4 << 10;
/// The longest line that is waited for. A longer one becomes several notes.
const LINE_BYTES: usize = 4 << 10;

/// Which of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// `wasi:cli/stdout`.
    Out,
    /// `wasi:cli/stderr`.
    Error,
}

/// What was printed and not noted.
#[derive(Debug, Default)]
pub(crate) struct Console {
    out: Vec<u8>,
    error: Vec<u8>,
}

impl Console {
    /// Takes what was printed; answers all whole lines that there are now, as one text.
    pub(crate) fn print(&mut self, stream: Stream, bytes: &[u8]) -> Option<String> {
        let held = match stream {
            Stream::Out => &mut self.out,
            Stream::Error => &mut self.error,
        };
        held.extend_from_slice(bytes);
        let end = match held.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => newline.saturating_add(1),
            None if held.len() >= LINE_BYTES => whole_characters(held),
            None => return None,
        };
        let rest = held.split_off(end.min(held.len()));
        text(&std::mem::replace(held, rest))
    }

    /// What is left when nothing more will be printed, stream by stream.
    pub(crate) fn rest(&mut self) -> Option<String> {
        text(&std::mem::take(&mut self.out)).or_else(|| text(&std::mem::take(&mut self.error)))
    }
}

/// Where to cut so that no character is: it ends at most three bytes early.
fn whole_characters(bytes: &[u8]) -> usize {
    let is_start = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let last = bytes.iter().rev().take(4).position(is_start).map_or(0, |back| back.saturating_add(1));
    let start = bytes.len().saturating_sub(last);
    let is_whole = bytes.get(start..).is_some_and(|last| std::str::from_utf8(last).is_ok());
    if is_whole || start == 0 { bytes.len() } else { start }
}

/// The text of some lines, without the end of the last; nothing if there is nothing to read in it.
fn text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(parts: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut console = Console::default();
        let noted = parts.iter().filter_map(|part| console.print(Stream::Out, part.as_bytes())).collect();
        (noted, std::iter::from_fn(|| console.rest()).collect())
    }

    #[test]
    fn a_line_is_noted_when_it_is_whole_and_the_rest_at_the_end() {
        assert_eq!(printed(&["a", "b\n", "c"]), (vec!["ab".into()], vec!["c".into()]));
        assert_eq!(printed(&["a\nb\nc"]), (vec!["a\nb".into()], vec!["c".into()]));
        assert_eq!(printed(&["\n", "\r\n", ""]), (vec![], vec![]));
    }

    #[test]
    fn the_streams_do_not_mix() {
        let mut console = Console::default();
        assert_eq!(console.print(Stream::Out, b"out"), None);
        assert_eq!(console.print(Stream::Error, b"error\n").as_deref(), Some("error"));
        assert_eq!(console.rest().as_deref(), Some("out"));
        assert_eq!(console.rest(), None);
    }

    // Without the cut a guest that never ends its line would fill the host's memory.
    #[test]
    fn a_line_without_end_is_cut_between_characters() {
        let mut console = Console::default();
        let line = "é".repeat(LINE_BYTES);
        let (mut noted, mut most) = (String::new(), 0);
        for part in line.as_bytes().chunks(1_001) {
            noted.extend(console.print(Stream::Out, part));
            most = most.max(console.out.len());
        }
        noted.extend(console.rest());
        assert_eq!(noted, line);
        assert!(most < LINE_BYTES + 1_001, "{most}");
    }

    #[test]
    fn what_is_no_text_is_shown_as_such() {
        let mut console = Console::default();
        assert_eq!(console.print(Stream::Out, b"a\xffb\n").as_deref(), Some("a\u{fffd}b"));
        for byte in 0..=u8::MAX {
            let noted = Console::default().print(Stream::Out, &[byte; LINE_BYTES]);
            assert!(noted.is_some() || matches!(byte, b'\n' | b'\r'), "{byte}");
        }
    }
}
