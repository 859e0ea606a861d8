//! The index of a run's artifacts: JSON Lines, only ever appended to, one write a line, forced to disk before anybody is
//! told. Reading takes the longest part that is whole. Knows lines; knows nothing of what they lead to.

use crate::artifacts::contents::private_file;
use crate::artifacts::entry::Entry;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The index's name in the run's directory of artifacts.
pub(crate) const INDEX: &str = "index.jsonl";
/// Bytes of an index that are read: ten thousand lines of the longest kind.
const INDEX_BYTES: u64 = 128 << 20;

/// The end of the index that is written to.
#[derive(Debug)]
pub(crate) struct Appender {
    file: File,
    /// Bytes of whole lines.
    whole_bytes: u64,
    /// A torn line could not be taken back: nothing may follow it.
    is_broken: bool,
}

impl Appender {
    /// Begins an index, whatever was there.
    pub(crate) fn begin(directory: &Path) -> io::Result<Self> {
        let file = private_file().write(true).create(true).truncate(true).open(directory.join(INDEX))?;
        Ok(Self { file, whole_bytes: 0, is_broken: false })
    }

    /// Appends one line and forces it to disk. A line that could not be written whole is taken back.
    pub(crate) fn append(&mut self, entry: &Entry) -> io::Result<()> {
        if self.is_broken {
            return Err(io::Error::other("an earlier line was torn and could not be taken back"));
        }
        let line = entry.to_line();
        match self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()) {
            Ok(()) => {
                self.whole_bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
                Ok(())
            }
            Err(error) => {
                let taken_back = self.file.set_len(self.whole_bytes);
                let at_end = taken_back.and_then(|()| self.file.seek(SeekFrom::Start(self.whole_bytes)));
                self.is_broken = at_end.is_err();
                Err(error)
            }
        }
    }
}

/// What an index says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Read {
    /// The entries, in the order in which they were written.
    pub(crate) entries: Vec<Entry>,
    /// Bytes behind them that are no whole line: what was being written when the process ended.
    pub(crate) torn_bytes: u64,
}

/// Reads the index of a directory; one that is not there is empty.
pub(crate) fn read(directory: &Path) -> io::Result<Read> {
    let path = directory.join(INDEX);
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        // A pipe would keep the reader waiting, a device could be without end.
        Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "its index is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Read::default()),
        Err(error) => return Err(error),
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(INDEX_BYTES).read_to_end(&mut bytes)?;
    Ok(whole_lines(&bytes))
}

/// The longest beginning whose every line is whole and the next version of its name. Nothing behind a bad line counts: what
/// wrote it wrote in order.
pub(crate) fn whole_lines(bytes: &[u8]) -> Read {
    let (mut entries, mut whole_bytes) = (Vec::new(), 0);
    let mut versions: HashMap<String, u64> = HashMap::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        let Some(entry) = text.and_then(Entry::from_line) else { break };
        let latest = versions.entry(entry.reference.name.clone()).or_default();
        if entry.reference.version != *latest + 1 {
            break;
        }
        *latest += 1;
        entries.push(entry);
        whole_bytes += line.len();
    }
    let torn_bytes = u64::try_from(bytes.len() - whole_bytes).unwrap_or(u64::MAX);
    Read { entries, torn_bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_model::{ArtifactRef, sha256_hex};

    fn entry(name: &str, version: u64) -> Entry {
        Entry {
            reference: ArtifactRef { name: name.into(), version },
            sha256: sha256_hex(b"x"),
            bytes: 1,
            lines: 1,
            media_type: Some("text/plain; \"quoted\"".into()),
            task_id: "root/1".into(),
            agent: "logs".into(),
            by_event: Some("evt-root/1-4".into()),
            made_by: "tool_put".into(),
            inputs: vec!["artifact://a/v1".into()],
            inputs_more: false,
        }
    }

    fn lines() -> (Vec<Entry>, Vec<u8>) {
        let entries = vec![entry("a", 1), entry("b", 1), entry("a", 2)];
        let text: String = entries.iter().map(Entry::to_line).collect();
        (entries, text.into_bytes())
    }

    // GV-50: cut anywhere, what is read is a beginning of what was written, line by line
    #[test]
    fn an_index_cut_at_any_byte_gives_its_whole_lines() {
        let (entries, bytes) = lines();
        for cut in 0..=bytes.len() {
            let read = whole_lines(&bytes[..cut]);
            let whole = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(read.entries, entries[..whole], "cut at {cut}");
            let last = bytes[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            assert_eq!(read.torn_bytes, (cut - last) as u64);
        }
    }

    #[test]
    fn no_changed_byte_of_a_line_goes_unnoticed() {
        let (entries, bytes) = lines();
        let first = bytes.iter().position(|byte| *byte == b'\n').expect("a line");
        for at in 0..=first {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let read = whole_lines(&changed);
            assert!(read.entries.is_empty(), "byte {at} changed and {:?} was read", read.entries);
        }
        assert_eq!(whole_lines(&bytes).entries, entries);
    }

    // A line on a full disk is an error; what cannot be taken back is never written behind.
    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_follows_a_line_that_may_be_torn() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let mut appender = Appender { file: full, whole_bytes: 0, is_broken: false };
        let error = appender.append(&entry("a", 1)).expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(appender.append(&entry("a", 1)).expect_err("still").to_string().contains("torn"));
    }

    #[test]
    fn every_line_is_a_json_document_and_follows_the_version_before_it() {
        let (_, bytes) = lines();
        for line in std::str::from_utf8(&bytes).expect("UTF-8").lines() {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(line["entry"]["made_by"], "tool_put");
        }
        let doubled = [entry("a", 1).to_line(), entry("a", 1).to_line()].concat();
        assert_eq!(whole_lines(doubled.as_bytes()).entries.len(), 1);
        assert!(whole_lines(entry("a", 2).to_line().as_bytes()).entries.is_empty());
        assert_eq!(whole_lines(b"not an index\n"), Read { entries: Vec::new(), torn_bytes: 13 });
    }
}
