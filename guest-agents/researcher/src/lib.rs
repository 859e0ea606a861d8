//! Finds what a workspace says, and where: paragraphs of one file, or those that a pattern occurs in. Draws no conclusion.

#![forbid(unsafe_code)]

mod paragraphs;

use paragraphs::{Paragraph, paragraphs};
use sandfork_guest::{Agent, Context, Failure, Json, Task, json};
use serde::Deserialize;

/// Most findings that are returned; a reader who needs more asks more narrowly.
const MOST_FINDINGS: usize = 50;
/// Most files that are read for one search.
const MOST_FILES: usize = 8;

struct Researcher;

#[derive(Deserialize)]
struct File {
    text: String,
}

#[derive(Deserialize)]
struct Found {
    matches: Vec<Match>,
    truncated: bool,
}

#[derive(Deserialize)]
struct Match {
    path: String,
    line: usize,
}

/// What has been found so far, and what could not be.
#[derive(Default)]
struct Findings {
    found: Vec<(String, String)>,
    files: usize,
    unresolved: Vec<String>,
}

impl Agent for Researcher {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        let text = |field: &str| task.context.get(field).and_then(Json::as_str);
        let findings = match (text("path"), text("pattern")) {
            (path, Some(pattern)) => search(host, pattern, path)?,
            (Some(path), None) => read(host, path)?,
            (None, None) => return Err(Failure::blocked(["path", "pattern"])),
        };
        Ok(findings.into_output(&task.goal))
    }
}

sandfork_guest::export!(Researcher);

/// All paragraphs of one file. A file that cannot be read is a failure: nothing else was asked for.
fn read(host: &mut Context, path: &str) -> Result<Findings, Failure> {
    host.note(format!("reading {path}"));
    let file: File = host.tool_as("read_file", &json!({ "path": path }))?;
    let mut findings = Findings::default();
    findings.add_file(path, paragraphs(&file.text));
    Ok(findings)
}

/// The paragraphs that a pattern occurs in. A file that cannot be read is named as unresolved: others may do.
fn search(host: &mut Context, pattern: &str, path: Option<&str>) -> Result<Findings, Failure> {
    host.note(format!("searching for {pattern}"));
    let arguments = match path {
        Some(path) => json!({ "pattern": pattern, "path": path }),
        None => json!({ "pattern": pattern }),
    };
    let found: Found = host.tool_as("search_files", &arguments)?;
    let mut findings = Findings::default();
    if found.truncated {
        findings.unresolved.push(format!("the search for {pattern} was cut"));
    }
    // Matches come sorted, those of one file in a row.
    for in_file in found.matches.chunk_by(|one, next| one.path == next.path) {
        let Some(Match { path, .. }) = in_file.first() else { continue };
        if findings.files == MOST_FILES {
            findings.unresolved.push(format!("{path} and what follows were not read"));
            break;
        }
        host.note(format!("reading {path}"));
        match host.tool_as::<File>("read_file", &json!({ "path": path })) {
            Ok(file) => {
                let hit = |paragraph: &Paragraph| in_file.iter().any(|found| paragraph.holds(found.line));
                findings.add_file(path, paragraphs(&file.text).filter(hit));
            }
            Err(error) => findings.unresolved.push(format!("{path} was not read: {}", error.code)),
        }
    }
    Ok(findings)
}

impl Findings {
    fn add_file<'a>(&mut self, path: &str, paragraphs: impl Iterator<Item = Paragraph<'a>>) {
        self.files += 1;
        for paragraph in paragraphs {
            if self.found.len() == MOST_FINDINGS {
                self.unresolved.push(format!("{path}:{} and what follows were left out", paragraph.line));
                return;
            }
            self.found.push((format!("{path}:{}", paragraph.line), paragraph.text()));
        }
    }

    fn into_output(self, goal: &str) -> Json {
        let (findings, files) = (self.found.len(), self.files);
        let places: Vec<&String> = self.found.iter().map(|(source, _)| source).collect();
        json!({
            "findings": self.found.iter().map(|(source, text)| json!({ "source": source, "text": text })).collect::<Json>(),
            "summary": format!("{goal}: {findings} findings in {files} files"),
            "evidence_refs": places,
            "unresolved": self.unresolved,
        })
    }
}

#[cfg(test)]
mod tests;
