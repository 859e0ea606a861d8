//! The word that was probably meant.

/// Words longer than this are not compared: nobody mistypes them, and comparing costs the square of the length.
const MAX_WORD_CHARS: usize = 64;

/// The candidate nearest to `word`, if one is near enough to be a slip: one edit up to four characters, two up to eight,
/// three beyond. An exchange of neighbours is one edit. Ties go to the first candidate.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(MAX_WORD_CHARS + 1).flat_map(char::to_lowercase).collect();
    if word.len() > MAX_WORD_CHARS {
        return None;
    }
    let allowed = match word.len() {
        0..=1 => return None,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let mut best = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().take(MAX_WORD_CHARS + 1).flat_map(char::to_lowercase).collect();
        if letters.len() > MAX_WORD_CHARS || letters.len().abs_diff(word.len()) > allowed {
            continue;
        }
        let edits = distance(&word, &letters);
        // As many edits as letters would make anything near anything.
        if edits <= allowed && edits < letters.len() && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and exchanges of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous_a = None;
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        let mut previous_b = None;
        for (j, &y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut least = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if previous_a == Some(y) && previous_b == Some(x) && x != y && j > 0 {
                least = least.min(at(&before_last, j - 1) + 1);
            }
            row.push(least);
            previous_b = Some(y);
        }
        before_last = std::mem::replace(&mut last, row);
        previous_a = Some(x);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_finds_none() {
        let known = ["read_file", "edit_file", "goal", "run", "max_depth", "timeout"];
        for (word, expected) in [
            ("raed_file", Some("read_file")),
            ("readfile", Some("read_file")),
            ("Read_File", Some("read_file")),
            ("gaol", Some("goal")),
            ("maxdepth", Some("max_depth")),
            ("timout", Some("timeout")),
            ("rnu", Some("run")),
            ("banana", None),
            ("", None),
            ("x", None),
            ("ab", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }

    #[test]
    fn a_very_long_word_is_not_compared() {
        let long = "a".repeat(1 << 20);
        assert_eq!(nearest(&long, ["aaaa", long.as_str()]), None);
    }
}
