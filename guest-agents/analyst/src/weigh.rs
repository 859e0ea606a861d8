//! Which findings speak of the goal: those that share its words, the most first. Pure text work, the same on every machine.

use crate::findings::Finding;

/// Most key points that are returned.
const MOST_POINTS: usize = 5;
/// Shorter words say too little to match by.
const SHORTEST: usize = 4;

/// The words of a text in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Findings with the words of the goal that occur in them: the most words first, then in the order of the findings.
pub(crate) fn key_points<'a>(goal: &str, findings: &'a [Finding]) -> Vec<(&'a Finding, Vec<String>)> {
    let mut asked: Vec<String> = words(goal).filter(|word| word.chars().count() >= SHORTEST).collect();
    asked.sort();
    asked.dedup();
    let mut points: Vec<(&Finding, Vec<String>)> = findings
        .iter()
        .map(|finding| {
            let said: Vec<String> = words(&finding.text).collect();
            (finding, asked.iter().filter(|word| said.contains(word)).cloned().collect())
        })
        .filter(|(_, matches): &(&Finding, Vec<String>)| !matches.is_empty())
        .collect();
    points.sort_by_key(|(_, matches)| std::cmp::Reverse(matches.len()));
    points.truncate(MOST_POINTS);
    points
}
