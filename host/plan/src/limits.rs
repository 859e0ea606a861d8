//! `limits`: the run's own, and the defaults of its forks. Whatever is absent keeps the value of the table of defaults.

use crate::amount::{bytes, count, count_from_one, time, wrong};
use crate::ask::{Purse, ask};
use crate::names::Known;
use sandfork_model::{Ancestors, Cap, OnFailure, RunLimits};
use sandfork_source::{Fields, Node, NodeValue, Problem, Problems};
use std::time::Duration;

/// Reads the limits of a run; tools that they name must be there, or a cap on a misspelt one would bound nothing.
pub(crate) fn limits(node: &Node, known: &Known<'_>, problems: &mut Problems) -> RunLimits {
    let mut limits = RunLimits::default();
    let Some(fields) = Fields::of(node, "limits", problems) else { return limits };
    let mut reader = Reader { fields, problems };
    let RunLimits {
        max_depth,
        max_tasks,
        max_children,
        max_concurrency,
        max_live,
        deadline,
        ancestors,
        similar,
        budget,
        model_calls,
        tool_calls,
        memory_total,
        policy,
        fork,
    } = &mut limits;

    reader.count("max_depth", max_depth);
    reader.count("max_tasks", max_tasks);
    reader.count("max_children", max_children);
    reader.count_from_one("max_concurrency", max_concurrency);
    reader.count_from_one("max_live", max_live);
    reader.time("deadline", deadline);
    reader.read("ancestors", ancestors, read_ancestors);
    reader.optional("similar", similar, read_similar);
    reader.read("budget", budget, |node, path, problems| Some(ask(node, path, Purse::Run, problems)));
    reader.optional("model_calls", model_calls, count);
    reader.optional("tool_calls", tool_calls, count);
    reader.bytes("memory_total", memory_total);
    crate::policy::policy(&mut reader, policy, known);

    reader.time("timeout", &mut fork.timeout);
    reader.time("root_timeout", &mut fork.root_timeout);
    reader.read("on_failure", &mut fork.on_failure, on_failure);
    reader.bytes("memory", &mut fork.memory);
    reader.count("steps", &mut fork.steps);
    reader.read("fuel_per_step", &mut fork.fuel_per_step, |node, path, problems| {
        count(node, path, problems).map(Cap::ceiling)
    });
    reader.count("host_calls", &mut fork.host_calls);
    reader.bytes("tool_result", &mut fork.tool_result);
    reader.bytes("output", &mut fork.output);
    reader.bytes("notes", &mut fork.notes);
    reader.count("input_tokens", &mut fork.input_tokens);
    reader.count("output_tokens", &mut fork.output_tokens);
    reader.read("result_bytes", &mut fork.result_bytes, bytes);
    reader.count("retries", &mut fork.retries);

    let Reader { fields, problems } = reader;
    fields.finish(problems);
    limits
}

/// `propagate` or `skip`.
pub(crate) fn on_failure(node: &Node, path: &str, problems: &mut Problems) -> Option<OnFailure> {
    match node.as_text() {
        Some("propagate") => Some(OnFailure::Propagate),
        Some("skip") => Some(OnFailure::Skip),
        _ => {
            let problem = wrong(node, path, problems, "propagate or skip");
            problems.push(problem);
            None
        }
    }
}

fn read_ancestors(node: &Node, path: &str, problems: &mut Problems) -> Option<Ancestors> {
    match node.as_text() {
        Some("allow") => Some(Ancestors::Allow),
        Some("refuse") => Some(Ancestors::Refuse),
        _ => {
            let problem = wrong(node, path, problems, "allow or refuse");
            problems.push(problem);
            None
        }
    }
}

fn read_similar(node: &Node, path: &str, problems: &mut Problems) -> Option<f64> {
    if let NodeValue::Number(text) = &node.value
        && let Ok(number) = text.parse::<f64>()
        && (0.0..=1.0).contains(&number)
    {
        return Some(number);
    }
    let problem = wrong(node, path, problems, "a number from 0 to 1, as in 0.8");
    problems.push(problem.hint("leave the key out to switch the check off"));
    None
}

/// Fills slots that already hold their default.
pub(crate) struct Reader<'a, 'p> {
    fields: Fields<'a>,
    problems: &'p mut Problems,
}

impl Reader<'_, '_> {
    /// A problem with the whole map.
    pub(crate) fn problem(&self, message: String) -> Problem {
        self.problems.at(self.fields.place(), message)
    }

    pub(crate) fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    pub(crate) fn read<T>(
        &mut self,
        key: &'static str,
        slot: &mut T,
        reader: impl Fn(&Node, &str, &mut Problems) -> Option<T>,
    ) {
        if let Some(node) = self.fields.take(key)
            && let Some(value) = reader(node, &self.fields.path_of(key), self.problems)
        {
            *slot = value;
        }
    }

    pub(crate) fn optional<T>(
        &mut self,
        key: &'static str,
        slot: &mut Option<T>,
        reader: impl Fn(&Node, &str, &mut Problems) -> Option<T>,
    ) {
        self.read(key, slot, |node, path, problems| reader(node, path, problems).map(Some));
    }

    fn count(&mut self, key: &'static str, slot: &mut Cap) {
        self.read(key, slot, count);
    }

    fn count_from_one(&mut self, key: &'static str, slot: &mut u64) {
        self.read(key, slot, count_from_one);
    }

    fn time(&mut self, key: &'static str, slot: &mut Duration) {
        self.read(key, slot, time);
    }

    fn bytes(&mut self, key: &'static str, slot: &mut u64) {
        self.read(key, slot, |node, path, problems| bytes(node, path, problems).map(Cap::ceiling));
    }
}
