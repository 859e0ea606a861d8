//! Numbers with a unit, as a plan writes them. `unlimited` is a word of its own and never a number; `0` is none; what is
//! absent never gets here (HOSTILE 16).

use sandfork_model::cap::{Cap, HOST_CEILING};
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_source::{Node, NodeValue, Problem, Problems, duration, nearest, quote, size};
use std::time::Duration;

/// The word for the host's own ceiling.
const UNLIMITED: &str = "unlimited";

/// A count: a whole number or `unlimited`.
pub(crate) fn count(node: &Node, path: &str, problems: &mut Problems) -> Option<Cap> {
    cap(node, path, "a whole number, or unlimited", |_| None, problems)
}

/// An amount of bytes: `64MiB`, a whole number, or `unlimited`.
pub(crate) fn bytes(node: &Node, path: &str, problems: &mut Problems) -> Option<Cap> {
    cap(node, path, "a size as in 64MiB, or unlimited", size, problems)
}

/// A count of at least 1, or `unlimited`.
pub(crate) fn count_from_one(node: &Node, path: &str, problems: &mut Problems) -> Option<u64> {
    match count(node, path, problems)? {
        Cap::Finite(0) => {
            let problem = wrong(node, path, problems, "a whole number of at least 1, or unlimited");
            problems.push(problem.hint("with 0 nothing could ever run"));
            None
        }
        cap => Some(cap.ceiling()),
    }
}

/// A time limit: `10s`, or `unlimited` for the host's ceiling. Never 0.
pub(crate) fn time(node: &Node, path: &str, problems: &mut Problems) -> Option<Duration> {
    const EXPECTED: &str = "a time as in 10s, 500ms or 5m, or unlimited";
    match time_or_unlimited(node, path, EXPECTED, problems)? {
        None => Some(HOST_TIME_CEILING),
        Some(Duration::ZERO) => {
            let problem = wrong(node, path, problems, EXPECTED);
            problems.push(problem.hint("with a limit of 0 nothing could ever run"));
            None
        }
        Some(time) => Some(time),
    }
}

/// A simulated time: `80ms`; 0 is allowed, `unlimited` is not.
pub(crate) fn delay(node: &Node, path: &str, problems: &mut Problems) -> Option<Duration> {
    const EXPECTED: &str = "a time as in 80ms";
    let time = time_or_unlimited(node, path, EXPECTED, problems)?;
    if time.is_none() {
        let problem = wrong(node, path, problems, EXPECTED);
        problems.push(problem.hint("an answer that never comes is written `never: true`"));
    }
    time
}

/// A time in whole milliseconds, at least 1: what GV-05 calls `deadline_ms`.
pub(crate) fn milliseconds(node: &Node, path: &str, problems: &mut Problems) -> Option<Duration> {
    match &node.value {
        NodeValue::Number(text) => match text.parse::<u64>().map(Duration::from_millis) {
            Ok(time) if !time.is_zero() && time <= HOST_TIME_CEILING => return Some(time),
            _ => {}
        },
        NodeValue::Text(text) if text == UNLIMITED => return Some(HOST_TIME_CEILING),
        _ => {}
    }
    let problem = wrong(node, path, problems, "a whole number of milliseconds from 1 to a day, or unlimited");
    problems.push(problem);
    None
}

/// `Some(None)` is `unlimited`.
fn time_or_unlimited(node: &Node, path: &str, expected: &str, problems: &mut Problems) -> Option<Option<Duration>> {
    if let NodeValue::Text(text) = &node.value {
        if text == UNLIMITED {
            return Some(None);
        }
        match duration(text) {
            Some(time) if time <= HOST_TIME_CEILING => return Some(Some(time)),
            Some(_) => {
                let problem = problems
                    .at(node.place, format!("{} is {}, longer than the host allows (24h)", quote(path), quote(text)))
                    .hint("write unlimited for the host's own ceiling");
                problems.push(problem);
                return None;
            }
            None => {}
        }
    }
    let mut problem = wrong(node, path, problems, expected);
    if let NodeValue::Number(text) = &node.value {
        problem = problem.hint(format!("write the unit, as in {text}s"));
    }
    problems.push(problem);
    None
}

fn cap(
    node: &Node,
    path: &str,
    expected: &str,
    with_unit: fn(&str) -> Option<u64>,
    problems: &mut Problems,
) -> Option<Cap> {
    let number = match &node.value {
        NodeValue::Text(text) if text == UNLIMITED => return Some(Cap::Unlimited),
        NodeValue::Text(text) => with_unit(text),
        // Digits alone: `1e3` and `2.0` are numbers, but nobody means them as a count.
        NodeValue::Number(text) if text.bytes().all(|b| b.is_ascii_digit()) => Some(text.parse().unwrap_or(u64::MAX)),
        _ => None,
    };
    match number {
        Some(number) if number <= HOST_CEILING => Some(Cap::Finite(number)),
        Some(_) => {
            let problem = problems
                .at(node.place, format!("{} is larger than the host's ceiling ({HOST_CEILING})", quote(path)))
                .hint("write unlimited for the host's own ceiling");
            problems.push(problem);
            None
        }
        None => {
            let problem = wrong(node, path, problems, expected);
            problems.push(problem);
            None
        }
    }
}

/// A value that is not what was expected; near misses of `unlimited` and negative numbers get a hint.
pub(crate) fn wrong(node: &Node, path: &str, problems: &Problems, expected: &str) -> Problem {
    let found = match &node.value {
        NodeValue::Number(text) | NodeValue::Text(text) => quote(text),
        _ => node.kind().to_owned(),
    };
    let problem = problems.at(node.place, format!("{} is {found}", quote(path))).expected(expected);
    if !expected.contains(UNLIMITED) {
        return problem;
    }
    match &node.value {
        NodeValue::Text(text) if nearest(text, [UNLIMITED]).is_some() => problem.hint("did you mean `unlimited`?"),
        NodeValue::Text(text) if ["none", "infinite", "inf", ".inf", "max"].contains(&text.as_str()) => {
            problem.hint("write unlimited for the host's own ceiling, or 0 for none at all")
        }
        NodeValue::Text(text) if text.contains('_') && text.replace('_', "").parse::<u64>().is_ok() => {
            problem.hint("write the digits without underscores")
        }
        NodeValue::Number(text) if text.starts_with('-') => {
            problem.hint("write unlimited for the host's own ceiling, or 0 for none at all")
        }
        NodeValue::Null => problem.hint("leave the key out for the default"),
        _ => problem,
    }
}
