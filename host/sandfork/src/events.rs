//! Kept event logs, ingested as if they were delivered just now: any files, in any order, with any lines twice.

use crate::error::HostError;
use crate::problem::{of_file, usage};
use sandfork_causal::{Answer, Ingest, Limits, Missing, Needs, State, TaskNeeds, WaitingFor};
use sandfork_model::Deliveries;
use sandfork_report::Failure;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// The longest line of a log, in bytes.
const LINE_BYTES: u64 = 1 << 20;
/// Lines that did not go through, told one by one; more are counted only.
const TOLD_LINES: usize = 20;

/// What came of all files together.
#[derive(Debug)]
pub struct Ingested {
    /// What the deliveries came to.
    pub counts: Deliveries,
    /// Every task's state.
    pub state: State,
    /// What to fetch once more.
    pub missing: Vec<Missing>,
    /// Run, task, agent of each thread that waits, and what for.
    pub waiting: Vec<([String; 3], WaitingFor)>,
    /// Events that wait.
    pub held: usize,
    /// The first lines that were rejected: `FILE:LINE: why`.
    pub rejected: Vec<String>,
}

/// Ingests files of events, one JSON document a line. `needs` is a list of `JOIN=TASK,TASK,…`; a task with `?` behind it may
/// have ended in any way.
///
/// # Errors
/// A file that cannot be read, or needs that make no graph. A bad line is data.
pub fn ingest_files(files: &[PathBuf], needs: &[String]) -> Result<Ingested, HostError> {
    let mut ingest = Ingest::new(Limits::default(), parse(needs)?);
    let (mut state, mut rejected) = (State::default(), Vec::new());
    for path in files {
        let unreadable = |error: io::Error| Failure {
            code: "invalid_events",
            message: format!("the events of {} cannot be read", path.display()),
            problems: vec![of_file(path, error)],
        };
        let mut file = BufReader::new(open(path).map_err(unreadable)?);
        let mut number = 0_u64;
        while let Some(line) = next_line(&mut file).map_err(unreadable)? {
            number += 1;
            if line.trim().is_empty() {
                continue;
            }
            let why = match ingest.deliver_line(&line) {
                Answer::Applied(applied) | Answer::Duplicate(applied) => {
                    applied.events.iter().for_each(|event| state.apply(event));
                    applied.joins.iter().for_each(|(run, task)| state.fire(run, task));
                    continue;
                }
                Answer::Held { .. } => continue,
                Answer::Conflict(clash) => format!("conflict: {clash}"),
                Answer::Refused(refused) => format!("refused: {refused}"),
            };
            if rejected.len() < TOLD_LINES {
                rejected.push(format!("{}:{number}: {why}", path.display()));
            }
        }
    }
    let waiting = ingest.waiting().into_iter().map(|(name, reason)| (name.map(str::to_owned), reason)).collect();
    Ok(Ingested { counts: ingest.counts(), missing: ingest.missing(), held: ingest.held(), state, waiting, rejected })
}

/// A regular file. Anything else could be without end, or keep the reader waiting.
fn open(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// The next line without its end; the rest of one that is too long is passed over, and what is left of it is no event.
fn next_line(file: &mut BufReader<File>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if file.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_whole = line.ends_with(b"\n");
    if !is_whole && u64::try_from(line.len()).is_ok_and(|bytes| bytes == LINE_BYTES) {
        pass_line(file)?;
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()))
}

fn pass_line(file: &mut BufReader<File>) -> io::Result<()> {
    loop {
        let buffer = file.fill_buf()?;
        let (passed, is_end) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(place) => (place + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        file.consume(passed);
        if is_end {
            return Ok(());
        }
    }
}

fn parse(needs: &[String]) -> Result<Needs, HostError> {
    let mut tasks: BTreeMap<String, TaskNeeds> = BTreeMap::new();
    for text in needs {
        let (join, list) = match text.split_once('=') {
            Some((join, list)) if !join.is_empty() && !list.is_empty() => (join, list),
            _ => return Err(usage(format!("--needs {text}: expected JOIN=TASK,TASK")).into()),
        };
        let entry = tasks.entry(join.to_owned()).or_default();
        for task in list.split(',') {
            match task.strip_suffix('?') {
                Some(task) => entry.optional.push(task.to_owned()),
                None => entry.all.push(task.to_owned()),
            }
        }
    }
    Ok(Needs::new(tasks).map_err(|cycle| usage(format!("--needs: {cycle}")))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("events.jsonl");
        std::fs::write(&path, text).expect("written");
        (home, path)
    }

    #[test]
    fn a_line_without_end_is_refused_and_the_next_one_is_read() {
        let event = r#"{"event_id":"e","run_id":"r","task_id":"t","agent_id":"a","seq_no":1,"idempotency_key":"k","event_type":"x"}"#;
        let long = "x".repeat(usize::try_from(LINE_BYTES).expect("fits") * 2 + 7);
        let (_home, path) = file(&format!("{long}\n{event}\n\n{event}"));
        let ingested = ingest_files(&[path], &[]).expect("read");
        assert_eq!((ingested.counts.refused, ingested.counts.applied, ingested.counts.duplicates), (1, 1, 1));
        assert!(ingested.rejected[0].contains("events.jsonl:1: refused: no event"), "{:?}", ingested.rejected);
    }

    #[test]
    fn needs_are_read_strictly_and_a_circle_is_named() {
        for (bad, why) in [("join", "expected JOIN"), ("=a", "expected JOIN"), ("a=a", "circle: a → a")] {
            let error = ingest_files(&[], &[bad.to_owned()]).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(ingest_files(&[PathBuf::from("no such file")], &[]).is_err());
    }
}
