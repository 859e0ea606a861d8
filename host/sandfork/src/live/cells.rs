//! Words for one cell of the view: short, of a bounded width, one column a character.

use sandfork_model::redact::redact;

/// A name that came from a plan or a guest: what a terminal would obey, and what is wider than it looks, is masked.
pub(super) fn name(text: &str) -> String {
    redact(text).chars().map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect()
}

/// The end of a name, where it is longer than `width`: task ids differ at their ends.
pub(super) fn tail(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let kept = text.chars().skip(length - width.saturating_sub(1));
    std::iter::once('…').chain(kept).take(width).collect()
}

/// The beginning of a text, where it is longer than `width`.
pub(super) fn head(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).take(width).collect()
}

/// A number in at most five characters: `999`, `1.2k`, `640M`.
pub(super) fn short(n: u64) -> String {
    const UNITS: [(u64, char); 5] =
        [(1_000_000_000_000_000, 'P'), (1_000_000_000_000, 'T'), (1_000_000_000, 'G'), (1_000_000, 'M'), (1_000, 'k')];
    match UNITS.into_iter().find(|(unit, _)| n >= *unit) {
        None => n.to_string(),
        Some((unit, letter)) if n / unit < 10 => format!("{}.{}{letter}", n / unit, n % unit / (unit / 10)),
        Some((unit, letter)) => format!("{}{letter}", n / unit),
    }
}

/// A time in at most six characters, rounded down: tenths only where they matter, so that the view is calm.
pub(super) fn time(ns: u64) -> String {
    let tenths = ns / 100_000_000;
    match tenths {
        0..100 => format!("{}.{} s", tenths / 10, tenths % 10),
        100..6_000 => format!("{} s", tenths / 10),
        6_000..360_000 => format!("{} min", tenths / 600),
        _ => format!("{} h", tenths / 36_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_stay_short() {
        let numbers = [(0, "0"), (999, "999"), (1_000, "1.0k"), (12_345, "12k"), (640_000_000, "640M")];
        for (n, words) in numbers {
            assert_eq!(short(n), words);
        }
        let seconds = 1_000_000_000;
        let times = [(0, "0.0 s"), (seconds * 3 / 2, "1.5 s"), (59 * seconds, "59 s"), (3_600 * seconds, "60 min")];
        for (ns, words) in times {
            assert_eq!(time(ns), words);
        }
        assert!(short(u64::MAX).chars().count() <= 6 && time(u64::MAX).chars().count() <= 9);
    }

    #[test]
    fn a_name_cannot_steer_the_terminal() {
        assert_eq!(name("a\u{1b}[2J\u{202e}b 宽"), "a?[2J?b??");
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!(tail("root/12/fetch", 8), "…2/fetch");
        assert_eq!(head("a-long-agent", 6), "a-lon…");
        for width in 0..3 {
            assert!(tail("abcdef", width).chars().count() <= width && head("abcdef", width).chars().count() <= width);
        }
    }
}
