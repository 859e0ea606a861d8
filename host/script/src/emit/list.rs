//! Emits lists of steps and turns, in functions of a bounded size: the time to compile a function grows faster than the
//! function, and hosts refuse very long ones.

use super::Emitter;
use super::body::Body;
use crate::ast::{Act, Body as Looped, Built, Condition, Step, Turn};

/// Weight of one function, about a call each. A step that outweighs this on its own has a function to itself.
pub(super) const MAX_WEIGHT: usize = 128;

impl Emitter<'_> {
    /// Emits turns: each a model call, then its steps.
    pub(super) fn turns(&mut self, body: &mut Body, turns: &[Turn]) -> Result<(), String> {
        self.split(body, turns, turn_weight, |emitter, body, turn| {
            let calls = &emitter.runtime.calls;
            body.code().call(calls.turn);
            emitter.build(body, &turn.arguments)?;
            body.code().call(calls.model);
            body.leave_if_set();
            emitter.steps(body, &turn.steps)
        })
    }

    /// Emits steps.
    pub(super) fn steps(&mut self, body: &mut Body, steps: &[Step]) -> Result<(), String> {
        self.split(body, steps, step_weight, |emitter, body, step| emitter.step(body, &step.act))
    }

    fn split<T>(
        &mut self,
        body: &mut Body,
        all: &[T],
        weigh: fn(&T) -> usize,
        emit: fn(&mut Self, &mut Body, &T) -> Result<(), String>,
    ) -> Result<(), String> {
        let groups = groups(all, weigh);
        if groups.len() == 1 {
            return all.iter().try_for_each(|one| emit(self, body, one));
        }
        for group in groups {
            let mut part = Body::new();
            group.iter().try_for_each(|one| emit(self, &mut part, one))?;
            let part = self.finish(part);
            body.code().call(part);
            body.leave_if_set();
        }
        Ok(())
    }
}

/// Neighbours that fit into one function together.
fn groups<T>(all: &[T], weigh: fn(&T) -> usize) -> Vec<&[T]> {
    let mut groups = Vec::new();
    let (mut start, mut weight) = (0, 0);
    for (at, one) in all.iter().enumerate() {
        let own = weigh(one);
        if at > start && weight + own > MAX_WEIGHT {
            groups.extend(all.get(start..at));
            (start, weight) = (at, 0);
        }
        weight += own;
    }
    groups.extend(all.get(start..).filter(|rest| !rest.is_empty()));
    groups
}

fn turn_weight(turn: &Turn) -> usize {
    3 + built(&turn.arguments) + turn.steps.iter().map(step_weight).sum::<usize>()
}

fn step_weight(step: &Step) -> usize {
    let steps = |steps: &[Step]| steps.iter().map(step_weight).sum::<usize>();
    let looped = |body: &Looped| match body {
        Looped::Steps(list) => steps(list),
        Looped::Turns(list) => list.iter().map(turn_weight).sum(),
    };
    2 + match &step.act {
        Act::Tool { with, .. } => built(with),
        Act::Spawn { requests, options, .. } => {
            let texts = requests.iter().flat_map(|r| [&r.agent, &r.goal, &r.context, &r.options]);
            built(options) + texts.map(|text| 1 + built(text)).sum::<usize>()
        }
        Act::Note(text) | Act::Return(text) => built(text),
        Act::If { condition: asked, then, otherwise } => 4 + condition(asked) + steps(then) + steps(otherwise),
        Act::ForEach { list, body, .. } => 10 + built(list) + looped(body),
        Act::Repeat { until, body, .. } => 10 + until.as_ref().map_or(0, condition) + looped(body),
        Act::Fail { code, message, details } => 3 + built(code) + built(message) + built(details),
    }
}

fn built(built: &Built) -> usize {
    // A long text is a function of its own, called in one place.
    if built.pieces.len() > MAX_WEIGHT { built.pieces.len().div_ceil(MAX_WEIGHT) } else { built.pieces.len() }
}

fn condition(asked: &Condition) -> usize {
    match asked {
        Condition::Ok(_) | Condition::Present(_) | Condition::Flag(_) => 1,
        Condition::Failed { code, .. } => 3 + built(code),
        Condition::Equal(a, b) | Condition::Contains(a, b) | Condition::Compare(_, a, b) => 3 + built(a) + built(b),
        Condition::Not(inner) => 1 + condition(inner),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().map(|part| 1 + condition(part)).sum(),
    }
}
