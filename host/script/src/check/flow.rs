//! Walks a script the ways a run may go: names are set before they are used, nothing stands where no run can come.

use super::known::Known;
use super::names::{MAX_NAMES, Names};
use crate::ast::{Act, Body, Built, Condition, Name, Reference, Script, Step, Turn};
use sandfork_source::{Place, Problems, nearest, quote};

/// Checks all turns; gives the script's names.
pub(super) fn check(script: &Script, problems: &mut Problems) -> Names {
    let mut flow = Flow { problems, names: Names::new(), loops: Vec::new(), is_full: false };
    let mut known = Known::default();
    known.set("task", false);
    flow.turns(&script.turns, &mut known);
    flow.names
}

struct Flow<'a> {
    problems: &'a mut Problems,
    names: Names,
    /// Items and indexes of the loops around this point.
    loops: Vec<String>,
    /// Too many names were reported.
    is_full: bool,
}

impl Flow<'_> {
    /// Walks turns; true if no run comes past them.
    fn turns(&mut self, turns: &[Turn], known: &mut Known) -> bool {
        let mut is_over = false;
        for turn in turns {
            if is_over {
                self.unreachable(turn.place, "this turn");
                break;
            }
            self.built(&turn.arguments, known);
            is_over = self.steps(&turn.steps, known);
        }
        is_over
    }

    /// Walks steps; true if no run comes past them.
    fn steps(&mut self, steps: &[Step], known: &mut Known) -> bool {
        let mut is_over = false;
        for step in steps {
            if is_over {
                self.unreachable(step.place, "this step");
                break;
            }
            is_over = self.step(&step.act, known);
        }
        is_over
    }

    fn unreachable(&mut self, place: Place, what: &str) {
        let problem = self.problems.at(place, format!("{what} is never reached"));
        let problem = problem.expected("nothing after a `return` or `fail`");
        self.problems.push(problem.hint("remove it, or end the run only in a branch of an `if`"));
    }

    fn step(&mut self, act: &Act, known: &mut Known) -> bool {
        match act {
            Act::Tool { with, bind, name: _ } => {
                self.built(with, known);
                self.bind(bind.as_ref(), false, known);
            }
            Act::Spawn { requests, options, bind } => {
                for request in requests {
                    for built in [&request.agent, &request.goal, &request.context, &request.options] {
                        self.built(built, known);
                    }
                }
                self.built(options, known);
                self.bind(bind.as_ref(), true, known);
            }
            Act::Note(text) => self.built(text, known),
            Act::If { condition, then, otherwise } => {
                self.condition(condition, known);
                let mut other = known.clone();
                let is_over = self.steps(then, known);
                let is_other_over = self.steps(otherwise, &mut other);
                match (is_over, is_other_over) {
                    (true, true) => return true,
                    (true, false) => *known = other,
                    (false, true) => {}
                    (false, false) => *known = std::mem::take(known).or(other),
                }
            }
            Act::ForEach { list, item, index, body } => {
                self.built(list, known);
                // The list may be empty: the way past the loop is one of the ways.
                let before = known.clone();
                let own: Vec<_> = [Some(item), index.as_ref()].into_iter().flatten().collect();
                for name in &own {
                    self.loop_name(name, known);
                }
                self.loops.extend(own.iter().map(|name| name.text.clone()));
                self.body(body, known);
                for name in own {
                    self.loops.pop();
                    known.forget(&name.text);
                }
                *known = std::mem::take(known).or(before);
            }
            Act::Repeat { until, body, bound: _ } => {
                let is_over = self.body(body, known);
                if is_over {
                    if let Some(condition) = until {
                        self.condition(condition, known);
                    }
                    return true;
                }
                if let Some(condition) = until {
                    self.condition(condition, known);
                }
            }
            Act::Fail { code, message, details } => {
                for built in [code, message, details] {
                    self.built(built, known);
                }
                return true;
            }
            Act::Return(value) => {
                self.built(value, known);
                return true;
            }
        }
        false
    }

    fn body(&mut self, body: &Body, known: &mut Known) -> bool {
        match body {
            Body::Steps(steps) => self.steps(steps, known),
            Body::Turns(turns) => self.turns(turns, known),
        }
    }

    fn bind(&mut self, name: Option<&Name>, is_outcomes: bool, known: &mut Known) {
        let Some(name) = name else { return };
        if self.loops.contains(&name.text) {
            let problem = self.problems.at(name.place, format!("{} belongs to the loop around it", quote(&name.text)));
            let problem = problem.expected("a name that no loop around it uses");
            self.problems.push(problem.hint("give the answer another name"));
        }
        self.add(name);
        known.set(&name.text, is_outcomes);
    }

    fn loop_name(&mut self, name: &Name, known: &mut Known) {
        if known.maybe.contains(&name.text) {
            let problem =
                self.problems.at(name.place, format!("{} already stands for something here", quote(&name.text)));
            let problem = problem.expected("a name of its own for the loop");
            self.problems.push(problem.hint("choose another with `as` (the item) or `index`"));
        }
        self.add(name);
        known.set(&name.text, false);
    }

    fn add(&mut self, name: &Name) {
        if !self.names.add(&name.text) && !self.is_full {
            self.is_full = true;
            let problem = self.problems.at(name.place, "the script has too many names");
            let problem = problem.expected(format!("at most {MAX_NAMES} different names, `task` among them"));
            self.problems.push(problem.hint("`as` may use a name again"));
        }
    }

    fn condition(&mut self, condition: &Condition, known: &Known) {
        match condition {
            Condition::Ok(reference) | Condition::Present(reference) | Condition::Flag(reference) => {
                self.reference(reference, known);
            }
            Condition::Failed { of, code } => {
                self.reference(of, known);
                self.built(code, known);
                if of.path.is_empty() && known.outcomes.contains(&of.root) {
                    let problem = self.problems.at(of.place, format!("{} are several outcomes", quote(&of.root)));
                    let problem = problem.expected(format!("one outcome, as in `of: {}[0]`", of.root));
                    self.problems.push(problem.hint("walk them with `for_each` if any of them may be meant"));
                }
            }
            Condition::Equal(a, b) | Condition::Contains(a, b) | Condition::Compare(_, a, b) => {
                self.built(a, known);
                self.built(b, known);
            }
            Condition::Not(inner) => self.condition(inner, known),
            Condition::All(list) | Condition::Any(list) => {
                for inner in list {
                    self.condition(inner, known);
                }
            }
        }
    }

    fn built(&mut self, built: &Built, known: &Known) {
        for reference in built.references() {
            self.reference(reference, known);
        }
    }

    fn reference(&mut self, reference: &Reference, known: &Known) {
        let root = &reference.root;
        if known.set.contains(root) {
            return;
        }
        let usable = || known.set.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let expected = format!("a name that is set here: {}", usable());
        let (message, hint) = if known.maybe.contains(root) {
            let hint = "set it on every way that leads here, or use it where it is set";
            (format!("{} may not be set here", quote(root)), hint.to_owned())
        } else {
            let hint = match nearest(root, known.set.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("give an earlier answer this name with `as: {root}`"),
            };
            (format!("{} is used before it is set", quote(root)), hint)
        };
        let problem = self.problems.at(reference.place, message).expected(expected);
        self.problems.push(problem.hint(hint));
    }
}
