//! The part of `limits` that says what happens when things get tight.

use crate::amount::{count, wrong};
use crate::ask::{Purse, ask};
use crate::limits::Reader;
use crate::names::Known;
use sandfork_model::{Cap, Floors, LoopDetector, OnShortage, Policy, Rounds, RunCap, ToolLimits, WaterLevels};
use sandfork_source::{Fields, Key, Node, NodeValue, Problems, expect_texts};
use std::collections::BTreeMap;

/// Reads the policies among the keys of `limits`.
pub(crate) fn policy(reader: &mut Reader<'_, '_>, policy: &mut Policy, known: &Known<'_>) {
    let Policy { floors, on_shortage, water, fuse, tools, deny_at_depth, loop_detector, tiers, child_tier, rounds } =
        policy;
    reader.read("floors", floors, read_floors);
    reader.read("on_shortage", on_shortage, read_shortage);
    reader.read("water", water, read_water);
    reader.optional("fuse", fuse, percent);
    reader.read("tools", tools, |node, path, problems| {
        named(node, path, known, problems);
        Some(table(node, path, problems, read_tool))
    });
    reader.read("deny_at_depth", deny_at_depth, |node, path, problems| read_denied(node, path, known, problems));
    reader.optional("loop_detector", loop_detector, read_detector);
    reader.read("tiers", tiers, |node, path, problems| Some(table(node, path, problems, percent)));
    reader.optional("child_tier", child_tier, tier);
    reader.optional("rounds", rounds, read_rounds);
    for (key, name) in [("child_tier", child_tier.as_ref()), ("on_shortage", shortage_tier(on_shortage))] {
        if let Some(name) = name
            && !tiers.contains_key(name)
        {
            let known: Vec<&str> = tiers.keys().map(String::as_str).collect();
            let problem =
                reader.problem(format!("`limits.{key}` names the tier `{name}`, which is not in `limits.tiers`"));
            reader.push(problem.expected(format!("one of [{}]", known.join(", "))));
        }
    }
}

fn shortage_tier(on_shortage: &OnShortage) -> Option<&String> {
    match on_shortage {
        OnShortage::Tier(name) => Some(name),
        OnShortage::Refuse | OnShortage::Queue | OnShortage::Shrink => None,
    }
}

fn read_floors(node: &Node, path: &str, problems: &mut Problems) -> Option<Floors> {
    let mut fields = Fields::of(node, path, problems)?;
    let mut floors = Floors::default();
    for (key, slot) in [("root", &mut floors.root), ("acceptance", &mut floors.acceptance)] {
        if let Some(node) = fields.take(key) {
            *slot = ask(node, &fields.path_of(key), Purse::Run, problems);
        }
    }
    fields.finish(problems);
    Some(floors)
}

fn read_shortage(node: &Node, path: &str, problems: &mut Problems) -> Option<OnShortage> {
    match node.as_text() {
        Some("refuse") => return Some(OnShortage::Refuse),
        Some("queue") => return Some(OnShortage::Queue),
        Some("shrink") => return Some(OnShortage::Shrink),
        _ => {}
    }
    if let NodeValue::Map(_) = node.value {
        let mut fields = Fields::of(node, path, problems)?;
        let name = fields.need_text("tier", problems).map(str::to_owned);
        fields.finish(problems);
        return name.map(OnShortage::Tier);
    }
    let problem = wrong(node, path, problems, "refuse, queue, shrink or { tier: NAME }");
    problems.push(problem);
    None
}

fn read_water(node: &Node, path: &str, problems: &mut Problems) -> Option<WaterLevels> {
    let mut fields = Fields::of(node, path, problems)?;
    let mut water = WaterLevels::default();
    for (key, slot) in [("save", &mut water.save), ("spare", &mut water.spare), ("converge", &mut water.converge)] {
        if let Some(node) = fields.take(key)
            && let Some(mark) = percent(node, &fields.path_of(key), problems)
        {
            *slot = mark;
        }
    }
    fields.finish(problems);
    if water.save > water.spare || water.spare > water.converge {
        let problem = problems.at(node.place, format!("the marks of `{path}` do not rise"));
        problems.push(problem.expected("save ≤ spare ≤ converge"));
    }
    Some(water)
}

fn read_tool(node: &Node, path: &str, problems: &mut Problems) -> Option<ToolLimits> {
    let mut fields = Fields::of(node, path, problems)?;
    let per_fork = fields.take("per_fork").and_then(|node| count(node, &fields.path_of("per_fork"), problems));
    let per_run = fields.take("per_run").and_then(|node| run_cap(node, &fields.path_of("per_run"), problems));
    let tokens = fields.take("result_tokens").and_then(|node| count(node, &fields.path_of("result_tokens"), problems));
    fields.finish(problems);
    Some(ToolLimits { per_fork, per_run, result_tokens: tokens.map(Cap::ceiling) })
}

/// `8` is hard, `{ soft: 8 }` is soft.
fn run_cap(node: &Node, path: &str, problems: &mut Problems) -> Option<RunCap> {
    let NodeValue::Map(_) = node.value else { return count(node, path, problems).map(RunCap::Hard) };
    let mut fields = Fields::of(node, path, problems)?;
    let soft = fields.need("soft", problems).and_then(|node| count(node, &fields.path_of("soft"), problems));
    fields.finish(problems);
    soft.map(|cap| RunCap::Soft(cap.ceiling()))
}

fn read_denied(
    node: &Node,
    path: &str,
    known: &Known<'_>,
    problems: &mut Problems,
) -> Option<BTreeMap<u32, Vec<String>>> {
    let NodeValue::Map(entries) = &node.value else {
        let problem = wrong(node, path, problems, "a map from depth to tools, as in { 1: [price_compare] }");
        problems.push(problem);
        return None;
    };
    let mut denied = BTreeMap::new();
    for (key, node) in entries {
        let Ok(depth) = key.text.parse::<u32>() else {
            let problem = problems.at(key.place, format!("`{}` in `{path}` is no depth", key.text));
            problems.push(problem.expected("a whole number; the first task has depth 0"));
            continue;
        };
        let path = format!("{path}.{depth}");
        let names = expect_texts(node, &path, problems).unwrap_or_default();
        denied.insert(depth, known.check(names, &path, problems));
    }
    Some(denied)
}

/// The keys of a table by tool, each a problem if there is no such tool.
fn named(node: &Node, path: &str, known: &Known<'_>, problems: &mut Problems) {
    if let NodeValue::Map(entries) = &node.value {
        known.check(entries.iter().map(|(key, _)| (key.text.as_str(), key.place)).collect(), path, problems);
    }
}

fn read_detector(node: &Node, path: &str, problems: &mut Problems) -> Option<LoopDetector> {
    let mut fields = Fields::of(node, path, problems)?;
    let mut detector = LoopDetector::default();
    for (key, slot) in [("window", &mut detector.window), ("threshold", &mut detector.threshold)] {
        if let Some(node) = fields.take(key) {
            match count(node, &fields.path_of(key), problems) {
                Some(Cap::Finite(n @ 1..=1000)) => *slot = usize::try_from(n).unwrap_or(1),
                Some(_) => {
                    let problem = wrong(node, &fields.path_of(key), problems, "a whole number from 1 to 1000");
                    problems.push(problem);
                }
                None => {}
            }
        }
    }
    fields.finish(problems);
    if detector.threshold > detector.window {
        let problem = problems.at(node.place, format!("`{path}.threshold` is above its window"));
        problems.push(problem.expected("threshold ≤ window").hint("as it stands it would never trigger"));
    }
    Some(detector)
}

fn read_rounds(node: &Node, path: &str, problems: &mut Problems) -> Option<Rounds> {
    let mut fields = Fields::of(node, path, problems)?;
    let mut read = |key: &'static str, problems: &mut Problems| {
        fields.need(key, problems).and_then(|node| count(node, &format!("{path}.{key}"), problems)).map(Cap::ceiling)
    };
    let (parallel, serial) = (read("parallel", problems), read("serial", problems));
    fields.finish(problems);
    Some(Rounds { parallel: parallel?, serial: serial? })
}

fn tier(node: &Node, path: &str, problems: &mut Problems) -> Option<String> {
    let name = node.as_text().map(str::to_owned);
    if name.is_none() {
        let problem = wrong(node, path, problems, "the name of a tier in limits.tiers");
        problems.push(problem);
    }
    name
}

/// A whole number from 1 to 100.
fn percent(node: &Node, path: &str, problems: &mut Problems) -> Option<u64> {
    if let NodeValue::Number(text) = &node.value
        && let Ok(number @ 1..=100) = text.parse::<u64>()
    {
        return Some(number);
    }
    let problem = wrong(node, path, problems, "a whole number of percent, from 1 to 100");
    problems.push(problem);
    None
}

/// A map whose keys are names of the user's own.
fn table<T>(
    node: &Node,
    path: &str,
    problems: &mut Problems,
    read: impl Fn(&Node, &str, &mut Problems) -> Option<T>,
) -> BTreeMap<String, T> {
    let NodeValue::Map(entries) = &node.value else {
        let problem = wrong(node, path, problems, "a map");
        problems.push(problem);
        return BTreeMap::new();
    };
    let row = |(key, node): &(Key, Node)| {
        read(node, &format!("{path}.{}", key.text), problems).map(|value| (key.text.clone(), value))
    };
    entries.iter().filter_map(row).collect()
}
