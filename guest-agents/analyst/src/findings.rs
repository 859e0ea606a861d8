//! Where findings come from: the context, or else artifacts that the task rests on.

use sandfork_guest::{Context, Failure, Json, Task, json};
use serde::Deserialize;

/// Most parts of one artifact that are read; a part is 64 KiB or so.
const MOST_PARTS: usize = 16;

/// Something that was found, and where.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Finding {
    /// `path:line`, or a reference.
    pub(crate) source: String,
    /// What it says.
    pub(crate) text: String,
}

impl Finding {
    /// The source without its line.
    pub(crate) fn file(&self) -> &str {
        match self.source.rsplit_once(':') {
            Some((file, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => file,
            _ => &self.source,
        }
    }
}

#[derive(Deserialize)]
struct Part {
    text: String,
    more: bool,
}

/// The findings of a task; blocked if it names none and nowhere to look.
pub(crate) fn findings(task: &Task, host: &mut Context) -> Result<Vec<Finding>, Failure> {
    if let Some(findings) = task.context.get("findings") {
        return serde_findings(findings.clone());
    }
    if task.context_refs.is_empty() {
        return Err(Failure::blocked(["findings"]));
    }
    let mut all = Vec::new();
    for reference in &task.context_refs {
        host.note(format!("reading {reference}"));
        all.extend(in_text(reference, &whole(host, reference)?)?);
    }
    Ok(all)
}

/// An artifact's text, part by part.
fn whole(host: &mut Context, reference: &str) -> Result<String, Failure> {
    let mut text = String::new();
    for _ in 0..MOST_PARTS {
        let part: Part = host.tool_as("artifact_get", &json!({ "ref": reference, "offset": text.len() }))?;
        text.push_str(&part.text);
        if !part.more {
            return Ok(text);
        }
    }
    Err(Failure::new("too_large", format!("{reference} has more than {} bytes", text.len())))
}

/// What a researcher returned, if the text is that; else each line is a finding.
fn in_text(reference: &str, text: &str) -> Result<Vec<Finding>, Failure> {
    match sandfork_guest::serde_json::from_str::<Json>(text) {
        Ok(Json::Object(mut output)) if output.contains_key("findings") => {
            serde_findings(output.remove("findings").unwrap_or_default())
        }
        _ => Ok(text
            .lines()
            .zip(1..)
            .filter(|(line, _)| !line.trim().is_empty())
            .map(|(line, number)| Finding { source: format!("{reference}:{number}"), text: line.trim().to_owned() })
            .collect()),
    }
}

fn serde_findings(findings: Json) -> Result<Vec<Finding>, Failure> {
    sandfork_guest::serde_json::from_value(findings)
        .map_err(|error| Failure::new("invalid_findings", format!("findings are {{source, text}} each: {error}")))
}
