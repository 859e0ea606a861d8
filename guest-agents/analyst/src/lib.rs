//! Weighs findings against the goal: how many there are, where from, and which speak of what was asked. Finds nothing itself.

#![forbid(unsafe_code)]

mod findings;
mod weigh;

use findings::{Finding, findings};
use sandfork_guest::{Agent, Context, Failure, Json, Task, json};
use std::collections::BTreeMap;
use weigh::{key_points, words};

struct Analyst;

impl Agent for Analyst {
    fn run(task: &Task, host: &mut Context) -> Result<Json, Failure> {
        let findings = findings(task, host)?;
        host.note(format!("weighing {} findings", findings.len()));
        Ok(analysis(&task.goal, &findings))
    }
}

sandfork_guest::export!(Analyst);

fn analysis(goal: &str, findings: &[Finding]) -> Json {
    let mut by_source = BTreeMap::<&str, usize>::new();
    for finding in findings {
        *by_source.entry(finding.file()).or_default() += 1;
    }
    let points = key_points(goal, findings);
    let spoken: usize = findings.iter().map(|finding| words(&finding.text).count()).sum();
    let points_json = |(finding, matches): &(&Finding, Vec<String>)| json!({ "text": finding.text, "source": finding.source, "matches": matches });
    json!({
        "counts": { "findings": findings.len(), "sources": by_source.len(), "words": spoken },
        "summary": format!(
            "{goal}: {} of {} findings from {} sources speak of it",
            points.len(), findings.len(), by_source.len()
        ),
        "key_points": points.iter().map(points_json).collect::<Json>(),
        "evidence_refs": points.iter().map(|(finding, _)| finding.source.as_str()).collect::<Json>(),
        "by_source": by_source,
    })
}

#[cfg(test)]
mod tests;
