//! `edit_file`: one text for another, where it stands exactly once. Reads and writes under one lock, and leaves every byte
//! outside the replaced text as it was, line ends included.

use crate::workspace::fault::FileFault;
use crate::workspace::tree::Tree;
use crate::workspace::watch::Watch;
use serde_json::{Value, json};

pub(crate) fn edit(tree: &Tree, path: &str, old: &str, new: &str, watch: &Watch) -> Result<Value, FileFault> {
    let mut spent = tree.alone();
    let text = tree.text(path)?;
    let at = match occurrences(&text, old) {
        (0, _) => return Err(FileFault::TextNotFound { path: path.to_owned() }),
        (1, at) => at,
        (count, _) => return Err(FileFault::TextAmbiguous { path: path.to_owned(), count }),
    };
    let (before, rest) = text.split_at_checked(at).unwrap_or((&text, ""));
    let after = rest.get(old.len()..).unwrap_or_default();
    let line = before.matches('\n').count().saturating_add(1);
    let edited = [before, new, after].concat();
    let place = tree.place(path)?;
    tree.put(&place, &edited, path, &mut spent, watch)?;
    Ok(json!({ "path": path, "bytes": edited.len(), "replaced": 1, "line": line }))
}

/// How often `old` stands in `text`, and where first. Two overlapping places count as two: either could be meant.
fn occurrences(text: &str, old: &str) -> (usize, usize) {
    let mut apart = text.match_indices(old);
    let Some((at, _)) = apart.next() else { return (0, 0) };
    let more = apart.count();
    // Only a single place can hide an overlapping one, so that one more search is enough and the time stays linear.
    let next = at.saturating_add(old.chars().next().map_or(1, char::len_utf8));
    let is_overlapped = more == 0 && text.get(next..).is_some_and(|rest| rest.contains(old));
    (more.saturating_add(1).saturating_add(usize::from(is_overlapped)), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_that_could_be_meant_is_counted() {
        for (text, old, expected) in [
            ("", "a", (0, 0)),
            ("abc", "d", (0, 0)),
            ("abc", "b", (1, 1)),
            ("abcabc", "abc", (2, 0)),
            ("aaa", "aa", (2, 0)),
            ("xababa", "aba", (2, 1)),
            ("äbä", "ä", (2, 0)),
            ("-ää", "ää", (1, 1)),
            ("abc", "abc", (1, 0)),
        ] {
            assert_eq!(occurrences(text, old), expected, "{old} in {text}");
        }
    }
}
